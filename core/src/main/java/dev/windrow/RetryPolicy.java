package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;

/**
 * How long to wait before the next attempt. How many attempts there are is the job's {@code maxAttempts}; this only
 * spaces them. A policy can be stored with a job, except for a {@linkplain #custom custom} one, which is code and stays with its type.
 */
@CheckReturnValue
public sealed interface RetryPolicy {
    /** Exponential from 1 s, times 4, at most 1 h, each delay spread by up to 20 % either way. */
    RetryPolicy DEFAULT = new Exponential(Duration.ofSeconds(1), 4.0, Duration.ofHours(1), 0.2);

    /**
     * The delay before the next attempt.
     *
     * @param used attempts that count so far, the failed one included; at least 1
     * @param random where jitter comes from
     */
    Duration delay(int used, RandomGenerator random);

    /** Exponential backoff with the default's factor, limit and jitter. */
    static RetryPolicy exponential(Duration initial) {
        return new Exponential(initial, 4.0, Duration.ofHours(1), 0.2);
    }

    /** The same delay before each attempt. */
    static RetryPolicy fixed(Duration delay) {
        return new Fixed(delay);
    }

    /** One delay for each retry; the last one serves all further retries. */
    static RetryPolicy delays(Duration... delays) {
        return new Delays(List.of(delays));
    }

    /**
     * Delays of the program's own, for a type ({@link JobType#withRetry(RetryPolicy)}, {@link RetryRules}). It cannot be given
     * to a single job, for it cannot be stored with one: whoever runs the job would not know it.
     */
    static RetryPolicy custom(Backoff backoff) {
        return new Custom(backoff);
    }

    /** Computes delays; called by many threads at once. */
    @FunctionalInterface
    interface Backoff {
        /**
         * The delay before the next attempt; a negative one counts as none. When this throws or answers null, {@link #DEFAULT}
         * is taken, and the log says so.
         *
         * @param used attempts that count so far, the failed one included; at least 1
         * @param random where jitter comes from
         */
        Duration delay(int used, RandomGenerator random);
    }

    /**
     * Multiplies the delay by a factor after each attempt, up to a limit, then spreads it evenly by a share of itself so
     * that jobs which failed together do not come back together.
     *
     * @param initial before the second attempt; positive
     * @param factor at least 1.0
     * @param max the longest delay before jitter; at least {@code initial}
     * @param jitter share of the delay by which it varies either way, 0.0 to 1.0
     */
    record Exponential(Duration initial, double factor, Duration max, double jitter) implements RetryPolicy {
        /** Checks the ranges. */
        public Exponential {
            if (initial.isNegative() || initial.isZero() || max.compareTo(initial) < 0) {
                throw new InvalidRequestException(
                        "exponential backoff from %s to %s: the initial delay must be positive and at most the maximum"
                                .formatted(Durations.text(initial), Durations.text(max)));
            }
            if (!(factor >= 1.0) || factor > 1000 || !(jitter >= 0.0 && jitter <= 1.0)) {
                throw new InvalidRequestException(
                        "exponential backoff factor %s, jitter %s: allowed are 1.0 to 1000 and 0.0 to 1.0"
                                .formatted(factor, jitter));
            }
        }

        @Override
        public Duration delay(int used, RandomGenerator random) {
            double millis = (double) initial.toMillis() * Math.pow(factor, Math.max(0, used - 1));
            millis = Math.min(millis, (double) max.toMillis());
            double spread = jitter == 0 ? 1.0 : 1.0 - jitter + 2.0 * jitter * random.nextDouble();
            return Duration.ofMillis(Math.round(millis * spread));
        }
    }

    /**
     * The same delay before each attempt.
     *
     * @param delay not negative
     */
    record Fixed(Duration delay) implements RetryPolicy {
        /** Checks the range. */
        public Fixed {
            if (delay.isNegative()) {
                throw new InvalidRequestException("fixed retry delay %s is negative".formatted(Durations.text(delay)));
            }
        }

        @Override
        public Duration delay(int used, RandomGenerator random) {
            return delay;
        }
    }

    /**
     * One delay for each retry.
     *
     * @param delays one to 20 delays, none negative; the last one serves all further retries
     */
    record Delays(List<Duration> delays) implements RetryPolicy {
        /** Copies the list and checks it. */
        public Delays {
            delays = List.copyOf(delays);
            if (delays.isEmpty() || delays.size() > 20 || delays.stream().anyMatch(Duration::isNegative)) {
                throw new InvalidRequestException("retry delays %s: allowed are 1 to 20, none negative"
                        .formatted(delays.stream().map(Durations::text).toList()));
            }
        }

        @Override
        public Duration delay(int used, RandomGenerator random) {
            return delays.get(Math.min(Math.max(0, used - 1), delays.size() - 1));
        }
    }

    /**
     * What the program computes.
     *
     * @param backoff how
     */
    record Custom(Backoff backoff) implements RetryPolicy {
        @Override
        public Duration delay(int used, RandomGenerator random) {
            return backoff.delay(used, random);
        }
    }
}
