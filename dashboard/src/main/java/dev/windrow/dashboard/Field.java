package dev.windrow.dashboard;

import dev.windrow.JobState;
import dev.windrow.payload.Json;
import dev.windrow.wire.JsonObject;
import dev.windrow.wire.JsonScan;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collector;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import tools.jackson.core.JsonParser;
import tools.jackson.core.JsonToken;

/**
 * A parameter of a path or a query, or a field of a body, as the table of routes declares it: its name, kind, range, default and description. It reads
 * its value, or refuses it with the name, the value and what is allowed.
 */
final class Field {
    /** The kinds of values. */
    private enum Kind {
        TEXT("string"),
        INTEGER("integer"),
        ID("string"),
        INSTANT("string"),
        DURATION("string"),
        VERSION("string"),
        CHOICE("string"),
        FLAG("boolean"),
        JSON("any"),
        OBJECT("object");

        private final String json;

        Kind(String json) {
            this.json = json;
        }
    }

    private static final Pattern INTEGER = Pattern.compile("-?[0-9]{1,18}");
    private static final Pattern ID = Pattern.compile("[0-9]{1,19}");
    private static final Pattern DURATION = Pattern.compile("([0-9]{1,12})(ms|s|m|h|d)");
    // A proxy that compresses puts W/ before a tag, or a word at its end.
    private static final Pattern VERSION = Pattern.compile("(?:W/)?\"([0-9]{1,18})(?:-[^\"]*)?\"");
    private static final Instant FIRST = Instant.parse("0000-01-01T00:00:00Z");
    private static final Instant LAST = Instant.parse("9999-12-31T00:00:00Z");

    private final String name;
    private final Kind kind;
    private final String description;
    private String allowed = "";
    private long min = Long.MIN_VALUE;
    private long max = Long.MAX_VALUE;
    private Map<String, Object> choices = Map.of();
    private List<Field> members = List.of();
    private @Nullable String byDefault;
    private boolean required;
    private int most = 1;
    private @Nullable String word;

    private boolean cursor;

    private Field(String name, Kind kind, String description) {
        this.name = name;
        this.kind = kind;
        this.description = description;
    }

    /** Returns a field for text of up to this many characters. */
    static Field text(String name, int longest, String description) {
        Field field = new Field(name, Kind.TEXT, description);
        field.max = longest;
        field.allowed = "1 to %d characters".formatted(longest);
        return field;
    }

    static Field integer(String name, long min, long max, String description) {
        Field field = new Field(name, Kind.INTEGER, description);
        field.min = min;
        field.max = max;
        field.allowed = min + " to " + max;
        return field;
    }

    /** Returns a field for an id of a job or a workflow. */
    static Field id(String name, String description) {
        Field field = new Field(name, Kind.ID, description);
        field.min = 1;
        field.allowed = "an id, 1 to " + Long.MAX_VALUE;
        return field;
    }

    /** Returns a field for the cursor of a page. */
    static Field cursor(String name, String of) {
        Field field = new Field(
                name, Kind.ID, "The page %s this cursor: `%s` of a page of the same filter.".formatted(name, of));
        field.min = 0;
        field.allowed = "the cursor in '%s' of a page".formatted(of);
        field.cursor = true;
        return field;
    }

    static Field instant(String name, String description) {
        Field field = new Field(name, Kind.INSTANT, description);
        field.allowed = "ISO-8601 with an offset, such as 2026-11-21T18:00:00+01:00 or ...Z";
        return field;
    }

    static Field duration(String name, String min, String max, String description) {
        Field field = new Field(name, Kind.DURATION, description);
        field.min = millis(min);
        field.max = millis(max);
        field.allowed = "%s to %s, a number with ms, s, m, h or d".formatted(min, max);
        return field;
    }

    /** Returns a field for the version of a job, as the tag of its answer or alone. */
    static Field version(String name, String description) {
        Field field = new Field(name, Kind.VERSION, description);
        field.allowed = "the ETag of the job, or its version in quotes, such as \"84\"";
        return field;
    }

    /** Returns a field for the version of a job in a body, where it is a string of digits. */
    static Field plainVersion(String name, String description) {
        Field field = new Field(name, Kind.ID, description);
        field.min = 0;
        field.allowed = "the version of the job, such as 84";
        return field;
    }

    static Field flag(String name, String description) {
        Field field = new Field(name, Kind.FLAG, description);
        field.allowed = "true or false";
        return field;
    }

    /** Returns a field for one of these words. */
    static Field choice(String name, List<String> words, String description) {
        Field field = new Field(name, Kind.CHOICE, description);
        field.choices = words.stream().collect(ordered(word -> word, word -> word));
        field.allowed = String.join(", ", words);
        return field;
    }

