package dev.windrow.engine;

import dev.windrow.InvalidRequestException;

/** The rule for names of workers and actors. */
final class Names {
    private Names() {}

    /** 1 to 200 characters, no control characters. */
    static String check(String what, String name) {
        if (name.isBlank() || name.length() > 200 || name.chars().anyMatch(Character::isISOControl)) {
            throw new InvalidRequestException(
                    "%s '%s' is not allowed: 1 to 200 characters, no control characters".formatted(what, name));
        }
        return name;
    }
}
