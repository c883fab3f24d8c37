package dev.windrow.engine;

import dev.windrow.InvalidRequestException;
import dev.windrow.RetryPolicy;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Reads the policies that are stored with jobs. */
final class RetryPolicies {
    private static final Logger log = LoggerFactory.getLogger(RetryPolicies.class);

    private RetryPolicies() {}

    /** The job's own policy, or the other one when it has none or the stored text cannot be read. */
    static RetryPolicy stored(@Nullable String text, RetryPolicy otherwise, long job) {
        if (text == null) {
            return otherwise;
        }
        try {
            return RetryPolicy.parse(text);
        } catch (InvalidRequestException e) {
            log.warn("Job {} uses {} instead of its own policy: {}", job, otherwise.encode(), e.getMessage());
            return otherwise;
        }
    }
}
