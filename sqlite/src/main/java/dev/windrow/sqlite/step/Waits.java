package dev.windrow.sqlite.step;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.sqlite.job.Changes;
import dev.windrow.sqlite.job.Enqueues;
import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.step.Steps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Jobs that no worker runs, but that are completed externally, within a time. BLOCKED all the while: a wait begins with no transition. */
public final class Waits {
    private Waits() {}

    /** New jobs that have been written: those that wait for external completion remember it, and begin if they have no open parents. */
    public static void added(SqliteTransaction tx, List<Enqueues.NewRow> jobs) throws SQLException {
        for (Enqueues.NewRow job : jobs) {
            Long waitMillis = job.row().waitMillis();
            if (waitMillis != null) {
                tx.statements()
                        .get(StepSql.KEEP_WAIT)
                        .set(1, job.id())
                        .set(2, waitMillis)
                        .update();
                if (job.open() == 0) {
                    begin(tx, job.id(), waitMillis);
                }
            }
        }
    }

    /** The last parent of a job has ended: from now on it waits for external completion. */
    public static void afterParents(SqliteTransaction tx, long job, long token, long waitMillis) throws SQLException {
        long until = begin(tx, job, waitMillis);
        tx.event(
                job,
                tx.now(),
                EventKind.RELEASED,
                tx.names.actor("system"),
                token,
                JsonText.object("reason", "waits for external completion", "due", JsonText.time(until)));
    }

    /** A job that no parent blocks waits for external completion; answers until when. */
    public static long begin(SqliteTransaction tx, long job, long waitMillis) throws SQLException {
        long until = Math.addExact(tx.now(), waitMillis);
        if (tx.statements().get(StepSql.BEGIN_WAIT).set(1, job).set(2, until).update() != 1) {
            throw new SQLException("job " + job + " cannot wait for external completion");
        }
        tx.notices().waitsUntil(until);
        return until;
    }

    /** Ends those that have run out of time: fails the jobs, or lets them go on; answers how many. */
    public static int end(SqliteTransaction tx, int limit) throws SQLException {
        List<Long> failing = new ArrayList<>();
        List<Long> goingOn = new ArrayList<>();
        try (ResultSet rows = tx.statements()
                .get(StepSql.DUE_WAITS)
                .set(1, tx.now())
                .set(2, limit)
                .rows()) {
            while (rows.next()) {
                (rows.getInt(2) != 0 ? goingOn : failing).add(rows.getLong(1));
            }
        }
        int ended = failing.isEmpty() ? 0 : Changes.timeOut(tx, failing);
        ended += Steps.timeOut(tx, goingOn);
        tx.flushEvents();
        tx.notices().nextWait(tx.statements().get(StepSql.NEXT_WAIT).oneOrNull());
        return ended;
    }

    /** Whether a job, as it was just read, has waited for as long as it was to. */
    public static boolean isOver(JobState state, @Nullable Long failsAt, long now) {
        return state == JobState.BLOCKED && failsAt != null && failsAt <= now;
    }
}