    /** Returns a field for a constant of an enum, by its name in lower case with hyphens. States have capitals, as everywhere. */
    static <E extends Enum<E>> Field choice(String name, Class<E> type, String description) {
        Field field = new Field(name, Kind.CHOICE, description);
        field.choices = Arrays.stream(type.getEnumConstants()).collect(ordered(Field::word, constant -> constant));
        field.allowed = String.join(", ", field.choices.keySet());
        return field;
    }

    /** Returns a field for any JSON value, whose text is kept unchanged. */
    static Field json(String name, String description) {
        Field field = new Field(name, Kind.JSON, description);
        field.allowed = "a JSON value";
        return field;
    }

    static Field object(String name, List<Field> members, String description) {
        Field field = new Field(name, Kind.OBJECT, description);
        field.members = members;
        field.allowed = "an object";
        return field;
    }

    private static <T> Collector<T, ?, Map<String, Object>> ordered(
            Function<T, String> key, Function<T, Object> value) {
        return Collectors.toMap(key, value, (a, b) -> a, LinkedHashMap::new);
    }

    private static String word(Enum<?> constant) {
        return constant instanceof JobState
                ? constant.name()
                : constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    /** Sets the default, as text. */
    Field orElse(String text) {
        byDefault = text;
        return this;
    }

    Field required() {
        required = true;
        return this;
    }

    /** Allows a word in place of a value: in a body, as a string. */
    Field or(String other) {
        word = other;
        allowed += ", or " + other;
        return this;
    }

    /** Makes the field a list of up to this many values. In a query the parameter is repeated. */
    Field upTo(int values) {
        most = values;
        return this;
    }

    String name() {
        return name;
    }

    String description() {
        return description;
    }

    String allowed() {
        return allowed;
    }

    List<Field> members() {
        return members;
    }

    @Nullable String byDefault() {
        return byDefault;
    }

    boolean isRequired() {
        return required;
    }

    boolean isCursor() {
        return cursor;
    }

    boolean isList() {
        return most > 1;
    }

    /** Returns the default value; null if there is none. */
    @Nullable Object defaultValue() {
        return byDefault == null ? null : read(name, byDefault);
    }

    /** Reads the values of a parameter of a path or a query. */
    Object readAll(List<String> texts) {
        if (!isList()) {
            if (texts.size() > 1) {
                throw Problem.invalid(
                        "%s: the parameter is given %d times; allowed: once".formatted(name, texts.size()));
            }
            return read(name, texts.get(0));
        }
        List<Object> values = new ArrayList<>();
        for (String text : texts) {
            // A list of words may also be one parameter with commas, as on the command line.
            for (String part : kind == Kind.CHOICE ? text.split(",", -1) : new String[] {text}) {
                values.add(read(name, part));
            }
        }
        checkCount(name, values.size());
        return values;
    }

    private void checkCount(String at, int count) {
        if (count > most) {
            throw Problem.invalid("%s: %d values are not allowed; allowed: up to %d".formatted(at, count, most));
        }
    }

    private Object read(String at, String text) {
        if (text.equals(word)) {
            return text;
        }
        return switch (kind) {
            case TEXT -> {
                if (text.isEmpty() || text.length() > max) {
                    throw refused(at, text);
                }
                yield whole(at, text);
            }
            case INTEGER -> {
                if (!INTEGER.matcher(text).matches()) {
                    throw refused(at, text);
                }
                yield inRange(at, text, Long.parseLong(text));
            }
            case ID -> {
                if (!ID.matcher(text).matches()) {
                    throw refused(at, text);
                }
                try {
                    yield inRange(at, text, Long.parseLong(text));
                } catch (NumberFormatException e) {
                    throw refused(at, text);
                }
            }
            case DURATION -> {
                long millis = millis(text);
                yield Duration.ofMillis(inRange(at, text, millis < 0 ? Long.MIN_VALUE : millis));
            }
            case VERSION -> {
                Matcher tag = VERSION.matcher(text);
                if (!tag.matches()) {
                    throw refused(at, text);
                }
                yield Long.parseLong(tag.group(1));
            }
            case INSTANT -> {
                try {
                    Instant instant = OffsetDateTime.parse(text).toInstant();
                    if (instant.isBefore(FIRST) || instant.isAfter(LAST)) {
                        throw Problem.notAllowed(at, text, "a time in the years 0 to 9999");
                    }
                    yield instant;
                } catch (DateTimeException e) {
                    throw refused(at, text);
                }
            }
            case CHOICE -> {
                Object chosen = choices.get(text);
                if (chosen == null) {
                    throw refused(at, text);
                }
                yield chosen;
            }
            case FLAG -> {
                if (!text.equals("true") && !text.equals("false")) {
                    throw refused(at, text);
                }
                yield text.equals("true");
            }
            case JSON, OBJECT -> throw new IllegalStateException(name);
        };
    }

    private long inRange(String at, String text, long value) {
        if (value < min || value > max) {
            throw refused(at, text);
        }
        return value;
    }

    /** Refuses an unpaired surrogate, which JSON can name. A database would store a question mark in its place. */
    private static String whole(String at, String text) {
        if (text.codePoints().anyMatch(c -> Character.getType(c) == Character.SURROGATE)) {
            throw Problem.invalid("%s: an unpaired surrogate is not allowed: it cannot be stored".formatted(at));
        }
        return text;
    }

    private static long millis(String text) {
        Matcher m = DURATION.matcher(text);
        if (!m.matches()) {
            return -1;
        }
        long unit = switch (m.group(2)) {
            case "ms" -> 1;
            case "s" -> 1000;
            case "m" -> 60_000;
            case "h" -> 3_600_000;
            default -> 86_400_000;
        };
        long n = Long.parseLong(m.group(1));
        return n > Long.MAX_VALUE / unit ? -1 : n * unit;
    }

    private Problem refused(String at, String text) {
        return Problem.notAllowed(at, text, allowed);
    }

    /** Reads the value of a field of a body. The parser is at its first token. */
    Object read(String at, JsonParser parser, String body) {
        if (!isList()) {
            return readOne(at, parser, body);
        }
        if (parser.currentToken() != JsonToken.START_ARRAY) {
            throw Problem.invalid("%s: %s is not allowed; allowed: an array".formatted(at, what(parser)));
        }
        List<Object> values = new ArrayList<>();
        while (parser.nextToken() != JsonToken.END_ARRAY) {
            values.add(readOne("%s[%d]".formatted(at, values.size()), parser, body));
            checkCount(at, values.size());
        }
        return values;
    }

    private Object readOne(String at, JsonParser parser, String body) {
        JsonToken token = parser.currentToken();
        if (token == JsonToken.VALUE_STRING
                && word != null
                && parser.getString().equals(word)) {
            return word;
        }
        boolean fits = switch (kind) {
            case JSON -> true;
            case OBJECT -> token == JsonToken.START_OBJECT;
            case INTEGER -> token == JsonToken.VALUE_NUMBER_INT;
            case FLAG -> token == JsonToken.VALUE_TRUE || token == JsonToken.VALUE_FALSE;
            default -> token == JsonToken.VALUE_STRING;
        };
        if (!fits) {
            throw Problem.invalid("%s: %s is not allowed; allowed: %s"
                    .formatted(
                            at,
                            what(parser),
                            kind == Kind.OBJECT || kind == Kind.INTEGER || kind == Kind.FLAG
                                    ? allowed
                                    : "a string, " + allowed));
        }
        return switch (kind) {
            case OBJECT -> RequestBody.members(at + ".", members, parser, body);
            case JSON -> new Json(JsonScan.value(parser, body));
            default -> read(at, parser.getString());
        };
    }

    private static String what(JsonParser parser) {
        return switch (parser.currentToken()) {
            case START_OBJECT -> "an object";
            case START_ARRAY -> "an array";
            case VALUE_STRING -> "the string '" + Problem.shortened(parser.getString()) + "'";
            case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> "the number " + Problem.shortened(parser.getString());
            default -> String.valueOf(parser.currentToken().asString());
        };
    }

    /** Returns the schema of the field for OpenAPI. */
    JsonObject schema() {
        JsonObject schema = new JsonObject();
        if (kind != Kind.JSON) {
            schema.put("type", kind.json);
        }
        switch (kind) {
            case TEXT -> schema.put("minLength", 1).put("maxLength", max);
            case INTEGER -> schema.put("minimum", min).put("maximum", max);
            case ID -> schema.put("pattern", "^[0-9]{1,19}$");
            case INSTANT -> schema.put("format", "date-time");
            case DURATION ->
                schema.put("pattern", "^([0-9]{1,12}(ms|s|m|h|d)%s)$".formatted(word == null ? "" : "|" + word));
            case CHOICE -> schema.put("enum", List.copyOf(choices.keySet()));
            case OBJECT -> OpenApi.members(schema, members);
            default -> {}
        }
        if (byDefault != null) {
            schema.put("default", jsonDefault());
        }
        if (kind == Kind.INTEGER && word != null) {
            JsonObject other = new JsonObject().put("type", "string").put("enum", List.of(word));
            schema = new JsonObject().put("anyOf", List.of(schema, other));
        }
        return isList()
                ? new JsonObject().put("type", "array").put("maxItems", most).put("items", schema)
                : schema;
    }

    private Object jsonDefault() {
        return kind == Kind.INTEGER || kind == Kind.FLAG
                ? new Json(String.valueOf(byDefault))
                : String.valueOf(byDefault);
    }
}
