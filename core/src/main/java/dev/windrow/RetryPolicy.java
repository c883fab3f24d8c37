package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import java.time.Duration;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * The delay before the next attempt. The job's {@code maxAttempts} limits the number of attempts; the policy sets only the times between them. A
 * policy can be stored with a job. A {@linkplain #custom custom} policy cannot, because it is code of its type.
 */
@CheckReturnValue
public sealed interface RetryPolicy {
    /** The default: exponential from 1 s, times 4, at most 1 h, each delay spread by up to 20 % either way. */
    RetryPolicy DEFAULT = new Exponential(Duration.ofSeconds(1), 4.0, Duration.ofHours(1), 0.2);

    /**
     * Returns the delay before the next attempt.
     *
     * @param used the number of attempts that count so far, the failed one included; at least 1
     * @param random the source of jitter
     */
    Duration delay(int used, RandomGenerator random);

    /**
     * Returns the text form: {@code exponential(1000,4.0,3600000,0.2)} with initial delay, factor, maximum and jitter, {@code fixed(1000)}, or
     * {@code delays(1000,5000)}. Times are whole milliseconds.
     *
     * @throws InvalidRequestException if the policy is {@linkplain #custom custom}: code has no text form
     */
    String text();

    /**
     * Parses a {@linkplain #text text form}.
     *
     * @throws InvalidRequestException if the text is no policy, or a value is out of range
     */
    static RetryPolicy parse(String text) {
        return RetryPolicyText.parse(text);
    }

    /** Returns an exponential backoff with this first delay, and the default's factor, limit and jitter. */
    static RetryPolicy exponential(Duration initial) {
        return new Exponential(initial, 4.0, Duration.ofHours(1), 0.2);
    }

    /** Returns a policy with the same delay before each attempt. */
    static RetryPolicy fixed(Duration delay) {
        return new Fixed(delay);
    }

    /** Returns a policy with one delay for each retry. The last one applies to all further retries. */
    static RetryPolicy delays(Duration... delays) {
        return new Delays(List.of(delays));
    }

    /**
     * Returns a policy whose delays the program computes, for a type ({@link JobType#withRetry(RetryPolicy)}, {@link RetryRules}). It cannot be
     * stored with a job, so a single job cannot have it: the worker that runs the job would not know it.
     */
    static RetryPolicy custom(Backoff backoff) {
        return new Custom(backoff);
    }

    /** Computes delays. Called by many threads at once. */
    @FunctionalInterface
    interface Backoff {
        /**
         * Returns the delay before the next attempt. A negative one counts as zero. If this throws or returns null, {@link #DEFAULT} applies, and the
         * problem is logged.
         *
         * @param used the number of attempts that count so far, the failed one included; at least 1
         * @param random the source of jitter
         */
        Duration delay(int used, RandomGenerator random);
    }

    /**
     * An exponential backoff: multiplies the delay by a factor after each attempt, up to a limit. Then it spreads the delay evenly by a share of
     * itself, so that jobs that failed together are not retried together.
     *
     * @param initial the delay before the second attempt; positive
     * @param factor 1.0 to 1000
     * @param max the longest delay before jitter; at least {@code initial}
     * @param jitter the share of the delay by which it varies either way, 0.0 to 1.0
     */
    record Exponential(Duration initial, double factor, Duration max, double jitter) implements RetryPolicy {
        /**
         * Checks the ranges.
         *
         * @throws InvalidRequestException if a value is out of range
         */
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

        @Override
        public String text() {
            return "exponential(%d,%s,%d,%s)".formatted(initial.toMillis(), factor, max.toMillis(), jitter);
        }
    }

    /**
     * The same delay before each attempt.
     *
     * @param delay 0 or more
     */
    record Fixed(Duration delay) implements RetryPolicy {
        /**
         * Checks the range.
         *
         * @throws InvalidRequestException if the delay is negative
         */
        public Fixed {
            if (delay.isNegative()) {
                throw new InvalidRequestException(
                        "fixed retry delay %s is not allowed: 0s or more".formatted(Durations.text(delay)));
            }
        }

        @Override
        public Duration delay(int used, RandomGenerator random) {
            return delay;
        }

        @Override
        public String text() {
            return "fixed(%d)".formatted(delay.toMillis());
        }
    }

    /**
     * One delay for each retry.
     *
     * @param delays 1 to 20 delays, none negative. The last one applies to all further retries
     */
    record Delays(List<Duration> delays) implements RetryPolicy {
        /**
         * Copies the list and checks it.
         *
         * @throws InvalidRequestException if the number of delays is out of range, or one is negative
         */
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

        @Override
        public String text() {
            return delays.stream()
                    .map(delay -> Long.toString(delay.toMillis()))
                    .collect(Collectors.joining(",", "delays(", ")"));
        }
    }

    /**
     * A policy whose delays the program computes.
     *
     * @param backoff the function that computes them
     */
    record Custom(Backoff backoff) implements RetryPolicy {
        @Override
        public Duration delay(int used, RandomGenerator random) {
            return backoff.delay(used, random);
        }

        @Override
        public String text() {
            throw new InvalidRequestException("a custom retry policy has no text form: it is code of its type");
        }
    }
}
