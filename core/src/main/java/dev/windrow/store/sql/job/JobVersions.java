package dev.windrow.store.sql.job;

import dev.windrow.ChangedMeanwhileException;
import dev.windrow.JobState;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The versions of jobs. No write maintains them: a version is made of numbers that only grow. Every change writes an event, raises the token, or
 * brings the job to a later step of the same attempt.
 */
public final class JobVersions {
    private JobVersions() {}

    /**
     * Returns the version of a job.
     *
     * @param lastEvent the number of its last event in the log; 0 without one. Numbers grow within a job
     * @param started true if its handler was called in this attempt
     */
    static long of(long lastEvent, long token, JobState state, boolean started) {
        // Of one event and token: a scheduled job becomes due, or a claimed one starts and completes.
        int step = switch (state) {
            case SCHEDULED -> 0;
            case RUNNING -> started ? 2 : 1;
            case COMPLETED -> 3;
            default -> 1;
        };
        return 4 * (lastEvent + token) + step;
    }

    private record Seen(long id, long token, JobState state, boolean started) {}

    /** Throws if a job, whose row is locked, has another version than the expected one, if any. */
    public static void require(
            WriteTransaction tx, @Nullable Long expected, long job, long token, JobState state, boolean started)
            throws SQLException {
        if (expected != null) {
            require(tx, Map.of(job, expected), Stream.of(new Seen(job, token, state, started)));
        }
    }

    /** Throws with all jobs that have another version than the expected one, by their ids. The rows of the jobs are locked. */
    public static void require(WriteTransaction tx, Map<Long, Long> expected, List<ChangedRow> rows)
            throws SQLException {
        if (!expected.isEmpty()) {
            require(
                    tx,
                    expected,
                    rows.stream().map(row -> new Seen(row.id(), row.token(), row.state(), row.startedAt() != null)));
        }
    }

    private static void require(WriteTransaction tx, Map<Long, Long> expected, Stream<Seen> jobs) throws SQLException {
        // Another command of this transaction may have changed a job.
        tx.flushEvents();
        Map<Long, Long> lastEvents = new HashMap<>();
        try (ResultSet rows = tx.statements()
                .get(Statement.LAST_EVENTS)
                .ids(1, expected.keySet())
                .rows()) {
            while (rows.next()) {
                lastEvents.put(rows.getLong(1), rows.getLong(2));
            }
        }
        List<ChangedMeanwhileException.Job> changed = jobs.filter(job -> expected.containsKey(job.id))
                .map(job -> new ChangedMeanwhileException.Job(
                        job.id,
                        Objects.requireNonNull(expected.get(job.id)),
                        of(lastEvents.getOrDefault(job.id, 0L), job.token, job.state, job.started),
                        job.state))
                .filter(job -> job.actual() != job.expected())
                .sorted(Comparator.comparingLong(ChangedMeanwhileException.Job::id))
                .toList();
        if (!changed.isEmpty()) {
            throw new ChangedMeanwhileException(changed);
        }
    }
}
