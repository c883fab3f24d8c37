package dev.windrow;

import dev.windrow.validation.Bounds;
import java.time.Duration;
import java.util.Arrays;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The reader of the text form of retry policies. */
final class RetryPolicyText {
    private static final Pattern FORM = Pattern.compile("(exponential|fixed|delays)\\(([0-9eE.,+-]+)\\)");

    private RetryPolicyText() {}

    static RetryPolicy parse(String text) {
        Matcher form = FORM.matcher(text);
        RetryPolicy policy = null;
        try {
            if (form.matches()) {
                policy = of(form.group(1), form.group(2).split(",", -1));
            }
        } catch (NumberFormatException e) {
            throw new InvalidRequestException(
                    "retry policy '%s' has an unreadable number: times are whole milliseconds"
                            .formatted(Bounds.shortened(text)),
                    e);
        }
        if (policy == null) {
            throw new InvalidRequestException(
                    "retry policy '%s' is not exponential(initial,factor,max,jitter), fixed(delay) or delays(a,b,...), with times in milliseconds"
                            .formatted(Bounds.shortened(text)));
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
                        Arrays.stream(numbers).map(RetryPolicyText::millis).toArray(Duration[]::new));
        };
    }

    private static Duration millis(String number) {
        return Duration.ofMillis(Long.parseLong(number));
    }
}
