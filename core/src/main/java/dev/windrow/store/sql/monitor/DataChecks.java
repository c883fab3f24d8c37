package dev.windrow.store.sql.monitor;

import static dev.windrow.store.sql.monitor.Check.rows;

import dev.windrow.Durations;
import dev.windrow.JobState;
import dev.windrow.monitor.Statistics;
import dev.windrow.store.job.Claim;
import dev.windrow.store.processes.LiveWorkers;
import dev.windrow.store.schedule.DueSchedules;
import dev.windrow.store.schedule.ScheduleRow;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.monitor.Check.Reach;
import dev.windrow.store.sql.monitor.Check.Search;
import dev.windrow.store.sql.schedule.ScheduleTable;
import dev.windrow.store.workflow.WaitCycles;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The checks that both stores make. Each runs in one snapshot, which later commits do not change. */
public final class DataChecks {
    /** The longest lease that a worker may have. */
    private static final Duration LONGEST_LEASE = Duration.ofHours(1);

    /** The remedy for damage that no program of the project causes. */
    public static final String BY_HAND =
            "the tables were edited by hand, or a copy is damaged: undo that, or restore a backup";

    /** Finds running jobs whose lease has expired, or cannot be right. */
    public static final Check<Examined> LEASES =
            atTime("leases", "start a worker, which reclaims such jobs: windrow work", DataChecks::leases);

    /** Finds queues with ready jobs that no live worker serves. */
    public static final Check<Examined> QUEUES = atTime("queues", null, DataChecks::queues);

    /** Finds ready jobs whose type no live worker handles. */
    public static final Check<Examined> HANDLERS = atTime("handlers", null, DataChecks::handlers);

    /** Finds live workers with stuck handlers. */
    public static final Check<Examined> STUCK_SLOTS = atTime("stuck-slots", null, DataChecks::stuckSlots);

    /** Compares the counters and the sums of failures with the jobs. */
    public static final Check<Examined> COUNTERS = new Check<>(
            "counters",
            Reach.ALL_ROWS,
            "sums of failures: 'windrow cleanup' corrects them; other counters: " + BY_HAND,
            (store, findings) -> store.inSnapshot(statements -> counters(statements, findings)));

    /** Finds edges that do not fit their jobs. */
    public static final Check<Examined> EDGES = Check.failingIfAny(
            "edges",
            Reach.ALL_ROWS,
            "jobs that wait for each other: 'windrow cancel' one of them; other edges: " + BY_HAND,
            "blocked jobs and their edges agree",
            rows(
                    Statement.WRONG_OPEN_PARENTS,
                    row -> "job %s is %s with %d open parents and %d open edges"
                            .formatted(row.getString(1), row.getString(2), row.getLong(3), row.getLong(4))),
            rows(
                    Statement.WRONG_EDGES,
                    row -> "the edge of job %s to job %s, which is %s, is %s (%s)"
                            .formatted(
                                    row.getString(1),
                                    row.getString(2),
                                    row.getString(3),
                                    row.getBoolean(5) ? "satisfied" : "open",
                                    row.getString(4))),
            rows(
                    Statement.WRONG_RELEASES,
                    row -> "the children of job %s were to be released when it was %s, but it is %s"
                            .formatted(row.getString(1), row.getString(2), row.getString(3))),
            DataChecks::cycles);

    /** Compares pauses and limits of queues and types with their copies in the lanes, which claims read. */
    public static final Check<Examined> LIMITS = Check.failingIfAny(
            "limits",
            Reach.GLANCE,
            "set the pause or the limit again: windrow pause, resume or limit",
            "all lanes agree with the limits of their queues and types",
            rows(
                    Statement.LANES_TO_LIMIT,
                    row -> "the lane of %s in queue %s does not agree with their limits: pause or resume one of them"
                            .formatted(row.getString(2), row.getString(1))));

