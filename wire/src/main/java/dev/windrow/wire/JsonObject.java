package dev.windrow.wire;

import dev.windrow.payload.Json;
import java.io.StringWriter;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/**
 * A JSON object for output: its keys in order, each present with or without a value. Values are text, numbers,
 * booleans, times, stored JSON, collections of these, and further objects.
 */
public final class JsonObject {
    private static final DateTimeFormatter ISO = DateTimeFormatter.ofPattern(
                    "yyyy-MM-dd'T'HH:mm:ss.SSS'Z'", Locale.ROOT)
            .withZone(ZoneOffset.UTC);

    private final Map<String, @Nullable Object> values = new LinkedHashMap<>();

    /** Creates an object without keys. */
    public JsonObject() {}

    /** Adds a value. The key is present also if the value is null. */
    public JsonObject put(String key, @Nullable Object value) {
        values.put(key, value);
        return this;
    }

    /** Adds the keys of another object. A key that is present keeps its place and gets the other value. */
    public JsonObject putAll(JsonObject other) {
        values.putAll(other.values);
        return this;
    }

    /** Adds an array with the form of each value. */
    public <T> JsonObject list(String key, Collection<T> list, Function<? super T, JsonObject> form) {
        return put(key, list.stream().map(form).toList());
    }

    /** Adds an id as a string, because JavaScript cannot represent each 64-bit number. */
    public JsonObject id(String key, @Nullable Long id) {
        return put(key, id == null ? null : id.toString());
    }

    /** Adds ids as strings. */
    public JsonObject ids(String key, List<Long> ids) {
        return put(key, ids.stream().map(String::valueOf).toList());
    }

    /**
     * Returns one JSON value, safe for a terminal. It is one line, except where stored JSON has line ends of its own.
     */
    @Override
    public String toString() {
        // To characters, not bytes: unpaired surrogates in stored text then become '?' and cause no error.
        StringWriter text = new StringWriter();
        try (JsonGenerator generator = JsonScan.STRICT.createGenerator(ObjectWriteContext.empty(), text)) {
            write(generator, this);
        }
        return SafeText.escaped(text.toString());
    }

    private static void write(JsonGenerator out, @Nullable Object value) {
        if (value == null) {
            out.writeNull();
        } else if (value instanceof JsonObject object) {
            out.writeStartObject();
            object.values.forEach((key, each) -> {
                out.writeName(key);
                write(out, each);
            });
            out.writeEndObject();
        } else if (value instanceof Iterable<?> list) {
            out.writeStartArray();
            for (Object each : list) {
                write(out, each);
            }
            out.writeEndArray();
        } else if (value instanceof Json json) {
            // A user may have written text into the database that is not JSON; the output must be JSON.
            if (JsonScan.isOneValue(json.text())) {
                out.writeRawValue(json.text());
            } else {
                out.writeString(json.text());
            }
        } else if (value instanceof Instant instant) {
            out.writeString(ISO.format(instant));
        } else if (value instanceof Boolean flag) {
            out.writeBoolean(flag);
        } else if (value instanceof Integer || value instanceof Long) {
            out.writeNumber(((Number) value).longValue());
        } else if (value instanceof Double number) {
            out.writeNumber(number);
        } else {
            out.writeString(value.toString());
        }
    }
}
