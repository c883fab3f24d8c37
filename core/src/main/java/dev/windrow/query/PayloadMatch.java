package dev.windrow.query;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.payload.Json;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A condition on the payload of a job: that there is something at a path, or that it has a value there.
 *
 * <p>A path begins with {@code $}, the payload itself, and goes on with {@code .name} or {@code ['any name']} into an object, {@code [0]}
 * into an array, {@code [*]} to any of its elements. A path that leads nowhere matches nothing. Numbers are equal by value, so that 42
 * is 42.0; text and number never are.
 *
 * @param path the path, such as {@code $.customer.id}
 * @param test the test of the value that is there
 * @param value the value that it is compared with: of {@code EQUALS} a JSON text, number, boolean or null; of {@code CONTAINS} the text itself; of
 *     {@code EXISTS} null
 */
@CheckReturnValue
public record PayloadMatch(String path, Test test, @Nullable String value) {
    /** The most characters of an expression, a path or a value. */
    public static final int MAX_LENGTH = 1000;

    private static final Pattern EXPRESSION =
            Pattern.compile("(\\$(?:[^=~'\\[]|\\['[^']*'\\]|\\[[^'\\]]*\\])*)(?:([=~])(.*))?", Pattern.DOTALL);

    /** The test of a value. */
    public enum Test {
        /** That there is something, were it null. */
        EXISTS,
        /** That it is this text, number, boolean or null. */
        EQUALS,
        /** That it is text with this in it, or an array with an element that is this text or number. */
        CONTAINS
    }

    /**
     * Refuses what cannot be asked.
     *
     * @throws InvalidRequestException if the path is none, or the value does not go with the test
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
                    "a test for %s has %s".formatted(test, value == null ? "a value" : "none"));
        }
        if (test == Test.EQUALS && !JsonPath.isScalar(value)) {
            throw new InvalidRequestException(
                    "value %s is not allowed; allowed: a JSON text, number, true, false or null".formatted(value));
        }
        value = test == Test.EQUALS ? String.valueOf(value).strip() : value;
    }

    /** That there is something at a path. */
    public static PayloadMatch exists(String path) {
        return new PayloadMatch(path, Test.EXISTS, null);
    }

    /** That it is this text. */
    public static PayloadMatch equalTo(String path, String text) {
        return new PayloadMatch(path, Test.EQUALS, JsonPath.quoted(text));
    }

    /** That it is this number. */
    public static PayloadMatch equalTo(String path, long number) {
        return new PayloadMatch(path, Test.EQUALS, Long.toString(number));
    }

    /** That it is true, or false. */
    public static PayloadMatch equalTo(String path, boolean flag) {
        return new PayloadMatch(path, Test.EQUALS, Boolean.toString(flag));
    }

    /** That it is text with this in it, or an array with an element that is this. */
    public static PayloadMatch contains(String path, String text) {
        return new PayloadMatch(path, Test.CONTAINS, text);
    }

    /**
     * Reads an expression: {@code PATH}, that there is something; {@code PATH=VALUE}, that it is this, where a value that is no JSON text,
     * number, true, false or null is text as it stands; {@code PATH~TEXT}, that it contains this.
     *
     * @throws InvalidRequestException if it is none
     */
    public static PayloadMatch parse(String expression) {
        Matcher parts = EXPRESSION.matcher(expression);
        if (expression.length() > MAX_LENGTH || !parts.matches()) {
            throw new InvalidRequestException(
                    "'%s' is not allowed; allowed: a path such as $.customer.id or $['a name'][0], alone or with =VALUE or ~TEXT behind it"
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
