package dev.windrow.cli.terminal;

import dev.windrow.payload.Json;
import java.io.StringWriter;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;

/**
 * A JSON object for output: its keys in order, each present with or without a value. Values are text, numbers,
 * booleans, times, stored JSON, collections of these, and further objects.
 */
public final class Fields {
    private final Map<String, @Nullable Object> values = new LinkedHashMap<>();

    public Fields put(String key, @Nullable Object value) {
        values.put(key, value);
        return this;
    }

    /** Adds an id, as a string, because JavaScript cannot represent each 64-bit number. */
    public Fields id(String key, long id) {
        return put(key, Long.toString(id));
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
        return TerminalText.escaped(text.toString());
    }

    private static void write(JsonGenerator out, @Nullable Object value) {
        if (value == null) {
            out.writeNull();
        } else if (value instanceof Fields object) {
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
            out.writeString(Times.iso(instant));
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
