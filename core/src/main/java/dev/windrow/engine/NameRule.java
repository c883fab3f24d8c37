package dev.windrow.engine;

import dev.windrow.InvalidRequestException;
import dev.windrow.engine.payload.UnpairedSurrogates;

/** The rules for names of workers, actors, steps and events, and for reasons. */
public final class NameRule {
    private NameRule() {}

    /**
     * Returns the name if it has 1 to 200 characters without control characters and unpaired surrogates; throws if not.
     */
    public static String check(String what, String name) {
        return check(what, name, 200);
    }

    /** Returns the reason of a change if it has 1 to 500 such characters; throws if not. */
    public static String reason(String reason) {
        return check("reason", reason, 500);
    }

    /** Throws if a detail of an entry has a name of more than 50 characters, or a value that {@link #reason} would refuse. */
    public static void detail(String name, String value) {
        check("name of a detail", name, 50);
        check("detail '" + name + "'", value, 500);
    }

    private static String check(String what, String name, int max) {
        if (name.isBlank() || name.length() > max || name.chars().anyMatch(Character::isISOControl)) {
            throw new InvalidRequestException(
                    "%s '%s' is not allowed: 1 to %d characters, no control characters".formatted(what, name, max));
        }
        if (UnpairedSurrogates.first(name) >= 0) {
            // The store would write another character, and two names might become equal.
            throw new InvalidRequestException(what + " holds an unpaired surrogate, which cannot be stored");
        }
        return name;
    }

    /** True if a store can hold the text. No name begins with another text. */
    public static boolean isStorable(String text) {
        return text.indexOf('\0') < 0 && UnpairedSurrogates.first(text) < 0;
    }

    /** Returns the number of rows to read, 1 to 1000; throws if it is out of range. */
    public static int limit(int limit) {
        if (limit < 1 || limit > 1000) {
            throw new InvalidRequestException("limit %d is not allowed: 1 to 1000".formatted(limit));
        }
        return limit;
    }
}
