package dev.windrow.validation;

import dev.windrow.Durations;
import dev.windrow.InvalidRequestException;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The ranges of a job's fields. They are checked here, before anything is written. */
public final class Bounds {
    public static final int MAX_TAGS = 20;
    /** The maximum number of parents. A batch of twice as many takes most of the time limit of a call on a small machine. */
    public static final int MAX_PARENTS = 50_000;

    /** The deepest nesting of arrays and objects in JSON. */
    public static final int MAX_NESTING = 500;

    public static final Duration MAX_DELAY = Duration.ofDays(3650);
    public static final Instant MAX_INSTANT = Instant.parse("9999-12-31T00:00:00Z");

    private static final Pattern TYPE = Pattern.compile("[A-Za-z][A-Za-z0-9._-]{0,99}");
    private static final Pattern QUEUE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,99}");

    private Bounds() {}

    public static String type(String name) {
        if (!TYPE.matcher(name).matches()) {
            throw new InvalidRequestException(
                    "job type '%s' is not allowed: a letter, then up to 99 of A-Z a-z 0-9 . _ -"
                            .formatted(shortened(name)));
        }
        return name;
    }

    public static String queue(String name) {
        if (!QUEUE.matcher(name).matches()) {
            throw new InvalidRequestException(
                    "queue '%s' is not allowed: 1 to 100 of A-Z a-z 0-9 . _ -, beginning with a letter or digit"
                            .formatted(shortened(name)));
        }
        return name;
    }

    public static String schedule(String name) {
        if (!QUEUE.matcher(name).matches()) {
            throw new InvalidRequestException(
                    "schedule '%s' is not allowed: 1 to 100 of A-Z a-z 0-9 . _ -, beginning with a letter or digit"
                            .formatted(shortened(name)));
        }
        return name;
    }

    public static String concurrencyKey(String key) {
        return text("concurrency key", key, 200);
    }

    public static String dedupeKey(String key) {
        return text("dedupe key", key, 200);
    }

    public static int range(String what, int value, int min, int max) {
        if (value < min || value > max) {
            throw new InvalidRequestException("%s %d is not allowed: %d to %d".formatted(what, value, min, max));
        }
        return value;
    }

    public static Duration positive(String what, Duration value) {
        if (value.compareTo(Duration.ofMillis(1)) < 0 || value.compareTo(MAX_DELAY) > 0) {
            throw new InvalidRequestException("%s %s is not allowed: 1ms to %s"
                    .formatted(what, Durations.text(value), Durations.text(MAX_DELAY)));
        }
        return value;
    }

    /** Checks a delay: 0 to {@link #MAX_DELAY}. */
    public static Duration delay(String what, Duration value) {
        if (value.isNegative() || value.compareTo(MAX_DELAY) > 0) {
            throw new InvalidRequestException(
                    "%s %s is not allowed: 0s to %s".formatted(what, Durations.text(value), Durations.text(MAX_DELAY)));
        }
        return value;
    }

    /** Checks that a time can be stored. It may be in the past. */
    public static Instant instant(String what, Instant value) {
        if (value.isAfter(MAX_INSTANT)) {
            throw new InvalidRequestException("%s %s is not allowed: at most %s".formatted(what, value, MAX_INSTANT));
        }
        return value;
    }

    /** Returns an instant as stores keep times, to compare them by {@code <} and {@code >=}: the first millisecond not before it. */
    public static @Nullable Long millis(@Nullable Instant instant) {
        if (instant == null) {
            return null;
        }
        try {
            Instant nearly = instant.plusNanos(999_999);
            return nearly.toEpochMilli();
        } catch (ArithmeticException | DateTimeException e) {
            return instant.isBefore(Instant.EPOCH) ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    public static String text(String what, String value, int max) {
        if (value.isEmpty() || value.length() > max) {
            throw new InvalidRequestException("%s '%s' has %d characters: allowed are 1 to %d"
                    .formatted(what, shortened(value), value.length(), max));
        }
        return whole(what, noNul(what, value));
    }

    /** Refuses an unpaired surrogate, which has no bytes in UTF-8: another character would be stored, and two keys might become equal. */
    public static String whole(String what, String value) {
        if (value.codePoints().anyMatch(c -> Character.getType(c) == Character.SURROGATE)) {
            throw new InvalidRequestException(what + " holds an unpaired surrogate, which cannot be stored");
        }
        return value;
    }

    /** Refuses a NUL character, because it would end the text early for some readers of the file. */
    static String noNul(String what, String value) {
        if (value.indexOf('\0') >= 0) {
            throw new InvalidRequestException(what + " holds a NUL character, which cannot be stored");
        }
        return value;
    }

    public static String shortened(@Nullable String value) {
        return value == null || value.length() <= 120 ? String.valueOf(value) : value.substring(0, 117) + "...";
    }
}
