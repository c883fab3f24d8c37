package dev.windrow.limit;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.Durations;
import dev.windrow.InvalidRequestException;
import dev.windrow.validation.Bounds;
import java.time.Duration;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * How often jobs may start: so many in so much time, evenly spaced, and a few at once after a lull. It is the generic cell rate
 * algorithm (ITU-T I.371), a token bucket that needs one number of state: a start is put off until the earlier ones have
 * made room for it, none is dropped. Starts that were late by up to 20 ms do not put off the ones that follow, so that the rate
 * is kept over time.
 *
 * @param count how many, 1 to 1 000 000
 * @param per in how much time, 1 ms to 366 days; at most a thousand a millisecond
 * @param burst how many may start at once after a lull, 1 to 1 000 000
 */
@CheckReturnValue
public record Rate(int count, Duration per, int burst) {
    private static final int MOST = 1_000_000;
    private static final Duration LONGEST = Duration.ofDays(366);
    /** What the rate allows in this time may start at once unless something else is said: claims come in batches. */
    private static final int BATCH_MILLIS = 100;

    private static final Pattern TEXT = Pattern.compile("([0-9]{1,7})/([0-9]{0,9})(ms|s|m|h|d)");

    /** Checks the ranges. */
    public Rate {
        Bounds.range("rate", count, 1, MOST);
        Bounds.range("burst", burst, 1, MOST);
        if (per.toMillis() < 1 || per.compareTo(LONGEST) > 0) {
            throw new InvalidRequestException(
                    "rate per %s is not allowed: 1ms to %s".formatted(Durations.text(per), Durations.text(LONGEST)));
        }
        if (per.multipliedBy(burst).dividedBy(count).compareTo(LONGEST) > 0) {
            throw new InvalidRequestException(
                    "burst %d of rate %d in %s is not allowed: it would be made up for after %s"
                            .formatted(burst, count, Durations.text(per), Durations.text(LONGEST)));
        }
        if (count > per.toMillis() * 1000) {
            throw new InvalidRequestException("rate %d in %s is not allowed: at most a thousand a millisecond"
                    .formatted(count, Durations.text(per)));
        }
    }

    /** So many in so much time; as many at once as are due in 100 ms, at least one. */
    public static Rate of(int count, Duration per) {
        long batch = per.toMillis() < 1 ? 1 : count * (long) BATCH_MILLIS / per.toMillis();
        return new Rate(count, per, (int) Math.max(1, Math.min(MOST, batch)));
    }

    /** The same rate with so many at once after a lull. */
    public Rate withBurst(int burst) {
        return new Rate(count, per, burst);
    }

    /**
     * Reads {@code 10/s}, {@code 600/m}, {@code 5/2s}.
     *
     * @throws InvalidRequestException if it is none
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

    /** As {@link #parse} reads it; the burst is left out. */
    public String text() {
        String duration = Durations.text(per);
        return count + "/" + (duration.matches("1[a-z]+") ? duration.substring(1) : duration);
    }
}
