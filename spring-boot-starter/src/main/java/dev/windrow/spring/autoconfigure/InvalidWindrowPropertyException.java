package dev.windrow.spring.autoconfigure;

import dev.windrow.InvalidRequestException;
import org.jspecify.annotations.Nullable;

/** A setting with which the application cannot start. {@link WindrowFailureAnalyzer} prints it. */
final class InvalidWindrowPropertyException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String action;

    /**
     * Creates the exception.
     *
     * @param description what is wrong, with the property and its value
     * @param action what to do, with the allowed values
     */
    InvalidWindrowPropertyException(String description, String action, @Nullable Throwable cause) {
        super(description, cause);
        this.action = action;
    }

    String action() {
        return action;
    }

    /** Applies the value of a property. The engine knows its range. */
    static void apply(String property, Object value, Runnable setting) {
        try {
            setting.run();
        } catch (InvalidRequestException e) {
            throw new InvalidWindrowPropertyException(
                    "Property '%s' with value '%s' is not allowed: %s".formatted(property, value, e.getMessage()),
                    "Set '%s' to a value that is allowed: %s".formatted(property, e.getMessage()),
                    e);
        }
    }
}
