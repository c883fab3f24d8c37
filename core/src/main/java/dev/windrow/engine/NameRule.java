package dev.windrow.engine;

import dev.windrow.InvalidRequestException;
import dev.windrow.engine.payload.UnpairedSurrogates;

/** The rule for names of workers, actors, steps and events, and for reasons. */
public final class NameRule {
    private NameRule() {}

    /**
     * Returns the name if it has 1 to 200 characters without control characters and unpaired surrogates; throws if not.
     */
    public static String check(String what, String name) {
        if (name.isBlank() || name.length() > 200 || name.chars().anyMatch(Character::isISOControl)) {
            throw new InvalidRequestException(
                    "%s '%s' is not allowed: 1 to 200 characters, no control characters".formatted(what, name));
        }
        if (UnpairedSurrogates.first(name) >= 0) {
            // The store would write another character, and two names might become equal.
            throw new InvalidRequestException(what + " holds an unpaired surrogate, which cannot be stored");
        }
        return name;
    }

    /** Returns the number of rows to read, 1 to 1000; throws if it is out of range. */
    public static int limit(int limit) {
        if (limit < 1 || limit > 1000) {
            throw new InvalidRequestException("limit %d is not allowed: 1 to 1000".formatted(limit));
        }
        return limit;
    }
}
