package dev.windrow.engine;

import dev.windrow.InvalidRequestException;
import dev.windrow.engine.payload.UnpairedSurrogates;

/** The rule for names of workers, actors, steps and events, and for reasons. */
public final class NameRule {
    private NameRule() {}

    /** 1 to 200 characters, no control characters, and no half of one. */
    public static String check(String what, String name) {
        if (name.isBlank() || name.length() > 200 || name.chars().anyMatch(Character::isISOControl)) {
            throw new InvalidRequestException(
                    "%s '%s' is not allowed: 1 to 200 characters, no control characters".formatted(what, name));
        }
        if (UnpairedSurrogates.first(name) >= 0) {
            // Another character would be stored, and two names might become one.
            throw new InvalidRequestException(what + " holds an unpaired surrogate, which cannot be stored");
        }
        return name;
    }

    /** A number of rows to read: 1 to 1000. */
    public static int limit(int limit) {
        if (limit < 1 || limit > 1000) {
            throw new InvalidRequestException("limit %d is not allowed: 1 to 1000".formatted(limit));
        }
        return limit;
    }
}
