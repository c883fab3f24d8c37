package dev.windrow.schedule;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.Durations;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobRequest;
import dev.windrow.validation.Bounds;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A rule that enqueues a job repeatedly: at the times of a {@linkplain Cron cron expression}, or at a fixed interval. {@link Schedules#save} keeps it
 * in the store. Immutable: begin with {@link #cron} or {@link #every}; each {@code with} method returns a copy.
 *
 * <p>If the clock is set back by more than a minute, due times come again. The store keeps the newest 1000 outcomes of each schedule. A due time with
 * such an outcome makes a job only if it had made none. If there are 1000, the due times before them make no job after a step of at most a day. After
 * a larger step each may make a second one.
 */
@CheckReturnValue
public final class Schedule {
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    private final String name;
    private final Times times;
    private final JobRequest<?, ?> job;
    private final Misfire misfire;
    private final Overlap overlap;

    /** The times of its runs: a cron expression with a zone, or an interval, with a start or without one. */
    private record Times(
            @Nullable Cron cron,
            @Nullable ZoneId zone,
            @Nullable Duration every,
            @Nullable Instant startsAt) {}

    private Schedule(String name, Times times, JobRequest<?, ?> job, Misfire misfire, Overlap overlap) {
        this.name = Bounds.schedule(name);
        this.times = times;
        this.job = job;
        this.misfire = Objects.requireNonNull(misfire, "misfire");
        this.overlap = Objects.requireNonNull(overlap, "overlap");
        checkJob(name, job);
    }

    private static void checkJob(String name, JobRequest<?, ?> job) {
        String what = !job.parents().isEmpty()
                ? "depends on other jobs"
                : job.dedupe() != null
                        ? "has a dedupe key"
                        : job.delay() != null || job.runAt() != null
                                ? "has a delay or a run-at"
                                : job.externalCompletion() != null
                                        ? "waits for external completion"
                                        : job.traceparent() != null ? "has a trace context" : null;
        if (what != null) {
            throw new InvalidRequestException(
                    "the job of schedule '%s' %s, which is not allowed: each run enqueues a new copy of it"
                            .formatted(name, what));
        }
    }

    /**
     * Returns a schedule that runs at the times of a cron expression.
     *
     * @param name the name of the schedule in its store: 1 to 100 of {@code A-Z a-z 0-9 . _ -}, beginning with a letter or digit
     * @param expression the cron expression; see {@link Cron}
     * @param zone the zone of the expression's local times, such as {@code ZoneId.of("Europe/Berlin")}
     * @param job the job that each run enqueues
     * @throws InvalidRequestException if the name or the expression is not allowed. Also if the job depends on others, has a dedupe key, a delay or a
     *     run-at, waits for external completion, or has a trace context
     */
    public static Schedule cron(String name, String expression, ZoneId zone, JobRequest<?, ?> job) {
        Objects.requireNonNull(zone, "zone");
        return new Schedule(
                name, new Times(Cron.parse(expression), zone, null, null), job, Misfire.ONCE, Overlap.ALLOW);
    }

    /**
     * Returns a schedule that runs at a fixed interval, without drift: the k-th run is k intervals after the {@linkplain #withStartsAt start}.
     *
     * @param name the name of the schedule in its store: 1 to 100 of {@code A-Z a-z 0-9 . _ -}, beginning with a letter or digit
     * @param every the interval, 1 s to 3650 days
     * @param job the job that each run enqueues
     * @throws InvalidRequestException if the name or the interval is not allowed, or the job is not, as with {@link #cron}
     */
    public static Schedule every(String name, Duration every, JobRequest<?, ?> job) {
        if (every.compareTo(SHORTEST) < 0 || every.compareTo(Bounds.MAX_DELAY) > 0) {
            throw new InvalidRequestException("interval %s of schedule '%s' is not allowed: %s to %s"
                    .formatted(
                            Durations.text(every), name, Durations.text(SHORTEST), Durations.text(Bounds.MAX_DELAY)));
        }
        return new Schedule(name, new Times(null, null, every, null), job, Misfire.ONCE, Overlap.ALLOW);
    }

    /** Returns this schedule with another policy for missed due times; default {@link Misfire#ONCE}. */
    public Schedule withMisfire(Misfire misfire) {
        return new Schedule(name, times, job, misfire, overlap);
    }

    /** Returns this schedule with another policy for due times at which its last job has not ended; default {@link Overlap#ALLOW}. */
    public Schedule withOverlap(Overlap overlap) {
        return new Schedule(name, times, job, misfire, overlap);
    }

    /**
     * Returns this schedule with the first of the runs at a fixed interval; default one interval after the schedule is stored. If the instant has
     * passed, the runs have the same times as if the schedule had been stored before it.
     *
     * @param startsAt an instant from 1970 to the year 9999
     * @throws InvalidRequestException if the schedule has a cron expression, or the instant is out of range
     */
    public Schedule withStartsAt(Instant startsAt) {
        if (times.every == null) {
            throw new InvalidRequestException(
                    "schedule '%s' has a cron expression: a start is not allowed with it, only with an interval"
                            .formatted(name));
        }
        Bounds.instant("start of schedule '" + name + "'", startsAt);
        if (startsAt.isBefore(Instant.EPOCH)) {
            throw new InvalidRequestException("start %s of schedule '%s' is not allowed: %s at the earliest"
                    .formatted(startsAt, name, Instant.EPOCH));
        }
        return new Schedule(name, new Times(null, null, times.every, startsAt), job, misfire, overlap);
    }

    /** Returns the name. */
    public String name() {
        return name;
    }

    /** Returns the cron expression; null if the schedule has an interval. */
    public @Nullable Cron cron() {
        return times.cron;
    }

    /** Returns the zone of the expression's local times; null if the schedule has an interval. */
    public @Nullable ZoneId zone() {
        return times.zone;
    }

    /** Returns the interval between runs; null if the schedule has a cron expression. */
    public @Nullable Duration every() {
        return times.every;
    }

    /** Returns the first run at a fixed interval; null: one interval after the schedule is stored. */
    public @Nullable Instant startsAt() {
        return times.startsAt;
    }

    /** Returns the job that each run enqueues. */
    public JobRequest<?, ?> job() {
        return job;
    }

    /** Returns the policy for missed due times. */
    public Misfire misfire() {
        return misfire;
    }

    /** Returns the policy for due times at which its last job has not ended. */
    public Overlap overlap() {
        return overlap;
    }

    @Override
    public String toString() {
        return "Schedule[%s, %s]".formatted(name, times);
    }
}
