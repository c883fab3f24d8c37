package dev.windrow.postgres;

import dev.windrow.Overlap;
import dev.windrow.ScheduleRun;
import dev.windrow.store.EnqueuedJob;
import dev.windrow.store.Fired;
import dev.windrow.store.Firing;
import dev.windrow.store.JobRow;
import dev.windrow.store.ScheduleRow;
import dev.windrow.store.sql.Columns;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What schedules do when they are due: jobs are made, and what became of the due times is written down. One for each call. */
final class Firings {
    /** The newest runs of a schedule that are kept. */
    static final int KEPT_RUNS = 1000;
    /** To look for older ones costs as much as a job: done once for so many firings. */
    private static final int PRUNE_EACH = 16;

    private static final Columns<Firing> AS_READ = new Columns<Firing>()
            .longs(f -> f.schedule().id())
            .longs(f -> f.schedule().revision());
    private static final Columns<Firing> SPANS = new Columns<Firing>()
            .longs(f -> f.schedule().id())
            .longs(f -> f.dueMillis().get(0))
            .longs(f -> f.dueMillis().get(f.dueMillis().size() - 1));
    private static final Columns<Run> RUNS = new Columns<Run>()
            .longs(Run::schedule)
            .longs(run -> run.of.fromMillis())
            .longs(run -> run.of.untilMillis())
            .longs(run -> run.of.runs())
            .longs(Run::job)
            .texts(run -> run.outcome.name());
    private static final Columns<Done> DONE = new Columns<Done>()
            .longs(done -> done.schedule.id())
            .longs(done -> done.schedule.revision())
            .longs(Done::next)
            .longs(Done::last)
            .longs(Done::lastJob);

    /** What became of due times of a schedule. */
    private record Run(
            long schedule,
            Firing.Missed of,
            ScheduleRun.Outcome outcome,
            @Nullable Long job) {}

    /** A schedule that was seen to. */
    private record Done(
            ScheduleRow schedule,
            @Nullable Long next,
            @Nullable Long last,
            @Nullable Long lastJob) {}

    private final PostgresTransaction tx;
    private final Map<Long, Set<Long>> made;
    private final Set<Long> goOn;
    private final Enqueues jobs;
    private final List<Run> runs = new ArrayList<>();
    private final List<Done> done = new ArrayList<>();
    private final Set<Long> prune = new HashSet<>();
    private int count;

    private Firings(PostgresTransaction tx, List<Firing> firings) throws SQLException {
        this.tx = tx;
        this.jobs = new Enqueues(tx);
        this.made = made(tx, firings);
        this.goOn = goOn(tx, firings);
    }

    /** How many ids they may need. */
    static int ids(List<Firing> firings) {
        return firings.stream().mapToInt(firing -> firing.dueMillis().size()).sum();
    }

    /** The names that their jobs use. */
    static void names(Names.Used used, List<Firing> firings) {
        used.actor(Schedules.ACTOR);
        for (Firing firing : firings) {
            JobRow job = firing.schedule().definition().job();
            used.lane(job.queue(), job.type());
        }
    }

    static Fired fire(PostgresTransaction tx, List<Firing> firings) throws SQLException {
        List<Firing> asRead = asRead(tx, firings);
        if (asRead.isEmpty()) {
            return new Fired(0, 0);
        }
        Firings all = new Firings(tx, asRead);
        for (Firing firing : asRead) {
            if (firing.stepBack()) {
                all.stepBack(firing.schedule());
            } else {
                all.fire(firing);
            }
        }
        all.write();
        return new Fired(asRead.size(), all.count);
    }

    /** Those whose schedules are as they were read, and locked from now on. */
    private static List<Firing> asRead(PostgresTransaction tx, List<Firing> firings) throws SQLException {
        Set<Long> locked = new HashSet<>();
        PostgresQuery lock = tx.statements().get(ScheduleSql.LOCK_SCHEDULES_AS_READ);
        lock.bind(1, AS_READ, firings);
        try (ResultSet rows = lock.rows()) {
            while (rows.next()) {
                locked.add(rows.getLong(1));
            }
        }
        return firings.stream()
                .filter(firing -> locked.contains(firing.schedule().id()))
                .toList();
    }

    /** The due times of these for which jobs were made before. */
    private static Map<Long, Set<Long>> made(PostgresTransaction tx, List<Firing> firings) throws SQLException {
        List<Firing> due =
                firings.stream().filter(firing -> !firing.dueMillis().isEmpty()).toList();
        PostgresQuery query = tx.statements().get(ScheduleSql.MADE_RUNS);
        query.bind(1, SPANS, due);
        return made(query);
    }

    private static Map<Long, Set<Long>> made(PostgresQuery query) throws SQLException {
        Map<Long, Set<Long>> made = new HashMap<>();
        try (ResultSet rows = query.rows()) {
            while (rows.next()) {
                made.computeIfAbsent(rows.getLong(1), schedule -> new HashSet<>())
                        .add(rows.getLong(2));
            }
        }
        return made;
    }

