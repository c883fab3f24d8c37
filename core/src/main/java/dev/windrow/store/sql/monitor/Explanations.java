package dev.windrow.store.sql.monitor;

import dev.windrow.AttemptOutcome;
import dev.windrow.Explanation;
import dev.windrow.Explanation.Reason;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;
import dev.windrow.store.limit.RateLimiter;
import dev.windrow.store.processes.LiveWorkers;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.limit.ConcurrencyKeys;
import dev.windrow.store.sql.limit.StoredLimits;
import dev.windrow.workflow.ParentPolicy;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;

/** The reasons why a job does not run. The reads are bounded: they grow neither with the number of jobs nor with the history of the job. */
public final class Explanations {
    /** The pause and limits of one target, with the time of the next start by its rate in microseconds. */
    private record Target(Limits limits, long nextStart) {
        boolean isKey() {
            return limits.target().kind() == LimitTarget.Kind.KEY;
        }
    }

    private final Statements statements;
    private final long now;
    private final long id;
    private final List<Reason> reasons = new ArrayList<>();

    private Explanations(Statements statements, long now, long id) {
        this.statements = statements;
        this.now = now;
        this.id = id;
    }

    /** Explains a job; empty if it does not exist. */
    public static Optional<Explanation> read(Statements statements, long id, long now) throws SQLException {
        try (ResultSet job = statements.get(Statement.EXPLAIN).set(1, id).rows()) {
            if (!job.next()) {
                return Optional.empty();
            }
            JobState state = JobState.valueOf(job.getString(3));
            Explanations explained = new Explanations(statements, now, id);
            switch (state) {
                case BLOCKED -> explained.blocked(job);
                case SCHEDULED -> explained.scheduled(job);
                case PENDING -> explained.pending(job);
                case RUNNING -> explained.running(job);
                case COMPLETED, FAILED, CANCELLED ->
                    explained.reasons.add(new Explanation.Ended(time(job, 14), job.getString(13)));
            }
            return Optional.of(new Explanation(id, state, explained.reasons));
        }
    }

    private static Instant time(ResultSet row, int column) throws SQLException {
        return Instant.ofEpochMilli(row.getLong(column));
    }

    private void blocked(ResultSet job) throws SQLException {
        if (JobInfo.Waiting.valueOf(job.getString(11)) == JobInfo.Waiting.EVENT) {
            reasons.add(new Explanation.WaitsForEvent(job.getString(22), time(job, 12)));
            return;
        }
        List<JobInfo.Dependency> parents = statements
                .get(Statement.EXPLAIN_PARENTS)
                .set(1, id)
                .set(2, Explanation.MAX_JOBS)
                .list(row -> new JobInfo.Dependency(
                        row.getLong(1), JobState.valueOf(row.getString(2)), ParentPolicy.valueOf(row.getString(3))));
        reasons.add(new Explanation.WaitsForParents(job.getInt(23), parents));
    }

    private void scheduled(ResultSet job) throws SQLException {
        Instant at = time(job, 5);
        int used = job.getInt(6);
        String errorCode = job.getString(13);
        reasons.add(
                used == 0 || errorCode == null || AttemptOutcome.SNOOZED.name().equals(job.getString(21))
                        ? new Explanation.Due(at)
                        : new Explanation.WaitsForRetry(used + 1, job.getInt(7), at, errorCode));
        paused(targets(job));
        workers(job);
    }

    private void pending(ResultSet job) throws SQLException {
        List<Target> targets = targets(job);
        paused(targets);
        workers(job);
        boolean waitsForPermit = job.getBoolean(10);
        for (Target target : targets) {
            // A job with a permit has passed the limits of its key.
            if (waitsForPermit || !target.isKey()) {
                limited(target);
            }
        }
        if (waitsForPermit) {
            key(job, targets);
        }
        if (reasons.isEmpty()) {
            long before = statements
                    .get(Statement.EXPLAIN_BEFORE)
                    .set(1, job.getString(1))
                    .set(2, job.getInt(4))
                    .set(3, job.getLong(5))
                    .set(4, id)
                    .set(5, Explanation.MAX_BEFORE)
                    .one();
            reasons.add(new Explanation.Ready((int) before));
        }
    }

