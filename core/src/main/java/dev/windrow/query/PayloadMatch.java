package dev.windrow.query;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.payload.Json;
import dev.windrow.validation.JsonCursor;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A condition on the payload or the metadata of a job: a value exists at a path, or has a certain content.
 *
 * <p>A path begins with {@code $}, the payload or the metadata itself. It continues with {@code .name} or {@code ['any name']} into an object, {@code [0]} into an
 * array, or {@code [*]} to any element of an array. A path that leads to no value matches nothing. Numbers are compared by value, so that 42 equals
 * 42.0. A text never equals a number.
 *
 * @param path the path, such as {@code $.customer.id}
 * @param test the test of the value at the path
 * @param value the value to compare with. For {@code EQUALS} a JSON text, number, boolean or null; for {@code CONTAINS} the text itself; for
 *     {@code EXISTS} null
 */
@CheckReturnValue
public record PayloadMatch(String path, Test test, @Nullable String value) {
    /** The maximum number of characters of an expression, a path or a value: 1000. */
    public static final int MAX_LENGTH = 1000;

    private static final Pattern EXPRESSION =
            Pattern.compile("(\\$(?:[^=~'\\[]|\\['[^']*'\\]|\\[[^'\\]]*\\])*)(?:([=~])(.*))?", Pattern.DOTALL);

    /** The test of a value. */
    public enum Test {
        /** The value exists. It may be JSON null. */
        EXISTS,
        /** The value is this text, number, boolean or null. */
        EQUALS,
        /** The value is a text that contains this text, or an array with an element that is this text or number. */
        CONTAINS
    }

    /**
     * Checks the values.
     *
     * @throws InvalidRequestException if the path is not allowed, the value does not fit the test, or one of them is too long
     */
    public PayloadMatch {
        Objects.requireNonNull(test, "test");
        if (path.length() > MAX_LENGTH || (value != null && value.length() > MAX_LENGTH)) {
            throw new InvalidRequestException(
                    "a path or a value of more than %d characters is not allowed".formatted(MAX_LENGTH));
        }
        JsonPath unused = JsonPath.parse(path);
        if ((test == Test.EXISTS) != (value == null)) {
            throw new InvalidRequestException(
                    "a test for %s takes %s".formatted(test, value == null ? "a value" : "none"));
        }
        if (test == Test.EQUALS && !JsonPath.isScalar(value)) {
            throw new InvalidRequestException(
                    "value %s is not allowed; allowed: a JSON text, number, true, false or null".formatted(value));
        }
        value = test == Test.EQUALS ? String.valueOf(value).strip() : value;
    }

    /**
     * Returns the condition that a value exists at a path.
     *
     * @throws InvalidRequestException if the path is not allowed
     */
    public static PayloadMatch exists(String path) {
        return new PayloadMatch(path, Test.EXISTS, null);
    }

    /**
     * Returns the condition that the value at a path is this text.
     *
     * @throws InvalidRequestException if the path is not allowed
     */
    public static PayloadMatch equalTo(String path, String text) {
        return new PayloadMatch(path, Test.EQUALS, JsonCursor.quoted(text));
    }

    /**
     * Returns the condition that the value at a path is this number.
     *
     * @throws InvalidRequestException if the path is not allowed
     */
    public static PayloadMatch equalTo(String path, long number) {
        return new PayloadMatch(path, Test.EQUALS, Long.toString(number));
    }

    /**
     * Returns the condition that the value at a path is this boolean.
     *
     * @throws InvalidRequestException if the path is not allowed
     */
    public static PayloadMatch equalTo(String path, boolean flag) {
        return new PayloadMatch(path, Test.EQUALS, Boolean.toString(flag));
    }

    /**
     * Returns the condition that the value at a path is a text that contains this text. It also holds for an array with an element that is this text
     * or number.
     *
     * @throws InvalidRequestException if the path is not allowed
     */
    public static PayloadMatch contains(String path, String text) {
        return new PayloadMatch(path, Test.CONTAINS, text);
    }

    /**
     * Parses an expression: {@code PATH} for {@link #exists}, {@code PATH=VALUE} for {@link #equalTo(String, String)}, {@code PATH~TEXT} for
     * {@link #contains}. A {@code VALUE} that is no JSON text, number, true, false or null is taken as plain text.
     *
     * @throws InvalidRequestException if the expression has another form
     */
    public static PayloadMatch parse(String expression) {
        Matcher parts = EXPRESSION.matcher(expression);
        if (expression.length() > MAX_LENGTH || !parts.matches()) {
            throw new InvalidRequestException(
                    "'%s' is not allowed; allowed: a path such as $.customer.id or $['a name'][0], alone or followed by =VALUE or ~TEXT"
                            .formatted(expression));
        }
        String path = parts.group(1);
        String value = parts.group(3);
        if (parts.group(2) == null) {
            return exists(path);
        }
        if (parts.group(2).equals("~")) {
            return contains(path, value);
        }
        return JsonPath.isScalar(value) ? new PayloadMatch(path, Test.EQUALS, value) : equalTo(path, value);
    }

    /** True if the payload is JSON and meets the condition. */
    public boolean matches(Json payload) {
        return JsonPath.parse(path).matches(payload.text(), test, value);
    }
}