    /** Finds attempts that do not fit their jobs. */
    public static final Check<Examined> ATTEMPTS = Check.failingIfAny(
            "attempts",
            Reach.ALL_ROWS,
            BY_HAND,
            "every attempt agrees with its job and the log",
            rows(
                    Statement.WRONG_ATTEMPTS,
                    row ->
                            "a %s attempt of job %s has ended under token %d in run %d, the job is %s under token %d in run %d"
                                    .formatted(
                                            row.getString(7),
                                            row.getString(1),
                                            row.getLong(2),
                                            row.getInt(5),
                                            row.getString(3),
                                            row.getLong(4),
                                            row.getInt(6))),
            rows(
                    Statement.UNLOGGED_FAILURES,
                    row -> "the log of job %s has no event under token %d, whose attempt is %s"
                            .formatted(row.getString(1), row.getLong(2), row.getString(3))));

    private static final Search WRONG_FAILURES = rows(Statement.WRONG_FAILURES, row -> {
        String code = row.getString(1);
        return "FAILED with %s: the sum is %d, the number of jobs is %d"
                .formatted(code.isEmpty() ? "no code" : "code " + code, row.getLong(2), row.getLong(3));
    });

    private DataChecks() {}

    /**
     * Compares the query plans of statements with the indexes that they need, and runs the statements that only read.
     *
     * @param misled the remedy if no index was dropped, and the database chooses another plan by its statistics
     */
    public static Check<Examined> plans(String misled) {
        return new Check<>(
                "plans",
                Reach.GLANCE,
                "an index was dropped: make it again as in the migrations; or statistics mislead: " + misled,
                PlanChecks::plans);
    }

    /** Checks the database's own structure. */
    public static <D extends Examined> Check<D> integrity(Reach reach, Check.Look<D> look) {
        return new Check<>(
                Check.INTEGRITY,
                reach,
                "stop the workers and keep a copy first; then restore a backup, or recover what can be read (sqlite3 FILE .recover; REINDEX on a server)",
                look);
    }

    /** Finds rows that belong to no job, by shared searches and by these of the store. */
    public static Check<Examined> orphans(Search... more) {
        return Check.failingIfAny(
                "orphans",
                Reach.ALL_ROWS,
                BY_HAND,
                "every row belongs to a job that exists",
                and(
                        more,
                        rows(Statement.ORPHANS, row -> {
                            String state = row.getString(3);
                            return "%s of job %s, which is %s"
                                    .formatted(row.getString(1), row.getString(2), state == null ? "missing" : state);
                        }),
                        rows(Statement.WRONG_BLOBS, row -> row.getString(1))));
    }

    /** Finds jobs whose columns contradict their state, by shared searches and by these of the store. */
    public static Check<Examined> states(Search... more) {
        return Check.failingIfAny(
                "states",
                Reach.ALL_ROWS,
                BY_HAND,
                "no job's columns contradict its state",
                and(
                        more,
                        rows(
                                Statement.CONTRADICTIONS,
                                row -> "job %s is %s and %s"
                                        .formatted(row.getString(1), row.getString(2), row.getString(3))),
                        rows(
                                Statement.WRONG_EVENTS,
                                row -> "job %s is %s, and its log has an event %s, which it must not have"
                                        .formatted(row.getString(1), row.getString(2), row.getString(3)))));
    }

    private static Search[] and(Search[] more, Search... first) {
        return Stream.concat(Stream.of(first), Stream.of(more)).toArray(Search[]::new);
    }

    /** Finds schedules that cannot be read or that no worker runs, by shared searches and by these of the store. */
    public static Check<Examined> schedules(Search... more) {
        return atTime(
                "schedules",
                "save the schedule again: windrow schedule add NAME ...; if it makes no jobs, read the worker's log",
                (statements, now) -> schedules(statements, now, more));
    }

    /** A check with the time from before its snapshot. */
    private interface AtTime {
        Finding look(Statements statements, long now) throws SQLException;
    }

    private static Check<Examined> atTime(String name, @Nullable String remedy, AtTime look) {
        return new Check<>(name, Reach.GLANCE, remedy, (store, findings) -> {
            long now = store.now();
            return store.inSnapshot(statements -> look.look(statements, now));
        });
    }

