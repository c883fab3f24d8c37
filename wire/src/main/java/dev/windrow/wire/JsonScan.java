package dev.windrow.wire;

import org.jspecify.annotations.Nullable;
import tools.jackson.core.JacksonException;
import tools.jackson.core.JsonParser;
import tools.jackson.core.ObjectReadContext;
import tools.jackson.core.StreamReadConstraints;
import tools.jackson.core.json.JsonFactory;

/** Checks JSON text without building objects. The text itself is stored and printed unchanged. */
public final class JsonScan {
    /**
     * The factory for text from users. The library's limits (nesting of 500) protect the code that decodes it later.
     */
    public static final JsonFactory STRICT = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxStringLength(Integer.MAX_VALUE)
                    .build())
            .build();

    /** The factory for stored text. A parser that only walks needs no stack, so nesting may be deep. */
    private static final JsonFactory LENIENT = JsonFactory.builder()
            .streamReadConstraints(StreamReadConstraints.builder()
                    .maxNestingDepth(1_000_000)
                    .maxStringLength(Integer.MAX_VALUE)
                    .maxNameLength(Integer.MAX_VALUE)
                    .maxNumberLength(Integer.MAX_VALUE)
                    .build())
            .build();

    private JsonScan() {}

    /** Returns a parser of stored text. */
    static JsonParser stored(String text) {
        return LENIENT.createParser(ObjectReadContext.empty(), text);
    }

    /** True if the text is one JSON value and nothing else. */
    public static boolean isOneValue(String text) {
        return problem(LENIENT, text) == null;
    }

    /** Returns why the text is not one JSON value; null if it is one. */
    public static @Nullable String problem(String text) {
        return problem(STRICT, text);
    }

    private static @Nullable String problem(JsonFactory factory, String text) {
        try (JsonParser parser = factory.createParser(ObjectReadContext.empty(), text)) {
            if (parser.nextToken() == null) {
                return "it is empty";
            }
            parser.skipChildren();
            parser.finishToken();
            return parser.nextToken() == null ? null : "more text follows the first value" + place(parser);
        } catch (JacksonException e) {
            return problem(e);
        }
    }

    /** Returns the unchanged text of the value at the parser's token. Parsing and printing it again would change its numbers. */
    public static String value(JsonParser parser, String text) {
        long start = parser.currentTokenLocation().getCharOffset();
        parser.skipChildren();
        parser.finishToken();
        return text.substring((int) start, (int) parser.currentLocation().getCharOffset());
    }

    /** Returns the problem that the parser found, and its place. */
    public static String problem(JacksonException e) {
        String place = e.getLocation() == null
                ? ""
                : place(e.getLocation().getLineNr(), e.getLocation().getColumnNr());
        // The parser describes the beginning of an object with byte offsets and hidden sources. The place of the
        // error is enough.
        return e.getOriginalMessage().replaceFirst("( \\(start marker at |: enable `|, from `).*", "")
                + (e.getOriginalMessage().contains(", from `") ? ")" : "")
                + place;
    }

    private static String place(JsonParser parser) {
        return place(
                parser.currentTokenLocation().getLineNr(),
                parser.currentTokenLocation().getColumnNr());
    }

    private static String place(int line, int column) {
        return line > 1 ? " (line %d, column %d)".formatted(line, column) : " (column %d)".formatted(column);
    }
}
