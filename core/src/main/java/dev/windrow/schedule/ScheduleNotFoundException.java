package dev.windrow.schedule;

import dev.windrow.WindrowException;
import dev.windrow.validation.Bounds;

/** Thrown if a schedule with this name does not exist in this store, or was removed. Nothing was written. */
public final class ScheduleNotFoundException extends WindrowException {
    private static final long serialVersionUID = 1L;

    private final String name;

    /** Creates the exception for the missing schedule. */
    public ScheduleNotFoundException(String name) {
        super("schedule '%s' does not exist in this store".formatted(Bounds.shortened(name)));
        this.name = name;
    }

    /** Returns the name of the missing schedule. */
    public String name() {
        return name;
    }
}