    /**
     * Checks leases. An expired lease is a note. Its worker may be about to renew it, and other workers reclaim a job only after they have watched it
     * for a while. It is a note, too, while no worker is alive: after all workers were killed, the next one reclaims the jobs. It is a failure when a
     * worker is alive and none has reclaimed the job for a whole lease.
     */
    private static Finding leases(Statements statements, long now) throws SQLException {
        long living;
        long lease;
        // The first start of a live worker. Since then it may have reclaimed jobs.
        long since;
        try (ResultSet row = statements.get(Statement.LIVING).set(1, now).rows()) {
            row.next();
            living = row.getLong(1);
            lease = row.getLong(2);
            since = row.getLong(3);
        }
        Findings bad = new Findings();
        Findings notable = new Findings();
        Query leases = statements.get(Statement.DOUBTFUL_LEASES).set(1, now).set(2, now + LONGEST_LEASE.toMillis());
        try (ResultSet rows = leases.manyRows()) {
            while (rows.next()) {
                String job = "job %s of worker %s".formatted(rows.getString(1), rows.getString(2));
                long leaseUntil = rows.getLong(3);
                boolean holderLives = rows.getLong(4) > now;
                if (leaseUntil > now + LONGEST_LEASE.toMillis()) {
                    (living == 0 ? bad : notable)
                            .add(job + ": its lease ends later than any lease can: the clock was set back");
                } else if (leaseUntil >= now) {
                    notable.add(job + ": its worker is not in the registry, its lease ends in "
                            + Durations.text(Duration.ofMillis(leaseUntil - now)));
                } else {
                    boolean late = living > 0 && now - Math.max(leaseUntil, since) > lease;
                    (late ? bad : notable)
                            .add("%s: its lease ran out %s ago%s"
                                    .formatted(
                                            job,
                                            Durations.text(Duration.ofMillis(now - leaseUntil)),
                                            holderLives ? "" : ", and its worker is dead"));
                }
            }
        }
        String alive = living == 1 ? "1 worker is alive" : living + " workers are alive";
        String remedy = living == 0 ? ": start one, which reclaims the jobs)" : ")";
        if (!bad.isEmpty()) {
            return Finding.failed(bad + " (" + alive + remedy);
        }
        return notable.isEmpty()
                ? Finding.ok(alive + ", every running job has a lease")
                : Finding.note(notable + " (" + alive + remedy);
    }

    private static Finding queues(Statements statements, long now) throws SQLException {
        Findings findings = new Findings();
        var lanes = StatisticsQueries.lanes(statements).values();
        for (Statistics.Unserved queue :
                StatisticsQueries.liveWorkers(statements, lanes, now).unserved()) {
            findings.add("queue '%s' (%,d ready)".formatted(queue.queue(), queue.count()));
        }
        return findings.isEmpty()
                ? Finding.ok("a live worker serves each queue with ready jobs")
                : Finding.note("no live worker serves " + findings);
    }

    private static Finding handlers(Statements statements, long now) throws SQLException {
        Findings findings = new Findings();
        var lanes = StatisticsQueries.lanes(statements).values();
        LiveWorkers live = StatisticsQueries.liveWorkers(statements, lanes, now);
        for (Statistics.Unhandled type : live.unhandled()) {
            findings.add("%,d ready of type %s%s"
                    .formatted(
                            type.count(),
                            type.type(),
                            type.similar() == null ? "" : " (a live worker handles %s)".formatted(type.similar())));
        }
        for (StatisticsQueries.LaneCounts lane : lanes) {
            Integer minimum = live.minimum(lane.queue(), lane.type());
            if (minimum != null && minimum > Claim.EVERY_PRIORITY) {
                Long lowest =
                        statements.get(Statement.LOWEST_READY).set(1, lane.id()).oneOrNull();
                if (lowest != null && lowest < minimum) {
                    findings.add("priority %d of type %s in queue '%s' (minimum %d)"
                            .formatted(lowest, lane.type(), lane.queue(), minimum));
                }
            }
        }
        return findings.isEmpty()
                ? Finding.ok("a worker that is alive handles each type with ready jobs")
                : Finding.note("no worker that is alive handles " + findings);
    }

