package dev.windrow.validation;

import dev.windrow.InvalidRequestException;
import java.util.HexFormat;
import java.util.function.BiConsumer;
import java.util.regex.Pattern;

/** A position in JSON text. A method that reads a value begins at it and ends after it. */
public final class JsonCursor {
    private static final Pattern NUMBER = Pattern.compile("-?(?:0|[1-9][0-9]*)(?:\\.[0-9]+)?(?:[eE][+-]?[0-9]+)?");

    private final String json;
    private int at;

    /** Thrown if the text is not JSON. */
    public static final class NotJson extends RuntimeException {
        private static final long serialVersionUID = 1L;

        NotJson() {
            super("not JSON", null, false, false);
        }
    }

    /** Begins at the first character. */
    public JsonCursor(String json) {
        this.json = json;
    }

    /** Returns the next character. */
    public char peek() {
        if (at >= json.length()) {
            throw new NotJson();
        }
        return json.charAt(at);
    }

    /** Goes past this character. */
    public void expect(char c) {
        if (peek() != c) {
            throw new NotJson();
        }
        at++;
    }

    /** Goes past white space. */
    public void blank() {
        while (at < json.length() && " \t\r\n".indexOf(json.charAt(at)) >= 0) {
            at++;
        }
    }

    /** Returns true if an object or array that has just begun is empty. */
    public boolean ends(char end) {
        blank();
        boolean ends = peek() == end;
        at += ends ? 1 : 0;
        return ends;
    }

    /** Returns true if another value follows, after a value; false at the end. */
    public boolean goesOn(char end) {
        blank();
        char c = peek();
        at++;
        if (c != ',' && c != end) {
            throw new NotJson();
        }
        return c == ',';
    }

    /** Reads a number, true, false or null, as it is written. */
    public String word() {
        int start = at;
        while (at < json.length() && " \t\r\n,]}:".indexOf(json.charAt(at)) < 0) {
            at++;
        }
        String word = json.substring(start, at);
        if (!word.equals("true") && !word.equals("false") && !word.equals("null") && !isNumber(word)) {
            throw new NotJson();
        }
        return word;
    }

    /** Reads a string, decoded. */
    public String text() {
        expect('"');
        int end = at;
        while (end < json.length() && json.charAt(end) >= ' ' && json.charAt(end) != '"' && json.charAt(end) != '\\') {
            end++;
        }
        StringBuilder text = new StringBuilder().append(json, at, end);
        at = end;
        while (peek() != '"') {
            char c = peek();
            if (c < ' ') {
                throw new NotJson();
            }
            at++;
            text.append(c == '\\' ? escaped() : c);
        }
        at++;
        return text.toString();
    }

    private char escaped() {
        char c = peek();
        at++;
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> {
                if (at + 4 > json.length()) {
                    throw new NotJson();
                }
                int code = 0;
                for (int i = 0; i < 4; i++) {
                    char digit = json.charAt(at++);
                    if (!HexFormat.isHexDigit(digit)) {
                        throw new NotJson();
                    }
                    code = 16 * code + HexFormat.fromHexDigit(digit);
                }
                yield (char) code;
            }
            default -> throw new NotJson();
        };
    }

    /** Skips a value of any depth. */
    public void skip() {
        int depth = 0;
        do {
            blank();
            switch (peek()) {
                case '"' -> skipText();
                case '{', '[' -> {
                    depth++;
                    at++;
                }
                case '}', ']' -> {
                    depth--;
                    at++;
                }
                case ',', ':' -> at++;
                default -> {
                    String unused = word();
                }
            }
        } while (depth > 0);
    }

    private void skipText() {
        at++;
        while (peek() != '"') {
            at += peek() == '\\' ? 2 : 1;
        }
        at++;
    }

    /** True if only white space follows. */
    public boolean isAtEnd() {
        blank();
        return at == json.length();
    }

    /**
     * Reads an object and checks all of it.
     *
     * @param levels how deep objects and arrays may be nested, this one included
     * @param member gets each name, decoded, with its value as it is written
     * @throws InvalidRequestException if it is nested deeper
     */
    public void object(int levels, BiConsumer<String, String> member) {
        requireLevel(levels);
        expect('{');
        if (ends('}')) {
            return;
        }
        do {
            blank();
            String name = text();
            blank();
            expect(':');
            blank();
            int start = at;
            value(levels - 1);
            member.accept(name, json.substring(start, at));
        } while (goesOn('}'));
    }

    private void value(int levels) {
        switch (peek()) {
            case '"' -> {
                String unused = text();
            }
            case '{' -> object(levels, (name, value) -> {});
            case '[' -> array(levels);
            default -> {
                String unused = word();
            }
        }
    }

    private void array(int levels) {
        requireLevel(levels);
        expect('[');
        if (ends(']')) {
            return;
        }
        do {
            blank();
            value(levels - 1);
        } while (goesOn(']'));
    }

    private static void requireLevel(int levels) {
        if (levels == 0) {
            throw new InvalidRequestException(
                    "JSON nested more than %d levels deep is not allowed".formatted(Bounds.MAX_NESTING));
        }
    }

    /** True if the text is a JSON number. */
    public static boolean isNumber(String text) {
        return NUMBER.matcher(text).matches();
    }

    /** Returns the text as a JSON string, with the escape of an unpaired surrogate. */
    public static String quoted(String text) {
        StringBuilder quoted = new StringBuilder("\"");
        text.codePoints().forEach(c -> {
            if (c == '"' || c == '\\') {
                quoted.append('\\').appendCodePoint(c);
            } else if (c < 0x20 || Character.getType(c) == Character.SURROGATE) {
                quoted.append("\\u%04x".formatted(c));
            } else {
                quoted.appendCodePoint(c);
            }
        });
        return quoted.append('"').toString();
    }
}
