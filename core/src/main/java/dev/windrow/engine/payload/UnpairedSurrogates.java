package dev.windrow.engine.payload;

import dev.windrow.InvalidRequestException;

/**
 * Halves of characters: one of two {@code char}s that mean a character together, without the other. Java's strings may hold them; UTF-8, and so a
 * database, has no bytes for them, and drivers put a question mark in their place without a word.
 */
public final class UnpairedSurrogates {
    private UnpairedSurrogates() {}

    /** Returns the index of the first unpaired surrogate, or -1. */
    public static int first(String text) {
        int length = text.length();
        for (int i = 0; i < length; i++) {
            // Nothing else in the loop for what is no surrogate: every payload goes through it.
            if (Character.isSurrogate(text.charAt(i))) {
                if (!isPair(text, i)) {
                    return i;
                }
                i++;
            }
        }
        return -1;
    }

    private static boolean isPair(String text, int i) {
        return Character.isHighSurrogate(text.charAt(i))
                && i + 1 < text.length()
                && Character.isLowSurrogate(text.charAt(i + 1));
    }

    /**
     * JSON text that means the same and can be stored: a half within a string is written as its escape, such as {@code \ud83d}.
     *
     * @param what of the text, for messages
     * @throws InvalidRequestException if one stands in a name, which JSON readers refuse; outside of a string, or behind a backslash, where JSON has no place for it
     */
    static String escaped(String json, String what) {
        return first(json) < 0 ? json : escapeEach(json, what);
    }

    private static String escapeEach(String json, String what) {
        StringBuilder out = new StringBuilder(json.length() + 16);
        boolean quoted = false;
        boolean behindBackslash = false;
        // The last half in the string that is open, or 0.
        char half = 0;
        for (int i = 0; i < json.length(); i++) {
            char c = json.charAt(i);
            if (!Character.isSurrogate(c)) {
                if (c == '"' && !behindBackslash) {
                    quoted = !quoted;
                    if (half != 0 && isFollowedByColon(json, i)) {
                        throw refused(what, half);
                    }
                    half = 0;
                }
                behindBackslash = c == '\\' && quoted && !behindBackslash;
                out.append(c);
                continue;
            }
            if (isPair(json, i)) {
                out.append(c).append(json.charAt(++i));
            } else if (quoted && !behindBackslash) {
                half = c;
                out.append("\\u%04x".formatted((int) c));
            } else {
                throw refused(what, c);
            }
            behindBackslash = false;
        }
        return out.toString();
    }

    private static boolean isFollowedByColon(String json, int quote) {
        int i = quote + 1;
        while (i < json.length() && " \t\r\n".indexOf(json.charAt(i)) >= 0) {
            i++;
        }
        return i < json.length() && json.charAt(i) == ':';
    }

    private static InvalidRequestException refused(String what, char half) {
        return new InvalidRequestException(
                "%s holds an unpaired surrogate (\\u%04x) where it cannot be stored; allowed: in a string of JSON that is no name of a property"
                        .formatted(what, (int) half));
    }

    /** Text for people with U+FFFD in the place of each half. */
    static String replaced(String text) {
        int half = first(text);
        if (half < 0) {
            return text;
        }
        StringBuilder out = new StringBuilder(text);
        for (int i = half; i < out.length(); i++) {
            if (Character.isSurrogate(text.charAt(i))) {
                if (isPair(text, i)) {
                    i++;
                } else {
                    out.setCharAt(i, '\ufffd');
                }
            }
        }
        return out.toString();
    }
}
