package dev.windrow.engine.job;

import dev.windrow.InvalidRequestException;
import dev.windrow.RetryPolicy;
import dev.windrow.store.SafeLogger;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The retry policies that are stored with jobs, and the delays of custom policies, which are code. */
public final class RetryPolicies {
    private static final Logger log = SafeLogger.of(RetryPolicies.class);

    private RetryPolicies() {}

    /** Returns the job's own policy, or the default policy if the job has none or its stored text is not readable. */
    public static RetryPolicy stored(@Nullable String text, RetryPolicy defaultPolicy, long job) {
        if (text == null) {
            return defaultPolicy;
        }
        try {
            return RetryPolicy.parse(text);
        } catch (InvalidRequestException e) {
            log.warn("Job {} uses {} instead of its own policy: {}", job, defaultPolicy, e.getMessage());
            return defaultPolicy;
        }
    }

    /**
     * Returns the delay of a policy. A custom policy is the program's own code; if it fails, the default policy gives
     * the delay.
     */
    public static Duration delay(RetryPolicy policy, int used, RandomGenerator random) {
        if (!(policy instanceof RetryPolicy.Custom)) {
            return policy.delay(used, random);
        }
        try {
            Duration delay = policy.delay(used, random);
            if (delay != null) {
                return delay;
            }
            log.error("{} returned null; {} gives the delay of the next attempt", policy, RetryPolicy.DEFAULT);
        } catch (Throwable e) {
            log.error("{} failed; {} gives the delay of the next attempt", policy, RetryPolicy.DEFAULT, e);
        }
        return RetryPolicy.DEFAULT.delay(used, random);
    }
}