    /** The last jobs of those that do not overlap which go on. */
    private static Set<Long> goOn(PostgresTransaction tx, List<Firing> firings) throws SQLException {
        Set<Long> last = new HashSet<>();
        for (Firing firing : firings) {
            Long job = firing.schedule().lastJob();
            if (job != null && firing.schedule().definition().overlap() == Overlap.SKIP) {
                last.add(job);
            }
        }
        Set<Long> goOn = new HashSet<>();
        if (!last.isEmpty()) {
            try (ResultSet rows =
                    tx.statements().get(ScheduleSql.GO_ON).ids(1, last).rows()) {
                while (rows.next()) {
                    goOn.add(rows.getLong(1));
                }
            }
        }
        return goOn;
    }

    /** Due times of a schedule, which is locked, of which nothing came. */
    static void missed(PostgresTransaction tx, long schedule, Firing.@Nullable Missed missed) throws SQLException {
        if (missed != null) {
            PostgresQuery insert = tx.statements().get(ScheduleSql.INSERT_RUNS);
            insert.bind(1, RUNS, List.of(new Run(schedule, missed, ScheduleRun.Outcome.MISSED, null)));
            long unused = insert.set(7, tx.now()).one();
        }
    }

    /** Whether the chain in which a job is goes on. */
    static boolean goesOn(PostgresTransaction tx, long job) throws SQLException {
        return tx.statements().get(ScheduleSql.GO_ON).ids(1, List.of(job)).oneOrNull() != null;
    }

    private void fire(Firing firing) throws SQLException {
        ScheduleRow schedule = firing.schedule();
        long id = schedule.id();
        Set<Long> gone = made.getOrDefault(id, Set.of());
        List<Long> due =
                firing.dueMillis().stream().filter(at -> !gone.contains(at)).toList();
        int most = schedule.definition().overlap() == Overlap.ALLOW
                ? due.size()
                : schedule.lastJob() != null && goOn.contains(schedule.lastJob()) ? 0 : Math.min(1, due.size());
        Firing.Missed missed = firing.missed();
        if (missed != null) {
            runs.add(new Run(id, missed, ScheduleRun.Outcome.MISSED, null));
        }
        Long lastJob = schedule.lastJob();
        for (long at : due.subList(0, most)) {
            lastJob = make(schedule, at);
            runs.add(new Run(id, new Firing.Missed(at, at, 1L), ScheduleRun.Outcome.ENQUEUED, lastJob));
        }
        if (most < due.size()) {
            Firing.Missed skipped = new Firing.Missed(due.get(most), due.get(due.size() - 1), (long) due.size() - most);
            runs.add(new Run(id, skipped, ScheduleRun.Outcome.SKIPPED_OVERLAP, null));
        }
        Long last = firing.dueMillis().isEmpty()
                ? missed == null ? schedule.lastAtMillis() : Long.valueOf(missed.untilMillis())
                : firing.dueMillis().get(firing.dueMillis().size() - 1);
        done.add(new Done(schedule, firing.nextAtMillis(), last, lastJob));
        if (missed != null || due.size() > 1 || schedule.revision() % PRUNE_EACH == 0) {
            prune.add(id);
        }
        count += most;
    }

    private long make(ScheduleRow schedule, long due) throws SQLException {
        JobRow job = schedule.definition().job().by(Schedules.ACTOR, new JobRow.Scheduled(schedule.name(), due));
        List<EnqueuedJob> row = jobs.add(List.of(job), Map.of());
        return row.get(0).id();
    }

    private void write() throws SQLException {
        jobs.flush(HandOff.NONE);
        if (!runs.isEmpty()) {
            PostgresQuery insert = tx.statements().get(ScheduleSql.INSERT_RUNS);
            insert.bind(1, RUNS, runs);
            if (insert.set(7, tx.now()).one() != count) {
                throw new SQLException(
                        "some schedules have made jobs for due times for which they had made some before");
            }
        }
        PostgresQuery fired = tx.statements().get(ScheduleSql.FIRED_SCHEDULES);
        fired.bind(1, DONE, done);
        if (fired.set(6, tx.now()).update() != done.size()) {
            throw new SQLException("some schedules changed while they were seen to");
        }
        for (long id : prune) {
            tx.statements()
                    .get(ScheduleSql.PRUNE_RUNS)
                    .set(1, id)
                    .set(2, Integer.valueOf(KEPT_RUNS))
                    .update();
        }
        for (Done each : done) {
            if (each.next != null) {
                tx.scheduleDue(each.next);
            }
        }
        tx.wrote();
    }

    /** The clock was set back: what was missed after the present time comes again, that for which jobs were made does not. */
    private void stepBack(ScheduleRow schedule) throws SQLException {
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
        PostgresQuery later = tx.statements()
                .get(ScheduleSql.MADE_RUNS)
                .ids(1, List.of(schedule.id()))
                .ids(2, List.of(tx.now() + 1))
                .ids(3, List.of(Long.MAX_VALUE));
        Set<Long> gone = made(later).getOrDefault(schedule.id(), Set.of());
        Long next = schedule.timing().nextAfterStepBack(tx.now(), gone, forgotten);
        done.add(new Done(schedule, next, schedule.lastAtMillis(), schedule.lastJob()));
    }
}
