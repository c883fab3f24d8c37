package dev.windrow.query;

import dev.windrow.InvalidRequestException;
import dev.windrow.validation.JsonCursor;
import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * A path into JSON text. Following it builds no objects from the text: core has no JSON library, and most of a payload is only skipped. Outside of
 * the path the text is checked only as far as necessary to find the end of each value.
 */
final class JsonPath {
    private static final Pattern STEP =
            Pattern.compile("\\.([^.\\[\\]='~\\s]+)|\\['([^']*)'\\]|\\[([0-9]{1,9})\\]|\\[(\\*)\\]");
    /** The maximum length of numbers that are compared by value. Longer ones are compared as text, because converting many digits takes long. */
    private static final int LONGEST_NUMBER = 1000;

    /**
     * One step of a path.
     *
     * @param name the name of the member of an object, or null
     * @param index the index of the element of an array; -1: any
     */
    private record Step(@Nullable String name, int index) {}

    private final List<Step> steps;

    private JsonPath(List<Step> steps) {
        this.steps = steps;
    }

    static JsonPath parse(String path) {
        List<Step> steps = new ArrayList<>();
        Matcher matcher = STEP.matcher(path);
        int at = 1;
        if (!path.startsWith("$")) {
            throw refused(path);
        }
        while (at < path.length()) {
            if (!matcher.region(at, path.length()).lookingAt()) {
                throw refused(path);
            }
            String name = matcher.group(1) != null ? matcher.group(1) : matcher.group(2);
            String index = matcher.group(3);
            steps.add(new Step(name, index == null ? -1 : Integer.parseInt(index)));
            at = matcher.end();
        }
        return new JsonPath(steps);
    }

    private static InvalidRequestException refused(String path) {
        return new InvalidRequestException(
                "path '%s' is not allowed; allowed: $, followed by .name, ['any name'], [0] or [*], such as $.customer.id"
                        .formatted(path));
    }

    static boolean isScalar(@Nullable String text) {
        if (text == null) {
            return false;
        }
        String stripped = text.strip();
        try {
            JsonCursor cursor = new JsonCursor(stripped);
            return switch (stripped.isEmpty() ? '?' : stripped.charAt(0)) {
                case '"' -> {
                    cursor.text();
                    yield cursor.isAtEnd();
                }
                case '{', '[' -> false;
                default -> cursor.word().length() == stripped.length();
            };
        } catch (JsonCursor.NotJson e) {
            return false;
        }
    }

    boolean matches(String json, PayloadMatch.Test test, @Nullable String value) {
        try {
            return new Walk(new JsonCursor(json), test, value).value(0);
        } catch (JsonCursor.NotJson e) {
            return false;
        }
    }

    /** Follows the path. Each method begins at a value and ends after it. */
    private final class Walk {
        private final JsonCursor cursor;
        private final PayloadMatch.Test test;
        private final @Nullable String wanted;

        Walk(JsonCursor cursor, PayloadMatch.Test test, @Nullable String wanted) {
            this.cursor = cursor;
            this.test = test;
            this.wanted = wanted;
        }

        boolean value(int taken) {
            cursor.blank();
            if (taken == steps.size()) {
                return test();
            }
            Step step = steps.get(taken);
            if (step.name != null && cursor.peek() == '{') {
                return member(step.name, taken);
            }
            if (step.name == null && cursor.peek() == '[') {
                return element(step.index, taken);
            }
            cursor.skip();
            return false;
        }

        /** Follows the path into a member. If a name appears twice, the last one counts, as in decoders. */
        private boolean member(String name, int taken) {
            boolean found = false;
            cursor.expect('{');
            if (cursor.ends('}')) {
                return false;
            }
            do {
                cursor.blank();
                boolean here = cursor.text().equals(name);
                cursor.blank();
                cursor.expect(':');
                if (here) {
                    found = value(taken + 1);
                } else {
                    cursor.skip();
                }
            } while (cursor.goesOn('}'));
            return found;
        }

        private boolean element(int index, int taken) {
            boolean found = false;
            cursor.expect('[');
            if (cursor.ends(']')) {
                return false;
            }
            int place = 0;
            do {
                if (index < 0 || index == place) {
                    found |= value(taken + 1);
                } else {
                    cursor.skip();
                }
                place++;
            } while (cursor.goesOn(']'));
            return found;
        }

        private boolean test() {
            return switch (test) {
                case EXISTS -> {
                    cursor.skip();
                    yield true;
                }
                case EQUALS -> equalsWanted();
                case CONTAINS -> contains();
            };
        }

        private boolean equalsWanted() {
            String want = String.valueOf(wanted);
            char first = cursor.peek();
            if (first == '"') {
                String text = cursor.text();
                return want.startsWith("\"") && text.equals(new JsonCursor(want).text());
            }
            if (first == '{' || first == '[') {
                cursor.skip();
                return false;
            }
            String word = cursor.word();
            return word.equals(want) || areEqualNumbers(word, want);
        }

        private boolean contains() {
            String want = String.valueOf(wanted);
            if (cursor.peek() == '"') {
                return cursor.text().contains(want);
            }
            if (cursor.peek() != '[') {
                cursor.skip();
                return false;
            }
            boolean found = false;
            cursor.expect('[');
            if (cursor.ends(']')) {
                return false;
            }
            do {
                cursor.blank();
                switch (cursor.peek()) {
                    case '"' -> found |= cursor.text().equals(want);
                    case '{', '[' -> cursor.skip();
                    default -> {
                        String word = cursor.word();
                        found |= word.equals(want) || areEqualNumbers(word, want);
                    }
                }
            } while (cursor.goesOn(']'));
            return found;
        }
    }

    private static boolean areEqualNumbers(String a, String b) {
        if (a.length() > LONGEST_NUMBER || !JsonCursor.isNumber(a) || !JsonCursor.isNumber(b)) {
            return false;
        }
        try {
            return new BigDecimal(a).compareTo(new BigDecimal(b)) == 0;
        } catch (ArithmeticException | NumberFormatException e) {
            // The exponent is out of range.
            return false;
        }
    }
}
