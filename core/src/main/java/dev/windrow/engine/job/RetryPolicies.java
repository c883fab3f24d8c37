package dev.windrow.engine.job;

import dev.windrow.InvalidRequestException;
import dev.windrow.RetryPolicy;
import dev.windrow.store.SafeLogger;
import java.time.Duration;
import java.util.Arrays;
import java.util.random.RandomGenerator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The text form of policies that are stored with jobs, such as {@code exponential(1000,4.0,3600000,0.2)} with times in
 * milliseconds. Also the delays of custom policies, which are code.
 */
public final class RetryPolicies {
    private static final Logger log = SafeLogger.of(RetryPolicies.class);

    private static final Pattern FORM = Pattern.compile("(exponential|fixed|delays)\\(([0-9eE.,+-]+)\\)");

    private RetryPolicies() {}

    /**
     * Returns the text form of a policy.
     *
     * @throws IllegalArgumentException if the policy is custom, and has no text form
     */
    public static String encode(RetryPolicy policy) {
        if (policy instanceof RetryPolicy.Exponential exponential) {
            return "exponential(%d,%s,%d,%s)"
                    .formatted(
                            exponential.initial().toMillis(),
                            exponential.factor(),
                            exponential.max().toMillis(),
                            exponential.jitter());
        }
        if (policy instanceof RetryPolicy.Fixed fixed) {
            return "fixed(%d)".formatted(fixed.delay().toMillis());
        }
        if (policy instanceof RetryPolicy.Delays delays) {
            return delays.delays().stream()
                    .map(delay -> Long.toString(delay.toMillis()))
                    .collect(Collectors.joining(",", "delays(", ")"));
        }
        throw new IllegalArgumentException(policy + " has no text form");
    }

    /**
     * Reads a text form.
     *
     * @throws InvalidRequestException if the text is not a retry policy
     */
    public static RetryPolicy parse(String text) {
        Matcher form = FORM.matcher(text);
        RetryPolicy policy = null;
        try {
            if (form.matches()) {
                policy = of(form.group(1), form.group(2).split(",", -1));
            }
        } catch (NumberFormatException e) {
            throw new InvalidRequestException("retry policy '%s' has an unreadable number".formatted(text), e);
        }
        if (policy == null) {
            throw new InvalidRequestException(
                    "retry policy '%s' is not exponential(initial,factor,max,jitter), fixed(delay) or delays(a,b,...)"
                            .formatted(text.length() > 100 ? text.substring(0, 100) : text));
        }
        return policy;
    }

    private static @Nullable RetryPolicy of(String form, String[] numbers) {
        return switch (form) {
            case "exponential" ->
                numbers.length != 4
                        ? null
                        : new RetryPolicy.Exponential(
                                millis(numbers[0]),
                                Double.parseDouble(numbers[1]),
                                millis(numbers[2]),
                                Double.parseDouble(numbers[3]));
            case "fixed" -> numbers.length != 1 ? null : RetryPolicy.fixed(millis(numbers[0]));
            default ->
                RetryPolicy.delays(
                        Arrays.stream(numbers).map(RetryPolicies::millis).toArray(Duration[]::new));
        };
    }

    private static Duration millis(String number) {
        return Duration.ofMillis(Long.parseLong(number));
    }

    /** Returns the job's own policy, or the default policy if the job has none or its stored text is not readable. */
    public static RetryPolicy stored(@Nullable String text, RetryPolicy defaultPolicy, long job) {
        if (text == null) {
            return defaultPolicy;
        }
        try {
            return parse(text);
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
