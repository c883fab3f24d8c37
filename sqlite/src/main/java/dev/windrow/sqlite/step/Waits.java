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

/** Waits of jobs that are completed externally, within a time, and that no worker runs. They stay BLOCKED: a wait begins without a transition. */
public final class Waits {
    private Waits() {}

    /** Stores the waits of new jobs that wait for external completion. The waits of jobs without open parents begin at once. */
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

    /** Begins the wait of a job for external completion, because its last parent has ended. */
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

    /** Begins the wait of a job that no parent blocks for external completion. Returns the end of the wait. */
    public static long begin(SqliteTransaction tx, long job, long waitMillis) throws SQLException {
        long until = Math.addExact(tx.now(), waitMillis);
        if (tx.statements().get(StepSql.BEGIN_WAIT).set(1, job).set(2, until).update() != 1) {
            throw new SQLException("job " + job + " cannot wait for external completion");
        }
        tx.notices().waitsUntil(until);
        return until;
    }

    /** Ends the waits that have timed out: fails the jobs, or wakes the jobs that await an event. Returns the number of ended waits. */
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

    /** True if a job, as it was just read, has waited for its whole time. */
    public static boolean isOver(JobState state, @Nullable Long failsAt, long now) {
        return state == JobState.BLOCKED && failsAt != null && failsAt <= now;
    }
}
