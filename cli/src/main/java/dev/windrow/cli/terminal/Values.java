package dev.windrow.cli.terminal;

import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.cli.UsageException;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Locale;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Reads the values of options. Each method takes the option as the user wrote it, so that an error names the option,
 * the value and the allowed values.
 */
public final class Values {
    private static final Pattern INTEGER = Pattern.compile("[+-]?[0-9]{1,18}");
    private static final Pattern ID = Pattern.compile("[0-9]{1,19}");

    private static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

    private Values() {}

    public static int integer(String option, String text, int min, int max) {
        return integer(option, text, min, max, "");
    }

    /** Returns null for the given word, else the value. */
    public static @Nullable Integer integerOr(String word, String option, String text, int min, int max) {
        return text.equals(word) ? null : (Integer) integer(option, text, min, max, ", or " + word);
    }

    private static int integer(String option, String text, int min, int max, String more) {
        if (INTEGER.matcher(text).matches()) {
            long value = Long.parseLong(text);
            if (value >= min && value <= max) {
                return (int) value;
            }
        }
        throw notAllowed(option, text, min + " to " + max + more);
    }

    public static Duration duration(String option, String text, String min, String max) {
        return duration(option, text, min, max, "");
    }

    /** Returns null for the given word, else the value. */
    public static @Nullable Duration durationOr(String word, String option, String text, String min, String max) {
        return text.equals(word) ? null : duration(option, text, min, max, ", or " + word);
    }

    private static Duration duration(String option, String text, String min, String max, String more) {
        Duration value = Times.duration(text);
        if (value == null) {
            throw notAllowed(option, text, min + " to " + max + ", a number with ms, s, m, h or d" + more);
        }
        if (!between(value, Times.duration(min), Times.duration(max))) {
            throw notAllowed(option, text, min + " to " + max + more);
        }
        return value;
    }

    private static boolean between(Duration value, @Nullable Duration min, @Nullable Duration max) {
        return min != null && max != null && value.compareTo(min) >= 0 && value.compareTo(max) <= 0;
    }

    public static Instant instant(String option, String text) {
        Instant value = Times.instant(text);
        if (value == null) {
            throw notAllowed(option, text, "ISO-8601 with an offset, such as 2026-11-21T18:00:00+01:00 or ...Z");
        }
        if (value.isBefore(FIRST) || value.isAfter(LAST)) {
            throw notAllowed(option, text, "a time in the years 0 to 9999");
        }
        return value;
    }

    public static long id(String option, String text) {
        long value = number(text);
        if (value > 0) {
            return value;
        }
        throw notAllowed(option, text, "a job id, 1 to " + Long.MAX_VALUE);
    }

    public static long workflow(String option, String text) {
        long value = number(text);
        if (value > 0) {
            return value;
        }
        throw notAllowed(option, text, "a workflow id, 1 to " + Long.MAX_VALUE);
    }

    public static long version(String option, String text) {
        long value = number(text);
        if (value >= 0) {
            return value;
        }
        throw notAllowed(option, text, "the version of a job, 0 to " + Long.MAX_VALUE);
    }

    public static long cursor(String option, String text, String key) {
        long value = number(text);
        if (value >= 0) {
            return value;
        }
        throw notAllowed(option, text, "the cursor in '%s' of a page".formatted(key));
    }

    /** Parses digits and nothing else; returns -1 for other text or a number that is too large. */
    private static long number(String text) {
        try {
            return ID.matcher(text).matches() ? Long.parseLong(text) : -1;
        } catch (NumberFormatException e) {
            return -1;
        }
    }

    /**
     * Returns a path. An empty one is refused, because it comes from an unset variable of a script and would mean the
     * current folder.
     */
    public static String path(String option, String text, String what) {
        if (text.isEmpty()) {
            throw notAllowed(option, text, what);
        }
        return text;
    }

    /** Returns a constant of an enum, by its name in any case, with {@code -} for {@code _}. */
    public static <E extends Enum<E>> E choice(String option, String text, Class<E> choices) {
        E[] all = choices.getEnumConstants();
        for (E each : all) {
            if (each.name().equalsIgnoreCase(text.replace('-', '_'))) {
                return each;
            }
        }
        boolean capitals = choices == JobState.class;
        throw notAllowed(
                option,
                text,
                Arrays.stream(all)
                        .map(each -> capitals
                                ? each.name()
                                : each.name().toLowerCase(Locale.ROOT).replace('_', '-'))
                        .collect(Collectors.joining(", ")));
    }

    /** Adds the option to the library's error about a value. */
    public static <T> T named(String option, Supplier<T> use) {
        try {
            return use.get();
        } catch (InvalidRequestException e) {
            throw new UsageException(option + ": " + TerminalText.oneLine(String.valueOf(e.getMessage())));
        }
    }

    public static String type(String option, String text) {
        return named(option, () -> JobType.raw(text).name());
    }

    public static String queue(String option, String text) {
        return named(option, () -> JobType.raw("any").withQueue(text).queue());
    }

    public static String tag(String option, String text) {
        named(option, () -> JobType.raw("any").job(null).withTags(whole(option, text)));
        return text;
    }

    public static String errorCode(String option, String text) {
        return named(option, () -> ErrorCodes.check(text));
    }

    /** Returns an error code, or a category of codes as {@code CATEGORY:*}. */
    public static String errorCodes(String option, String text) {
        return named(option, () -> ErrorCodes.checkPattern(text));
    }

    /**
     * Returns the text, or refuses an unpaired surrogate, which JSON can name. A database would store a question mark
     * in its place.
     */
    public static String whole(String option, String text) {
        for (int i = 0; i < text.length(); i++) {
            int c = text.codePointAt(i);
            if (Character.getType(c) == Character.SURROGATE) {
                throw new UsageException(
                        "%s: \\u%04x is an unpaired surrogate and cannot be stored".formatted(option, c));
            }
            i += Character.charCount(c) - 1;
        }
        return text;
    }

    public static UsageException notAllowed(String option, String text, String allowed) {
        return new UsageException(
                "%s: '%s' is not allowed; allowed: %s".formatted(option, TerminalText.oneLine(text), allowed));
    }
}
