package dev.windrow.schedule;

import dev.windrow.WindrowException;
import dev.windrow.validation.Bounds;

/** The name of a schedule that does not exist in this store (any more). Nothing was written. */
public final class ScheduleNotFoundException extends WindrowException {
    private static final long serialVersionUID = 1L;

    private final String name;

    /** Names the missing schedule. */
    public ScheduleNotFoundException(String name) {
        super("schedule '%s' does not exist in this store".formatted(Bounds.shortened(name)));
        this.name = name;
    }

    /** The name that was asked for. */
    public String name() {
        return name;
    }
}