    private static Finding stuckSlots(Statements statements, long now) throws SQLException {
        Findings findings = new Findings();
        for (Statistics.Stuck stuck : StatisticsQueries.stuck(statements, now)) {
            findings.add("worker %s: %d slots have a handler that ignores its interrupt"
                    .formatted(stuck.worker(), stuck.slots()));
        }
        return Finding.noteIfAny(findings, "no handler is known to ignore its interrupt");
    }

    /**
     * Checks schedules. A due schedule alone is no finding, because the next poll finds it. It is a failure if it has been due for a minute while a
     * worker was alive that could have run it.
     */
    private static Finding schedules(Statements statements, long now, Search... more) throws SQLException {
        long living;
        try (ResultSet row = statements.get(Statement.LIVING).set(1, now).rows()) {
            row.next();
            living = row.getLong(1);
        }
        Findings bad = new Findings();
        Findings notable = new Findings();
        List<ScheduleRow> all = ScheduleTable.all(statements);
        for (ScheduleRow schedule : all) {
            String problem = schedule.problem(now);
            long overdue = schedule.overdueMillis(now);
            if (problem != null) {
                bad.add("schedule %s %s".formatted(schedule.name(), problem));
            } else if (overdue > DueSchedules.TOLERANCE_MILLIS) {
                (living == 0 ? notable : bad)
                        .add("schedule %s has been due for %s"
                                .formatted(schedule.name(), Durations.text(Duration.ofMillis(overdue))));
            }
        }
        for (Search search : more) {
            search.search(statements, bad);
        }
        if (!bad.isEmpty()) {
            return Finding.failed(bad.toString());
        }
        return notable.isEmpty()
                ? Finding.ok("%d %s, none overdue".formatted(all.size(), all.size() == 1 ? "schedule" : "schedules"))
                : Finding.note(notable + " (no worker is alive to run them)");
    }

    private static Finding counters(Statements statements, Findings findings) throws SQLException {
        Map<Long, Map<JobState, Long>> counts = new HashMap<>();
        long jobs = 0;
        try (ResultSet rows = statements.get(Statement.COUNT_JOBS).rows()) {
            while (rows.next()) {
                Map<JobState, Long> ofLane =
                        counts.computeIfAbsent(rows.getLong(1), lane -> new EnumMap<>(JobState.class));
                int column = 2;
                for (JobState state : JobState.values()) {
                    long n = rows.getLong(column++);
                    ofLane.put(state, n);
                    jobs += n;
                }
            }
        }
        for (StatisticsQueries.LaneCounts lane :
                StatisticsQueries.lanes(statements).values()) {
            Map<JobState, Long> counted = counts.getOrDefault(lane.id(), Map.of());
            for (JobState state : JobState.values()) {
                long n = counted.getOrDefault(state, 0L);
                long kept = lane.states().getOrDefault(state, 0L);
                if (n != kept) {
                    findings.add("%s of type %s in queue %s: the counter is %d, the number of jobs is %d"
                            .formatted(state, lane.type(), lane.queue(), kept, n));
                }
            }
        }
        WRONG_FAILURES.search(statements, findings);
        return Finding.failedIfAny(
                findings, "the counters agree with %,d %s".formatted(jobs, jobs == 1 ? "job" : "jobs"));
    }

    private static void cycles(Statements statements, Findings findings) throws SQLException {
        WaitCycles cycles = new WaitCycles();
        try (ResultSet rows = statements.get(Statement.WAITS).manyRows()) {
            while (rows.next()) {
                cycles.waits(rows.getLong(1), rows.getLong(2));
            }
        }
        cycles.describe().forEach(findings::add);
    }
}