    /** Returns the pauses and limits that concern the job: of its queue, its type and its key. */
    private List<Target> targets(ResultSet job) throws SQLException {
        List<Target> targets = statements
                .get(Statement.EXPLAIN_LIMITS)
                .set(1, job.getString(1))
                .set(2, job.getString(2))
                .set(3, job.getString(8))
                .list(row -> new Target(StoredLimits.of(row), row.getLong(10)));
        targets.sort(Comparator.comparing(target -> target.limits.target().kind()));
        return targets;
    }

    private void paused(List<Target> targets) {
        for (Target target : targets) {
            Limits.Pause pause = target.limits.pause();
            if (pause != null) {
                reasons.add(new Explanation.Paused(target.limits.target(), pause));
            }
        }
    }

    private void workers(ResultSet job) throws SQLException {
        String queue = job.getString(1);
        String type = job.getString(2);
        LiveWorkers live = StatisticsQueries.liveWorkers(statements, now);
        if (!live.serve(queue)) {
            reasons.add(new Explanation.QueueNotServed(queue));
        }
        if (!live.handle(queue, type)) {
            reasons.add(new Explanation.TypeNotHandled(type, live.similar(type)));
        }
        Integer minimum = live.minimum(queue, type);
        int priority = job.getInt(4);
        if (minimum != null && priority < minimum) {
            reasons.add(new Explanation.PriorityNotTaken(priority, minimum));
        }
    }

    private void limited(Target target) throws SQLException {
        LimitTarget which = target.limits.target();
        Integer max = target.limits.maxRunning();
        if (max != null && !target.isKey()) {
            boolean queue = which.kind() == LimitTarget.Kind.QUEUE;
            long running = statements
                    .get(Statement.EXPLAIN_RUNNING)
                    .set(1, queue ? which.name() : null)
                    .set(2, queue ? null : which.name())
                    .one();
            if (running >= max) {
                reasons.add(new Explanation.LimitReached(which, max, running));
            }
        }
        Rate rate = target.limits.rate();
        if (rate != null) {
            RateLimiter limiter = RateLimiter.at(rate, target.nextStart, now);
            if (limiter.allowed() == 0) {
                reasons.add(new Explanation.RateReached(which, rate, Instant.ofEpochMilli(limiter.opensAtMillis())));
            }
        }
    }

    private void key(ResultSet job, List<Target> targets) throws SQLException {
        String key = job.getString(8);
        ConcurrencyKey own = ConcurrencyKeys.key(key, Rows.longOrNull(job, 9));
        Integer limit = Stream.concat(
                        Stream.of(own.inSequence() ? Integer.valueOf(1) : own.maxRunning()),
                        targets.stream().filter(Target::isKey).map(target -> target.limits.maxRunning()))
                .filter(Objects::nonNull)
                .min(Comparator.naturalOrder())
                .orElse(null);
        List<Explanation.Holder> holders = statements
                .get(Statement.EXPLAIN_HOLDERS)
                .set(1, key)
                .set(2, Explanation.MAX_JOBS)
                .list(row -> new Explanation.Holder(row.getLong(1), JobState.valueOf(row.getString(2))));
        boolean full = limit != null && holders.size() >= Math.min(limit, Explanation.MAX_JOBS);
        boolean other = reasons.stream().anyMatch(Explanations::isOfKey);
        if (full || !other) {
            reasons.add(new Explanation.KeyHeld(key, limit, holders));
        }
    }

    private static boolean isOfKey(Reason reason) {
        return (reason instanceof Explanation.Paused paused && paused.target().kind() == LimitTarget.Kind.KEY)
                || (reason instanceof Explanation.RateReached rate
                        && rate.target().kind() == LimitTarget.Kind.KEY);
    }

    private void running(ResultSet job) throws SQLException {
        Instant started = Rows.instantOrNull(job, 17);
        Explanation.Running.Progress progress = job.getLong(18) <= now
                ? Explanation.Running.Progress.DEAD
                : job.getBoolean(20)
                        ? Explanation.Running.Progress.STUCK
                        : started == null ? Explanation.Running.Progress.CLAIMED : Explanation.Running.Progress.STARTED;
        reasons.add(new Explanation.Running(
                job.getString(15),
                Objects.requireNonNullElse(started, time(job, 16)),
                time(job, 19),
                time(job, 18),
                progress));
    }
}
