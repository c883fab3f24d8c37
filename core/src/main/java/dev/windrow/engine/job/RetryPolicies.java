package dev.windrow.engine.job;

import dev.windrow.InvalidRequestException;
import dev.windrow.RetryPolicy;
import dev.windrow.store.SafeLogger;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Reads the policies that are stored with jobs, and asks those that are code. */
public final class RetryPolicies {
    private static final Logger log = SafeLogger.of(RetryPolicies.class);

    private RetryPolicies() {}

    /** The job's own policy, or the other one when it has none or the stored text cannot be read. */
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

    /** The delay of a policy, which may be the program's own code: where that fails, the default's. */
    public static Duration delay(RetryPolicy policy, int used, RandomGenerator random) {
        if (!(policy instanceof RetryPolicy.Custom)) {
            return policy.delay(used, random);
        }
        try {
            Duration delay = policy.delay(used, random);
            if (delay != null) {
                return delay;
            }
            log.error("{} answered null; the next attempt comes as {} says", policy, RetryPolicy.DEFAULT);
        } catch (Throwable e) {
            log.error("{} failed; the next attempt comes as {} says", policy, RetryPolicy.DEFAULT, e);
        }
        return RetryPolicy.DEFAULT.delay(used, random);
    }
}
