package dev.windrow;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What makes a job again and again: at the times of a {@linkplain Cron cron expression}, or at even distances. {@link Jobs#schedule} keeps
 * it in the store. Immutable: each option returns a copy.
 *
 * @param name its name, by which it is known in the store: 1 to 100 of {@code A-Z a-z 0-9 . _ -}
 * @param cron the cron expression; null with {@code every}
 * @param zone the zone whose clock on the wall the expression means; null with {@code every}
 * @param every the distance of the runs, 1 s to 3650 days; null with {@code cron}
 * @param startsAt the first run at even distances; null: so far after it is stored
 * @param job what each run enqueues
 * @param misfire what becomes of due times that have passed
 * @param overlap what to do when the last job has not ended
 */
public record Schedule(
        String name,
        @Nullable Cron cron,
        @Nullable ZoneId zone,
        @Nullable Duration every,
        @Nullable Instant startsAt,
        NewJob<?, ?> job,
        Misfire misfire,
        Overlap overlap) {
    private static final Duration SHORTEST = Duration.ofSeconds(1);

    /**
     * Checks the values.
     *
     * @throws InvalidRequestException if one is not allowed; if the job depends on others, has a dedupe key, says when it is to run, waits
     *     for outside, or has a trace context
     */
    public Schedule {
        Limits.schedule(name);
        Objects.requireNonNull(misfire, "misfire");
        Objects.requireNonNull(overlap, "overlap");
        if ((cron == null) == (every == null) || (cron == null) != (zone == null)) {
            throw new InvalidRequestException(
                    "schedule '%s' has either a cron expression with a zone, or a distance".formatted(name));
        }
        if (every != null && (every.compareTo(SHORTEST) < 0 || every.compareTo(Limits.MAX_DELAY) > 0)) {
            throw new InvalidRequestException("distance %s of schedule '%s' is not allowed: %s to %s"
                    .formatted(
                            Durations.text(every), name, Durations.text(SHORTEST), Durations.text(Limits.MAX_DELAY)));
        }
        if (startsAt != null) {
            if (every == null) {
                throw new InvalidRequestException(
                        "schedule '%s' has a cron expression, which says itself when it starts: no start beside it"
                                .formatted(name));
            }
            Limits.instant("start of schedule '" + name + "'", startsAt);
            if (startsAt.isBefore(Instant.EPOCH)) {
                throw new InvalidRequestException("start %s of schedule '%s' is not allowed: %s at the earliest"
                        .formatted(startsAt, name, Instant.EPOCH));
            }
        }
        checkJob(name, job);
    }

    private static void checkJob(String name, NewJob<?, ?> job) {
        String what = !job.parents().isEmpty()
                ? "depends on other jobs"
                : job.dedupe() != null
                        ? "has a dedupe key"
                        : job.delay() != null || job.runAt() != null
                                ? "says itself when it is to run"
                                : job.waitsForOutside() != null
                                        ? "waits for outside"
                                        : job.traceparent() != null ? "has a trace context" : null;
        if (what != null) {
            throw new InvalidRequestException(
                    "the job of schedule '%s' %s, which is not allowed: it is made anew for each run"
                            .formatted(name, what));
        }
    }

    /**
     * Runs at the times of a cron expression.
     *
     * @param zone the zone whose clock on the wall it means, such as {@code ZoneId.of("Europe/Berlin")}
     * @throws InvalidRequestException as {@link Cron#parse} and the constructor do
     */
    public static Schedule cron(String name, String expression, ZoneId zone, NewJob<?, ?> job) {
        return new Schedule(name, Cron.parse(expression), zone, null, null, job, Misfire.ONCE, Overlap.ALLOW);
    }

    /**
     * Runs at even distances, without drift: the k-th run is that many distances after the {@linkplain #startingAt start}.
     *
     * @param every 1 s to 3650 days
     * @throws InvalidRequestException as the constructor does
     */
    public static Schedule every(String name, Duration every, NewJob<?, ?> job) {
        return new Schedule(name, null, null, every, null, job, Misfire.ONCE, Overlap.ALLOW);
    }

    /** What becomes of due times that have passed; {@link Misfire#ONCE} by default. */
    public Schedule misfire(Misfire misfire) {
        return new Schedule(name, cron, zone, every, startsAt, job, misfire, overlap);
    }

    /** What to do when the last job has not ended; {@link Overlap#ALLOW} by default. */
    public Schedule overlap(Overlap overlap) {
        return new Schedule(name, cron, zone, every, startsAt, job, misfire, overlap);
    }

    /**
     * The first run of those at even distances, from 1970 to the year 9999; by default one distance after the schedule is stored. With one
     * that has passed, runs are where they would be had it been stored before.
     *
     * @throws InvalidRequestException if it has a cron expression, or the instant is out of range
     */
    public Schedule startingAt(Instant startsAt) {
        return new Schedule(name, cron, zone, every, startsAt, job, misfire, overlap);
    }
}
