package dev.windrow.store.sql;

import dev.windrow.Durations;
import dev.windrow.JobState;
import dev.windrow.Statistics;
import dev.windrow.store.DueSchedules;
import dev.windrow.store.ScheduleRow;
import dev.windrow.store.WaitCycles;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/**
 * The checks of what is in the tables. Each runs in one snapshot, whatever is committed meanwhile. What those that read everything find goes
 * into findings of their caller, which may stop them.
 */
public final class DataChecks {
    /** The longest lease that a worker may have. */
    private static final Duration LONGEST_LEASE = Duration.ofHours(1);

    private DataChecks() {}

    /** Finds rows that belong to no job. */
    public static Finding orphans(Statements statements, Findings findings) throws SQLException {
        try (ResultSet rows = statements.get(Statement.ORPHANS).manyRows()) {
            while (rows.next()) {
                String state = rows.getString(3);
                findings.add("%s of job %s, which is %s"
                        .formatted(rows.getString(1), rows.getString(2), state == null ? "not there" : state));
            }
        }
        try (ResultSet rows = statements.get(Statement.WRONG_BLOBS).manyRows()) {
            while (rows.next()) {
                findings.add(rows.getString(1));
            }
        }
        return Finding.failedIfAny(findings, "nothing belongs to a job that is not there");
    }

