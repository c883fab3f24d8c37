package dev.windrow.sqlite;

import dev.windrow.Overlap;
import dev.windrow.ScheduleRun;
import dev.windrow.store.EnqueuedJob;
import dev.windrow.store.Fired;
import dev.windrow.store.Firing;
import dev.windrow.store.JobRow;
import dev.windrow.store.ScheduleRow;
import dev.windrow.store.sql.Query;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What schedules do when they are due: jobs are made, and what became of the due times is written down. */
final class Firings {
    /** The newest runs of a schedule that are kept. */
    static final int KEPT_RUNS = 1000;
    /** To look for older ones costs as much as a job: done once for so many firings. */
    private static final int PRUNE_EACH = 16;

    private Firings() {}

    /** How many ids and event numbers they may need. */
    static int ids(List<Firing> firings) {
        return firings.stream()
                .mapToInt(firing -> 2 * firing.dueMillis().size())
                .sum();
    }

    static Fired fire(SqliteTransaction tx, List<Firing> firings) throws SQLException {
        int schedules = 0;
        int jobs = 0;
        for (Firing firing : firings) {
            if (tx.statements()
                            .get(ScheduleSql.IS_SCHEDULE_AS_READ)
                            .set(1, firing.schedule().id())
                            .set(2, firing.schedule().revision())
                            .oneOrNull()
                    != null) {
                schedules++;
                if (firing.stepBack()) {
                    stepBack(tx, firing.schedule());
                } else {
                    jobs += fire(tx, firing);
                }
            }
        }
        Enqueues.flush(tx, HandOff.NONE);
        return new Fired(schedules, jobs);
    }

    /** Sees to one schedule; answers how many jobs it has made. */
    private static int fire(SqliteTransaction tx, Firing firing) throws SQLException {
        ScheduleRow schedule = firing.schedule();
        long id = schedule.id();
        List<Long> due = notMade(tx, id, firing.dueMillis());
        int most = schedule.definition().overlap() == Overlap.ALLOW
                ? due.size()
                : goesOn(tx, schedule.lastJob()) ? 0 : Math.min(1, due.size());
        Firing.Missed missed = firing.missed();
        missed(tx, id, missed);
        Long lastJob = schedule.lastJob();
        for (long at : due.subList(0, most)) {
            lastJob = make(tx, schedule, at);
            Firing.Missed one = new Firing.Missed(at, at, 1L);
            if (insertRun(tx, id, one, ScheduleRun.Outcome.ENQUEUED, lastJob) != 1) {
                throw new SQLException("schedule " + schedule.name() + " has made a job for " + at + " before");
            }
        }
        if (most < due.size()) {
            Firing.Missed skipped = new Firing.Missed(due.get(most), due.get(due.size() - 1), (long) due.size() - most);
            insertRun(tx, id, skipped, ScheduleRun.Outcome.SKIPPED_OVERLAP, null);
        }
        Long last = firing.dueMillis().isEmpty()
                ? missed == null ? schedule.lastAtMillis() : Long.valueOf(missed.untilMillis())
                : firing.dueMillis().get(firing.dueMillis().size() - 1);
        fired(tx, schedule, firing.nextAtMillis(), last, lastJob);
        if (missed != null || due.size() > 1 || schedule.revision() % PRUNE_EACH == 0) {
            tx.statements()
                    .get(ScheduleSql.PRUNE_RUNS)
                    .set(1, id)
                    .set(2, KEPT_RUNS)
                    .update();
        }
        return most;
    }

    private static long make(SqliteTransaction tx, ScheduleRow schedule, long due) throws SQLException {
        JobRow job = schedule.definition().job().by(Schedules.ACTOR, new JobRow.Scheduled(schedule.name(), due));
        List<EnqueuedJob> made = Enqueues.add(tx, List.of(job), Map.of());
        return made.get(0).id();
    }

    /** Those due times, of these in order, for which no job was made before. */
    private static List<Long> notMade(SqliteTransaction tx, long schedule, List<Long> due) throws SQLException {
        if (due.isEmpty()) {
            return due;
        }
        Set<Long> made = made(tx, schedule, due.get(0), due.get(due.size() - 1));
        return made.isEmpty()
                ? due
                : due.stream().filter(at -> !made.contains(at)).toList();
    }

    private static Set<Long> made(SqliteTransaction tx, long schedule, long from, long to) throws SQLException {
        Set<Long> made = new HashSet<>();
        try (ResultSet rows = tx.statements()
                .get(ScheduleSql.MADE_RUNS)
                .set(1, schedule)
                .set(2, from)
                .set(3, to)
                .rows()) {
            while (rows.next()) {
                made.add(rows.getLong(1));
            }
        }
        return made;
    }

    static boolean goesOn(SqliteTransaction tx, @Nullable Long job) throws SQLException {
        if (job == null) {
            return false;
        }
        return tx.statements().get(ScheduleSql.GOES_ON).set(1, job).oneOrNull() != null;
    }

    /** Due times of which nothing came. */
    static void missed(SqliteTransaction tx, long schedule, Firing.@Nullable Missed missed) throws SQLException {
        if (missed != null) {
            insertRun(tx, schedule, missed, ScheduleRun.Outcome.MISSED, null);
        }
    }

    private static int insertRun(
            SqliteTransaction tx, long schedule, Firing.Missed of, ScheduleRun.Outcome outcome, @Nullable Long job)
            throws SQLException {
        return tx.statements()
                .get(ScheduleSql.INSERT_RUN)
                .set(1, schedule)
                .set(2, of.fromMillis())
                .set(3, of.untilMillis())
                .set(4, of.runs())
                .set(5, tx.now())
                .set(6, outcome.name())
                .set(7, job)
                .update();
    }

    /** The last write of each firing, which is all or nothing by the transaction. */
    private static void fired(
            SqliteTransaction tx,
            ScheduleRow schedule,
            @Nullable Long next,
            @Nullable Long last,
            @Nullable Long lastJob)
            throws SQLException {
        Query update = tx.statements().get(ScheduleSql.FIRED_SCHEDULE);
        update.set(1, schedule.id())
                .set(2, schedule.revision())
                .set(3, next)
                .set(4, last)
                .set(5, tx.now())
                .set(6, lastJob);
        if (update.update() != 1) {
            throw new SQLException("schedule " + schedule.name() + " changed while it was seen to");
        }
        if (next != null) {
            tx.scheduleDue(next);
        }
    }

    /** The clock was set back: what was missed after the present time comes again, that for which jobs were made does not. */
    private static void stepBack(SqliteTransaction tx, ScheduleRow schedule) throws SQLException {
        // Before some of them go: only of those that were pruned may any be forgotten.
        Long forgotten = null;
        try (ResultSet row = tx.statements()
                .get(ScheduleSql.COUNT_RUNS)
                .set(1, schedule.id())
                .rows()) {
            row.next();
            if (row.getLong(1) >= KEPT_RUNS && row.getLong(2) > tx.now()) {
                forgotten = row.getLong(2);
            }
        }
        for (String sql : List.of(ScheduleSql.DROP_MISSED_RUNS, ScheduleSql.CUT_MISSED_RUNS)) {
            tx.statements().get(sql).set(1, schedule.id()).set(2, tx.now()).update();
        }
        Set<Long> made = made(tx, schedule.id(), tx.now() + 1, Long.MAX_VALUE);
        Long next = schedule.timing().nextAfterStepBack(tx.now(), made, forgotten);
        fired(tx, schedule, next, schedule.lastAtMillis(), schedule.lastJob());
    }
}
