package dev.windrow.store.sql.connection;

import dev.windrow.payload.Json;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/** The small pieces of JSON that the store itself writes: arrays of ids, details of events. */
public final class JsonText {
    private static final DateTimeFormatter TIME = DateTimeFormatter.ofPattern(
                    "uuuu-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private JsonText() {}

    /** Returns an array of numbers. */
    public static String array(Collection<Long> numbers) {
        StringBuilder out = new StringBuilder(numbers.size() * 8 + 2).append('[');
        for (long number : numbers) {
            if (out.length() > 1) {
                out.append(',');
            }
            out.append(number);
        }
        return out.append(']').toString();
    }

    /** Returns an array of texts. */
    public static String strings(Collection<String> values) {
        StringBuilder out = new StringBuilder().append('[');
        for (String value : values) {
            if (out.length() > 1) {
                out.append(',');
            }
            quote(out, value);
        }
        return out.append(']').toString();
    }

    /** Returns the strings of an array that {@link #strings} made. */
    public static List<String> readStrings(String array) {
        List<String> strings = new ArrayList<>();
        StringBuilder string = null;
        for (int i = 0; i < array.length(); i++) {
            char c = array.charAt(i);
            if (string == null) {
                string = c == '"' ? new StringBuilder() : null;
            } else if (c == '"') {
                strings.add(string.toString());
                string = null;
            } else if (c != '\\') {
                string.append(c);
            } else if (array.charAt(++i) == 'u') {
                string.append((char) Integer.parseInt(array.substring(i + 1, i + 5), 16));
                i += 4;
            } else {
                string.append(array.charAt(i));
            }
        }
        return strings;
    }

    /** Returns the numbers of an array that {@link #array} made. Uses no regular expression, because statistics read thousands of arrays. */
    public static List<Long> readNumbers(String array) {
        List<Long> numbers = new ArrayList<>();
        int from = 1;
        while (from < array.length() - 1) {
            int comma = array.indexOf(',', from);
            int to = comma < 0 ? array.length() - 1 : comma;
            numbers.add(Long.parseLong(array, from, to, 10));
            from = to + 1;
        }
        return numbers;
    }

    /** Returns an object of the pairs whose value is not null; null without such pairs. */
    public static @Nullable String object(@Nullable Object... keysAndValues) {
        StringBuilder out = new StringBuilder();
        for (int i = 0; i < keysAndValues.length; i += 2) {
            Object value = keysAndValues[i + 1];
            if (value == null) {
                continue;
            }
            out.append(out.length() == 0 ? '{' : ',');
            quote(out, String.valueOf(keysAndValues[i]));
            out.append(':');
            if (value instanceof Number || value instanceof Boolean || value instanceof Json) {
                out.append(value);
            } else {
                quote(out, value.toString());
            }
        }
        return out.length() == 0 ? null : out.append('}').toString();
    }

    /** Returns a time in the form of all JSON of the project: UTC with milliseconds. */
    public static @Nullable String time(@Nullable Long millis) {
        return millis == null ? null : TIME.format(Instant.ofEpochMilli(millis));
    }

    private static void quote(StringBuilder out, String value) {
        out.append('"');
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            switch (c) {
                case '"' -> out.append("\\\"");
                case '\\' -> out.append("\\\\");
                default -> {
                    if (c < 0x20) {
                        out.append(String.format("\\u%04x", (int) c));
                    } else {
                        out.append(c);
                    }
                }
            }
        }
        out.append('"');
    }
}