    /**
     * A lease that ran out is a note: its worker may be about to renew it, and other workers take a job back only after they have
     * watched it for a while. It is a note too while no worker is alive: after all workers were killed, the next one takes
     * the jobs back. It is a failure when a worker is alive and none has taken the job back for a whole lease.
     *
     * @param now read before the snapshot began, so that no lease looks older than it was there
     */
    public static Finding leases(Statements statements, long now) throws SQLException {
        long living;
        long lease;
        // The oldest of them may have taken jobs back since then.
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
                    (living == 0 ? bad : notable).add(job + ": its lease ends later than any can, the clock went back");
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
                                            holderLives ? "" : ", and the worker is gone"));
                }
            }
        }
        String alive = living == 1 ? "1 worker is alive" : living + " workers are alive";
        String remedy = living == 0 ? ": start one, which takes them back)" : ")";
        if (!bad.isEmpty()) {
            return Finding.failed(bad + " (" + alive + remedy);
        }
        return notable.isEmpty()
                ? Finding.ok(alive + ", every running job has a lease")
                : Finding.note(notable + " (" + alive + remedy);
    }

    /** Finds queues that are paused, and that no live worker serves. */
    public static Finding queues(Statements statements, long now) throws SQLException {
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

    /** Finds ready jobs whose type no live worker handles. */
    public static Finding handlers(Statements statements, long now) throws SQLException {
        Findings findings = new Findings();
        var lanes = StatisticsQueries.lanes(statements).values();
        for (Statistics.Unhandled type :
                StatisticsQueries.liveWorkers(statements, lanes, now).unhandled()) {
            findings.add("%,d ready of type %s".formatted(type.count(), type.type()));
        }
        return findings.isEmpty()
                ? Finding.ok("a worker that is alive handles each type with ready jobs")
                : Finding.note("no worker that is alive handles " + findings);
    }

    /**
     * A schedule that is due is nothing yet: the next look finds it. It is something when a worker lives that could have seen to it for
     * a minute.
     *
     * @param bad gets what is wrong
     * @param now read before the snapshot began
     */
    public static Finding schedules(Statements statements, Findings bad, long now) throws SQLException {
        long living;
        try (ResultSet row = statements.get(Statement.LIVING).set(1, now).rows()) {
            row.next();
            living = row.getLong(1);
        }
        Findings notable = new Findings();
        List<ScheduleRow> all = Schedules.all(statements);
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
        if (!bad.isEmpty()) {
            return Finding.failed(bad.toString());
        }
        return notable.isEmpty()
                ? Finding.ok("%d %s, none overdue".formatted(all.size(), all.size() == 1 ? "schedule" : "schedules"))
                : Finding.note(notable + " (no worker is alive to see to them)");
    }

    /** Finds live workers whose handlers do not end. */
    public static Finding stuckSlots(Statements statements, long now) throws SQLException {
        Findings findings = new Findings();
        for (Statistics.Stuck stuck : StatisticsQueries.stuck(statements, now)) {
            findings.add("worker %s: %d slots have a handler that does not end though it was told to"
                    .formatted(stuck.worker(), stuck.slots()));
        }
        return Finding.noteIfAny(findings, "no handler is known to ignore its interrupt");
    }

    /**
     * Compares the counters with the jobs, and the sums of failures.
     *
     * @param counts jobs by lane and state, counted in the same snapshot
     */
    public static Finding counters(Statements statements, Findings findings, Map<Long, Map<JobState, Long>> counts)
            throws SQLException {
        long jobs = 0;
        for (Map<JobState, Long> ofLane : counts.values()) {
            for (long n : ofLane.values()) {
                jobs += n;
            }
        }
        for (StatisticsQueries.LaneCounts lane :
                StatisticsQueries.lanes(statements).values()) {
            Map<JobState, Long> counted = counts.getOrDefault(lane.id(), Map.of());
            for (JobState state : JobState.values()) {
                long n = counted.getOrDefault(state, 0L);
                long kept = lane.states().getOrDefault(state, 0L);
                if (n != kept) {
                    findings.add("%s of type %s in queue %s: the counter says %d, there are %d"
                            .formatted(state, lane.type(), lane.queue(), kept, n));
                }
            }
        }
        try (ResultSet rows = statements.get(Statement.WRONG_FAILURES).rows()) {
            while (rows.next()) {
                String code = rows.getString(1);
                findings.add("FAILED with %s: the sum says %d, there are %d"
                        .formatted(code.isEmpty() ? "no code" : "code " + code, rows.getLong(2), rows.getLong(3)));
            }
        }
        return Finding.failedIfAny(
                findings, "the counters agree with %,d %s".formatted(jobs, jobs == 1 ? "job" : "jobs"));
    }

    /** Finds edges that do not fit their jobs. */
    public static Finding edges(Statements statements, Findings findings) throws SQLException {
        try (ResultSet rows = statements.get(Statement.WRONG_OPEN_PARENTS).manyRows()) {
            while (rows.next()) {
                findings.add("job %s is %s with %d open parents and %d open edges"
                        .formatted(rows.getString(1), rows.getString(2), rows.getLong(3), rows.getLong(4)));
            }
        }
        try (ResultSet rows = statements.get(Statement.WRONG_EDGES).manyRows()) {
            while (rows.next()) {
                findings.add("the edge of job %s to job %s, which is %s, is %s (%s)"
                        .formatted(
                                rows.getString(1),
                                rows.getString(2),
                                rows.getString(3),
                                rows.getBoolean(5) ? "satisfied" : "open",
                                rows.getString(4)));
            }
        }
        try (ResultSet rows = statements.get(Statement.WRONG_RELEASES).manyRows()) {
            while (rows.next()) {
                findings.add("children of job %s are left since it was %s, and it is %s"
                        .formatted(rows.getString(1), rows.getString(2), rows.getString(3)));
            }
        }
        WaitCycles cycles = new WaitCycles();
        try (ResultSet rows = statements.get(Statement.WAITS).manyRows()) {
            while (rows.next()) {
                cycles.waits(rows.getLong(1), rows.getLong(2));
            }
        }
        cycles.describe().forEach(findings::add);
        return Finding.failedIfAny(findings, "blocked jobs and their edges agree");
    }

    /** Finds jobs whose columns do not fit their state. */
    public static Finding states(Statements statements, Findings findings) throws SQLException {
        try (ResultSet rows = statements.get(Statement.CONTRADICTIONS).manyRows()) {
            while (rows.next()) {
                findings.add("job %s is %s and %s".formatted(rows.getString(1), rows.getString(2), rows.getString(3)));
            }
        }
        return Finding.failedIfAny(findings, "no job's columns contradict its state");
    }

    /** Compares what is said of queues and types with their lanes, which repeat it, and which claims look at. */
    public static Finding controls(Statements statements) throws SQLException {
        Findings findings = new Findings();
        try (ResultSet rows = statements.get(Statement.DISOBEDIENT_LANES).rows()) {
            while (rows.next()) {
                findings.add("the lane of %s in queue %s does not do what is said of them: pause or resume one of them"
                        .formatted(rows.getString(2), rows.getString(1)));
            }
        }
        return Finding.failedIfAny(findings, "all lanes do what is said of their queues and types");
    }

    /** Finds attempts that do not fit their jobs. */
    public static Finding attempts(Statements statements, Findings findings) throws SQLException {
        try (ResultSet rows = statements.get(Statement.WRONG_ATTEMPTS).manyRows()) {
            while (rows.next()) {
                findings.add("an attempt of job %s has ended under token %d, the job is %s under token %d"
                        .formatted(rows.getString(1), rows.getLong(2), rows.getString(3), rows.getLong(4)));
            }
        }
        return Finding.failedIfAny(findings, "no attempt is ahead of its job");
    }
}
