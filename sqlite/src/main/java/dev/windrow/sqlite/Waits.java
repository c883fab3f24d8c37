package dev.windrow.sqlite;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Jobs that no worker runs, but that somebody outside ends, within a time. BLOCKED all the while: a wait begins with no transition. */
final class Waits {
    private Waits() {}

    /** New jobs that have been written: those that wait for outside remember it, and begin if they have no open parents. */
    static void added(WriteTransaction tx, List<Enqueues.NewRow> jobs) throws SQLException {
        for (Enqueues.NewRow job : jobs) {
            Long waitMillis = job.row().waitMillis();
            if (waitMillis != null) {
                PreparedStatement keep = tx.statements.get(StepSql.KEEP_WAIT);
                keep.setLong(1, job.id());
                keep.setLong(2, waitMillis);
                keep.executeUpdate();
                if (job.open() == 0) {
                    begin(tx, job.id(), waitMillis);
                }
            }
        }
    }

    /** The last parent of a job has ended: from now on it waits for outside. */
    static void afterParents(WriteTransaction tx, long job, long token, long waitMillis) throws SQLException {
        long until = begin(tx, job, waitMillis);
        tx.event(
                job,
                tx.now,
                EventKind.RELEASED,
                tx.names.actor("system"),
                token,
                JsonText.object("reason", "waits for outside", "due", Settles.iso(until)));
    }

    /** A job that no parent blocks waits for outside; answers until when. */
    static long begin(WriteTransaction tx, long job, long waitMillis) throws SQLException {
        long until = Math.addExact(tx.now, waitMillis);
        PreparedStatement begin = tx.statements.get(StepSql.BEGIN_WAIT);
        begin.setLong(1, job);
        begin.setLong(2, until);
        if (begin.executeUpdate() != 1) {
            throw new SQLException("job " + job + " cannot wait for outside");
        }
        tx.waitsUntil(until);
        return until;
    }

    /** Ends those that have run out of time: fails the jobs, or lets them go on; answers how many. */
    static int end(WriteTransaction tx, int limit) throws SQLException {
        PreparedStatement query = tx.statements.get(StepSql.DUE_WAITS);
        query.setLong(1, tx.now);
        query.setInt(2, limit);
        List<Long> failing = new ArrayList<>();
        List<Long> goingOn = new ArrayList<>();
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                (rows.getInt(2) != 0 ? goingOn : failing).add(rows.getLong(1));
            }
        }
        int ended = failing.isEmpty() ? 0 : Changes.timeOut(tx, failing);
        Steps.timeOut(tx, goingOn);
        ended += goingOn.size();
        tx.nextWait(Rows.oneOrNull(tx.statements.get(StepSql.NEXT_WAIT)));
        return ended;
    }

    /** Whether a job, as it was just read, has waited for as long as it was to. */
    static boolean isOver(JobState state, @Nullable Long failsAt, long now) {
        return state == JobState.BLOCKED && failsAt != null && failsAt <= now;
    }
}
