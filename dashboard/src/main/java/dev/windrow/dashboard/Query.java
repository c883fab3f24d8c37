package dev.windrow.dashboard;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Reads the path and the query of a request strictly. A container would replace broken characters and merge parameters with those of a form. */
final class Query {
    private Query() {}

    /** Reads the parameters of a query. */
    static Values read(@Nullable String query, List<Field> fields) {
        Map<String, List<String>> texts = new LinkedHashMap<>();
        if (query != null && !query.isEmpty()) {
            for (String pair : query.split("&", -1)) {
                if (!pair.isEmpty()) {
                    int equals = pair.indexOf('=');
                    String name = decoded(equals < 0 ? pair : pair.substring(0, equals), true);
                    texts.computeIfAbsent(name, unused -> new ArrayList<>())
                            .add(equals < 0 ? "" : decoded(pair.substring(equals + 1), true));
                }
            }
        }
        Map<String, Object> values = new LinkedHashMap<>();
        texts.forEach((name, given) -> {
            Field field = RequestBody.find(name, fields);
            if (field == null) {
                throw RequestBody.unknown("parameter", name, fields);
            }
            values.put(name, field.readAll(given));
        });
        return RequestBody.checked("", fields, values);
    }

    /** Returns the decoded segments of a path. */
    static List<String> segments(String path) {
        List<String> segments = new ArrayList<>();
        for (String segment : path.split("/", -1)) {
            if (!segment.isEmpty()) {
                int parameters = segment.indexOf(';');
                segments.add(decoded(parameters < 0 ? segment : segment.substring(0, parameters), false));
            }
        }
        return segments;
    }

    private static String decoded(String text, boolean form) {
        if (text.indexOf('%') < 0 && text.indexOf('+') < 0 && text.chars().allMatch(c -> c < 0x80)) {
            return text;
        }
        ByteArrayOutputStream bytes = new ByteArrayOutputStream(text.length());
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '%') {
                int high = i + 2 < text.length() ? Character.digit(text.charAt(i + 1), 16) : -1;
                int low = i + 2 < text.length() ? Character.digit(text.charAt(i + 2), 16) : -1;
                if (high < 0 || low < 0) {
                    throw Problem.invalid("'%s' is not allowed: %% must be followed by two hexadecimal digits"
                            .formatted(Problem.shortened(text)));
                }
                bytes.write(high << 4 | low);
                i += 2;
            } else if (c == '+' && form) {
                bytes.write(' ');
            } else if (c < 0x80) {
                bytes.write(c);
            } else {
                throw Problem.invalid("'%s' is not allowed: characters beyond ASCII must be encoded with %%"
                        .formatted(Problem.shortened(text)));
            }
        }
        try {
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes.toByteArray()))
                    .toString();
        } catch (CharacterCodingException e) {
            throw Problem.invalid("'%s' is not allowed: it is not UTF-8".formatted(Problem.shortened(text)));
        }
    }
}
