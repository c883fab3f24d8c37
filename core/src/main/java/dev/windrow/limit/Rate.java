package dev.windrow.limit;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.Durations;
import dev.windrow.InvalidRequestException;
import dev.windrow.validation.Bounds;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A limit of starts: a number of jobs in a time, evenly spaced, with a burst after a lull. The rate limiter is the generic cell rate algorithm (ITU-T
 * I.371), a token bucket whose state is one number. A start is delayed until the rate allows it; none is dropped. A start that is up to 20 ms late
 * does not delay the following ones, so that the rate is kept over time.
 *
 * @param count the number of jobs, 1 to 1 000 000
 * @param per the time, 1 ms to 366 days. The rate is at most 1000 jobs in a millisecond
 * @param burst the number of jobs that may start at once after a lull, 1 to 1 000 000. The time of these starts at the given rate is at most 366 days
 */
@CheckReturnValue
public record Rate(int count, Duration per, int burst) {
    private static final int MOST = 1_000_000;
    private static final Duration LONGEST = Duration.ofDays(366);
    /** The time whose starts form the default burst, because claims come in batches. */
    private static final int BATCH_MILLIS = 100;

    private static final Pattern TEXT = Pattern.compile("([0-9]{1,7})/([0-9]{0,9})(ms|s|m|h|d)");

    /**
     * Checks the ranges.
     *
     * @throws InvalidRequestException if a value is out of range
     */
    public Rate {
        Bounds.range("rate", count, 1, MOST);
        Bounds.range("burst", burst, 1, MOST);
        if (per.toMillis() < 1 || per.compareTo(LONGEST) > 0) {
            throw new InvalidRequestException(
                    "rate per %s is not allowed: 1ms to %s".formatted(Durations.text(per), Durations.text(LONGEST)));
        }
        if (per.multipliedBy(burst).dividedBy(count).compareTo(LONGEST) > 0) {
            throw new InvalidRequestException(
                    "burst %d of rate %d in %s is not allowed: at this rate its starts would take longer than %s"
                            .formatted(burst, count, Durations.text(per), Durations.text(LONGEST)));
        }
        if (count > per.toMillis() * 1000) {
            throw new InvalidRequestException("rate %d in %s is not allowed: at most a thousand a millisecond"
                    .formatted(count, Durations.text(per)));
        }
    }

    /**
     * Returns a rate of this many jobs in this time. The burst is the number of starts in 100 ms, at least 1.
     *
     * @throws InvalidRequestException if a value is out of range
     */
    public static Rate of(int count, Duration per) {
        long batch = per.toMillis() < 1 ? 1 : count * (long) BATCH_MILLIS / per.toMillis();
        return new Rate(count, per, (int) Math.max(1, Math.min(MOST, batch)));
    }

    /**
     * Returns this rate with another burst after a lull.
     *
     * @throws InvalidRequestException if the burst is out of range
     */
    public Rate withBurst(int burst) {
        return new Rate(count, per, burst);
    }

    /**
     * Parses a rate, such as {@code 10/s}, {@code 600/m} or {@code 5/2s}.
     *
     * @throws InvalidRequestException if the text is no rate, or a value is out of range
     */
    public static Rate parse(String text) {
        Matcher m = TEXT.matcher(text);
        if (!m.matches()) {
            throw new InvalidRequestException(
                    "rate '%s' is not a number of jobs and a time, such as 10/s, 600/m or 5/2s"
                            .formatted(Bounds.shortened(text)));
        }
        long units = m.group(2).isEmpty() ? 1 : Long.parseLong(m.group(2));
        Duration unit = switch (m.group(3)) {
            case "ms" -> Duration.ofMillis(1);
            case "s" -> Duration.ofSeconds(1);
            case "m" -> Duration.ofMinutes(1);
            case "h" -> Duration.ofHours(1);
            default -> Duration.ofDays(1);
        };
        return of(Integer.parseInt(m.group(1)), unit.multipliedBy(units));
    }

    /** Returns the text that {@link #parse} reads, without the burst. */
    public String text() {
        String duration = Durations.text(per);
        return count + "/" + (duration.matches("1[a-z]+") ? duration.substring(1) : duration);
    }
}
