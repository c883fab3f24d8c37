package dev.windrow.cli.terminal;

import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The formats of times and durations on the command line. All times are in UTC. */
public final class Times {
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,12})(ms|s|m|h|d)");
    private static final DateTimeFormatter DATE_AND_TIME = format("yyyy-MM-dd HH:mm:ss");
    private static final DateTimeFormatter TIME = format("HH:mm:ss.SSS");

    private Times() {}

    private static DateTimeFormatter format(String pattern) {
        return DateTimeFormatter.ofPattern(pattern, Locale.ROOT).withZone(ZoneOffset.UTC);
    }

    /** Returns a time for readers: {@code 2026-11-21 10:00:00}. */
    public static String dateAndTime(Instant instant) {
        return DATE_AND_TIME.format(instant);
    }

    /** Returns a time of day for readers: {@code 10:00:00.123}. */
    public static String time(Instant instant) {
        return TIME.format(instant);
    }

    /** Parses a duration; returns null if the text is not one. */
    static @Nullable Duration duration(String text) {
        Matcher m = DURATION.matcher(text);
        if (!m.matches()) {
            return null;
        }
        long n = Long.parseLong(m.group(1));
        return switch (m.group(2)) {
            case "ms" -> Duration.ofMillis(n);
            case "s" -> Duration.ofSeconds(n);
            case "m" -> Duration.ofMinutes(n);
            case "h" -> Duration.ofHours(n);
            default -> Duration.ofDays(n);
        };
    }

    /** Parses an ISO-8601 time with an offset; returns null if the text is not one. */
    static @Nullable Instant instant(String text) {
        try {
            return OffsetDateTime.parse(text).toInstant();
        } catch (DateTimeException e) {
            return null;
        }
    }

    /**
     * Returns a duration in at most three digits and a unit: {@code 7 ms}, {@code 1.2 s}, {@code 3.0 m}, {@code 5 h}.
     */
    public static String length(Duration duration) {
        long millis = Math.abs(duration.toMillis());
        if (millis < 1000) {
            return millis + " ms";
        } else if (millis < 10_000) {
            return String.format(Locale.ROOT, "%.1f s", millis / 1000.0);
        } else if (millis < 120_000) {
            return millis / 1000 + " s";
        } else if (millis < 600_000) {
            return String.format(Locale.ROOT, "%.1f m", millis / 60_000.0);
        } else if (millis < 7_200_000) {
            return millis / 60_000 + " m";
        } else if (millis < 172_800_000) {
            return millis / 3_600_000 + " h";
        }
        return millis / 86_400_000 + " d";
    }

    /** Returns an instant relative to now: {@code 3 m ago}, {@code in 2 h}. */
    public static String relative(Instant instant, Instant now) {
        Duration since = Duration.between(instant, now);
        if (since.abs().toMillis() < 1000) {
            return "now";
        }
        return since.isNegative() ? "in " + length(since) : length(since) + " ago";
    }
}
