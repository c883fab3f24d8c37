package dev.windrow.postgres.step;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.job.Changes;
import dev.windrow.postgres.job.Enqueues;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.store.sql.connection.Columns;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.step.Steps;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The waits of jobs that are completed externally within a time, and not by a worker. They are BLOCKED all the time: the begin of a wait is no
 * transition.
 */
public final class Waits {
    private static final Columns<Wait> WAITS =
            new Columns<Wait>().longs(Wait::job).longs(Wait::millis);
    private static final Columns<Enqueues.NewRow> NEW = new Columns<Enqueues.NewRow>()
            .longs(Enqueues.NewRow::id)
            .longs(job -> job.row().waitMillis());

    private Waits() {}

    /** A job that begins to wait. With a token, the begin is also an event. */
    public record Wait(long job, long millis, @Nullable Long token) {}

    /** Stores the waits of new jobs that were written and wait for external completion. They begin to wait if they have no open parents. */
    public static void added(PostgresTransaction tx, List<Enqueues.NewRow> written) throws SQLException {
        List<Enqueues.NewRow> jobs =
                written.stream().filter(job -> job.row().waitMillis() != null).toList();
        if (jobs.isEmpty()) {
            return;
        }
        PostgresQuery keep = tx.statements().get(StepSql.KEEP_WAITS);
        keep.bind(1, NEW, jobs);
        keep.update();
        List<Wait> begins = new ArrayList<>();
        for (Enqueues.NewRow job : jobs) {
            Long millis = job.row().waitMillis();
            if (job.open() == 0 && millis != null) {
                begins.add(new Wait(job.id(), millis, null));
            }
        }
        begin(tx, begins);
    }

    /** Begins the waits of locked jobs that no parent blocks. */
    public static void begin(PostgresTransaction tx, List<Wait> waits) throws SQLException {
        if (waits.isEmpty()) {
            return;
        }
        List<Wait> until = waits.stream()
                .sorted(Comparator.comparingLong(Wait::job))
                .map(wait -> new Wait(wait.job, Math.addExact(tx.now(), wait.millis), wait.token))
                .toList();
        PostgresQuery begin = tx.statements().get(StepSql.BEGIN_WAITS);
        begin.bind(1, WAITS, until);
        if (begin.update() != until.size()) {
            throw new SQLException("some of the jobs cannot wait for external completion: " + until);
        }
        for (Wait wait : until) {
            tx.notices().waitsUntil(wait.millis);
            if (wait.token != null) {
                tx.event(
                        wait.job,
                        tx.now(),
                        EventKind.RELEASED,
                        tx.actor("system"),
                        wait.token,
                        JsonText.object("reason", "waits for external completion", "due", JsonText.time(wait.millis)));
            }
        }
    }

    /** The most jobs that continue without their event in one transaction, because each of them costs some queries. */
    private static final int GOING_ON = 100;

    /**
     * Ends waits that have timed out, except for jobs that other transactions have locked. Fails the jobs, or lets them continue. Returns their
     * number.
     */
    public static int end(PostgresTransaction tx, int limit) throws SQLException {
        List<Long> failing = new ArrayList<>();
        List<Long> goingOn = new ArrayList<>();
        try (ResultSet rows = tx.statements()
                .get(StepSql.DUE_WAITS)
                .set(1, tx.now())
                .set(2, Integer.valueOf(limit))
                .rows()) {
            while (rows.next()) {
                (rows.getBoolean(2) ? goingOn : failing).add(rows.getLong(1));
            }
        }
        int ended = failing.isEmpty() ? 0 : Changes.timeOut(tx, failing);
        ended += Steps.timeOut(tx, goingOn.subList(0, Math.min(GOING_ON, goingOn.size())));
        tx.notices().nextWait(tx.statements().get(StepSql.NEXT_WAIT).oneOrNull());
        return ended;
    }

    /** True if the wait of a job, as it was just read, has timed out. */
    public static boolean isOver(JobState state, @Nullable Long failsAt, long now) {
        return state == JobState.BLOCKED && failsAt != null && failsAt <= now;
    }
}
