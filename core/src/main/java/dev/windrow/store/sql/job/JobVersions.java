package dev.windrow.store.sql.job;

import dev.windrow.ChangedMeanwhileException;
import dev.windrow.JobState;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The versions of jobs. No write maintains them: a version is the sum of numbers that only grow. Every change writes an event, raises the token, or
 * is the promotion of a scheduled job, which does neither.
 */
public final class JobVersions {
    private JobVersions() {}

    /**
     * Returns the version of a job. The sum of event and token is doubled, so that a promotion has a number of its own: it is the odd one above that of
     * the scheduled job.
     *
     * @param lastEvent the number of its last event. Numbers grow within a job, also at an event level that leaves out claims: a claim raises the token
     */
    static long of(long lastEvent, long token, JobState state) {
        return 2 * (lastEvent + token) + (state == JobState.SCHEDULED ? 0 : 1);
    }

    /** Throws if a job, whose row is locked, has another version than the expected one, if any. */
    public static void require(WriteTransaction tx, @Nullable Long expected, long job, long token, JobState state)
            throws SQLException {
        if (expected == null) {
            return;
        }
        // Another command of this transaction may have changed the job.
        tx.flushEvents();
        Long lastEvent = tx.statements().get(Statement.LAST_EVENT).set(1, job).oneOrNull();
        long actual = of(lastEvent == null ? 0 : lastEvent, token, state);
        if (actual != expected) {
            throw new ChangedMeanwhileException(job, expected, actual, state);
        }
    }
}
