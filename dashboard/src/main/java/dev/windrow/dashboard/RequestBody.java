package dev.windrow.dashboard;

import dev.windrow.wire.JsonScan;
import jakarta.servlet.http.HttpServletRequest;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.core.json.JsonFactory;

/** The body of a change: one JSON object in UTF-8 with the fields that the table declares, and nothing else. */
final class RequestBody {
    /** A sender that sends a byte now and then must not keep a thread of the container. */
    private static final Duration LONGEST_READ = Duration.ofSeconds(30);

    private static final Duration LONGEST_DROP = Duration.ofSeconds(5);
    private static final long MAX_DROPPED_BYTES = 16 << 20;

    private static final JsonFactory JSON = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private RequestBody() {}

    /** Reads the body. Without fields, and without required ones, it may be empty. */
    static Values read(HttpServletRequest request, List<Field> fields, long maxBytes) throws IOException {
        String type = request.getContentType();
        if (type != null && !isJson(type)) {
            throw new Problem(
                    ProblemKind.UNSUPPORTED_MEDIA_TYPE,
                    "content type '%s' is not allowed; allowed: application/json, in UTF-8"
                            .formatted(Problem.shortened(type)));
        }
        if (request.getContentLengthLong() > maxBytes) {
            throw tooLarge(maxBytes);
        }
        String text = decode(bytes(request.getInputStream(), maxBytes));
        if (text.isEmpty()) {
            return checked("", fields, new LinkedHashMap<>());
        }
        if (type == null) {
            throw new Problem(
                    ProblemKind.UNSUPPORTED_MEDIA_TYPE,
                    "a body without a content type is not allowed; allowed: application/json, in UTF-8");
        }
        return parse(text, fields);
    }

    private static boolean isJson(String type) {
        String plain = type.toLowerCase(Locale.ROOT).replaceAll("[\\s\"]", "");
        return plain.equals("application/json") || plain.equals("application/json;charset=utf-8");
    }

    private static Problem tooLarge(long maxBytes) {
        return new Problem(
                ProblemKind.TOO_LARGE,
                "a body of more than %d bytes is not allowed; send less, or store the data elsewhere and pass its location"
                        .formatted(maxBytes));
    }

    private static byte[] bytes(InputStream in, long maxBytes) throws IOException {
        long begin = System.nanoTime();
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        byte[] part = new byte[8192];
        int read;
        while ((read = in.read(part)) >= 0) {
            bytes.write(part, 0, read);
            if (bytes.size() > maxBytes) {
                throw tooLarge(maxBytes);
            }
            if (System.nanoTime() - begin > LONGEST_READ.toNanos()) {
                throw Problem.invalid("the body did not arrive within %d s".formatted(LONGEST_READ.toSeconds()))
                        .header("Connection", "close");
            }
        }
        return bytes.toByteArray();
    }

    /**
     * Reads the rest of a body after the request was refused, and drops it: at most 16 MiB, within 5 s. A server that closes a connection while the
     * client still sends resets it, and the client may lose the answer.
     */
    static void drop(HttpServletRequest request) {
        long begin = System.nanoTime();
        byte[] part = new byte[8192];
        try {
            InputStream in = request.getInputStream();
            for (long dropped = 0; dropped < MAX_DROPPED_BYTES; ) {
                int read = in.read(part);
                if (read < 0 || System.nanoTime() - begin > LONGEST_DROP.toNanos()) {
                    return;
                }
                dropped += read;
            }
        } catch (IOException e) {
            // The client is gone or silent. It has its answer.
        }
    }

    private static String decode(byte[] bytes) {
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw Problem.invalid("the body is not UTF-8");
        }
    }

    static Values parse(String text, List<Field> fields) {
        try (JsonParser parser = JSON.createParser(ObjectReadContext.empty(), text)) {
            if (parser.nextToken() != JsonToken.START_OBJECT) {
                throw Problem.invalid("the body is not a JSON object");
            }
            Values values = members("", fields, parser, text);
            if (parser.nextToken() != null) {
                throw Problem.invalid("the body is not JSON: more text follows the object");
            }
            return values;
        } catch (JacksonException e) {
            throw Problem.invalid("the body is not JSON: " + JsonScan.problem(e));
        }
    }

    /** Reads the members of an object, whose beginning the parser has passed. */
    static Values members(String prefix, List<Field> fields, JsonParser parser, String text) {
        Map<String, Object> values = new LinkedHashMap<>();
        while (parser.nextToken() != JsonToken.END_OBJECT) {
            String name = parser.currentName();
            Field field = find(name, fields);
            if (field == null) {
                throw unknown("field", prefix + name, fields);
            }
            // Null means the same as a missing field.
            if (parser.nextToken() != JsonToken.VALUE_NULL) {
                values.put(name, field.read(prefix + name, parser, text));
            }
        }
        return checked(prefix, fields, values);
    }

    static @Nullable Field find(String name, List<Field> fields) {
        return fields.stream()
                .filter(field -> field.name().equals(name))
                .findFirst()
                .orElse(null);
    }

    static Problem unknown(String what, String name, List<Field> known) {
        return Problem.invalid("%s '%s' is unknown; known: %s"
                .formatted(
                        what,
                        Problem.shortened(name),
                        known.isEmpty()
                                ? "none"
                                : known.stream().map(Field::name).collect(Collectors.joining(", "))));
    }

    /** Adds defaults, and refuses missing values. */
    static Values checked(String prefix, List<Field> fields, Map<String, Object> values) {
        for (Field field : fields) {
            if (!values.containsKey(field.name())) {
                Object byDefault = field.defaultValue();
                if (byDefault != null) {
                    values.put(field.name(), byDefault);
                } else if (field.isRequired()) {
                    throw Problem.invalid(
                            "%s%s is missing; allowed: %s".formatted(prefix, field.name(), field.allowed()));
                }
            }
        }
        return new Values(values);
    }
}
