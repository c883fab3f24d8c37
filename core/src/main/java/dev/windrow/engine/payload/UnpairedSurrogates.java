package dev.windrow.engine.payload;

import dev.windrow.InvalidRequestException;

/**
 * Finds unpaired surrogates: one of the two {@code char}s of a surrogate pair without the other. Java's strings may
 * contain them. UTF-8, and so a database, has no bytes for them, and drivers silently write a question mark in their
 * place.
 */
public final class UnpairedSurrogates {
    private UnpairedSurrogates() {}

    /** Returns the index of the first unpaired surrogate, or -1. */
    public static int first(String text) {
        int length = text.length();
        for (int i = 0; i < length; i++) {
            // For other characters the loop does nothing more, because every payload passes through it.
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
     * Returns JSON text with the same meaning that can be stored. An unpaired surrogate within a string is written as
     * its escape, such as {@code \ud83d}.
     *
     * @param what the name of the text, for messages
     * @throws InvalidRequestException if one is in the name of a property, which JSON readers refuse; if one is outside
     *     of a string or after a backslash, where JSON does not permit it
     */
    static String escaped(String json, String what) {
        return first(json) < 0 ? json : escapeEach(json, what);
    }

    private static String escapeEach(String json, String what) {
        StringBuilder out = new StringBuilder(json.length() + 16);
        boolean quoted = false;
        boolean behindBackslash = false;
        // The last unpaired surrogate in the open string, or 0.
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
                "%s contains an unpaired surrogate (\\u%04x) where it cannot be stored; allowed: in a JSON string that is not the name of a property"
                        .formatted(what, (int) half));
    }

    /** Returns text with U+FFFD in the place of each unpaired surrogate. */
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
