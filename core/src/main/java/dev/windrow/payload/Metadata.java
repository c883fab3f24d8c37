package dev.windrow.payload;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.validation.Bounds;
import dev.windrow.validation.JsonCursor;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Metadata of a job: a small JSON object beside the payload, such as the customer for whom a job works. It has at most {@value #MAX_NAMES} names at
 * its top level, and at most {@value #MAX_BYTES} bytes of UTF-8. The text {@code description} is shown to operators. Immutable. Two values are equal
 * if their JSON text is equal.
 *
 * <pre>{@code
 * Metadata.none().with("customer", 42).with("description", "Invoice of March")
 * }</pre>
 */
@CheckReturnValue
public final class Metadata {
    /** The maximum length in bytes of UTF-8: 8 KiB. */
    public static final int MAX_BYTES = 8192;

    /** The maximum number of names at the top level: 64. */
    public static final int MAX_NAMES = 64;

    private static final String NULL = "null";
    private static final Metadata NONE = new Metadata("{}", Map.of());

    private final String json;
    /** The values as they are written, by their names, in order. */
    private final Map<String, String> values;

    private Metadata(String json, Map<String, String> values) {
        this.json = json;
        this.values = values;
    }

    /** Returns metadata without names. */
    public static Metadata none() {
        return NONE;
    }

    /**
     * Parses a JSON object. Its text is kept unchanged.
     *
     * @throws InvalidRequestException if the text is not one JSON object, is too long or has too many names. Also if a name of the top level appears
     *     twice, or objects and arrays are nested more than 500 levels deep
     */
    public static Metadata parse(String json) {
        // A character has at least one byte.
        requireLength(json.length());
        Map<String, String> values = new LinkedHashMap<>();
        try {
            JsonCursor cursor = new JsonCursor(json);
            cursor.blank();
            cursor.object(Bounds.MAX_NESTING, (name, value) -> {
                if (values.put(name, value) != null) {
                    throw new InvalidRequestException(
                            "metadata name '%s' appears twice".formatted(Bounds.shortened(name)));
                }
            });
            if (!cursor.isAtEnd()) {
                throw new InvalidRequestException("more text follows the JSON object of the metadata");
            }
        } catch (JsonCursor.NotJson e) {
            throw new InvalidRequestException(
                    "metadata '%s' is not allowed: one JSON object, such as {\"customer\":42}"
                            .formatted(Bounds.shortened(json)),
                    e);
        }
        return checked(json, values);
    }

    /**
     * Returns these metadata with a text.
     *
     * @throws InvalidRequestException if they become too long or have too many names
     */
    public Metadata with(String name, String text) {
        return withValue(name, JsonCursor.quoted(Bounds.whole("metadata", text)));
    }

    /**
     * Returns these metadata with a number.
     *
     * @throws InvalidRequestException if they become too long or have too many names, or JSON has no such number: infinite, or not a number
     */
    public Metadata with(String name, Number number) {
        String text = number.toString();
        if (!JsonCursor.isNumber(text)) {
            throw new InvalidRequestException(
                    "metadata '%s' cannot be the number %s: JSON has no such number".formatted(name, text));
        }
        return withValue(name, text);
    }

    /**
     * Returns these metadata with a boolean.
     *
     * @throws InvalidRequestException if they become too long or have too many names
     */
    public Metadata with(String name, boolean flag) {
        return withValue(name, Boolean.toString(flag));
    }

    private Metadata withValue(String name, String value) {
        Map<String, String> changed = new LinkedHashMap<>(values);
        changed.put(Bounds.whole("metadata name", name), value);
        return of(changed);
    }

    /** Returns these metadata without a name. */
    public Metadata without(String name) {
        Map<String, String> changed = new LinkedHashMap<>(values);
        changed.remove(name);
        return of(changed);
    }

    /**
     * Returns these metadata after a JSON merge patch (RFC 7396). A value of the patch replaces the value of the same name, null removes the name, and
     * an object is merged into an object.
     *
     * @throws InvalidRequestException if they become too long or have too many names
     */
    public Metadata merge(Metadata patch) {
        return of(merged(values, patch.values));
    }

    private static Map<String, String> merged(Map<String, String> target, Map<String, String> patch) {
        Map<String, String> merged = new LinkedHashMap<>(target);
        patch.forEach((name, value) -> {
            if (value.equals(NULL)) {
                merged.remove(name);
            } else if (value.startsWith("{")) {
                merged.put(name, written(merged(members(merged.get(name)), members(value))));
            } else {
                merged.put(name, value);
            }
        });
        return merged;
    }

    /** Returns the members of a value; none if it is not an object. If a name appears twice, the last one counts. */
    private static Map<String, String> members(@Nullable String value) {
        Map<String, String> members = new LinkedHashMap<>();
        if (value != null && value.startsWith("{")) {
            new JsonCursor(value).object(Bounds.MAX_NESTING, members::put);
        }
        return members;
    }

    private static String written(Map<String, String> values) {
        return values.entrySet().stream()
                .map(member -> JsonCursor.quoted(member.getKey()) + ":" + member.getValue())
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static Metadata of(Map<String, String> values) {
        return checked(written(values), values);
    }

    private static Metadata checked(String json, Map<String, String> values) {
        if (values.isEmpty()) {
            return NONE;
        }
        if (BlobRef.isReserved(json)) {
            throw new InvalidRequestException(
                    "metadata '%.40s' is not allowed: it begins like a reference to a blob".formatted(json));
        }
        Bounds.range("number of metadata names", values.size(), 0, MAX_NAMES);
        requireLength(json.getBytes(StandardCharsets.UTF_8).length);
        return new Metadata(Bounds.whole("metadata", json), values);
    }

    private static void requireLength(int bytes) {
        if (bytes > MAX_BYTES) {
            throw new InvalidRequestException(
                    "metadata of %d bytes is not allowed: at most %d".formatted(bytes, MAX_BYTES));
        }
    }

    /**
     * Returns a value of the top level as text: a text itself, a number or boolean as JSON. Returns an empty value if the name does not exist, or its
     * value is null, an object or an array.
     */
    public Optional<String> text(String name) {
        String value = values.get(name);
        if (value == null || value.equals(NULL) || value.startsWith("{") || value.startsWith("[")) {
            return Optional.empty();
        }
        return Optional.of(value.startsWith("\"") ? new JsonCursor(value).text() : value);
    }

    /** Returns the JSON object: the parsed text, or the shortest one after a change. */
    public String json() {
        return json;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Metadata metadata && json.equals(metadata.json);
    }

    @Override
    public int hashCode() {
        return json.hashCode();
    }

    @Override
    public String toString() {
        return json;
    }
}
