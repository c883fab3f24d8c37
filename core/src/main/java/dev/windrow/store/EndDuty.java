package dev.windrow.store;

import org.jspecify.annotations.Nullable;

/**
 * Records that a duty is done; false, and nothing is written, when it was lost meanwhile.
 *
 * @param duty the duty and its holder
 * @param detail what was done, as short JSON, or null
 */
public record EndDuty(Duty duty, @Nullable String detail) implements Command<Boolean> {
    @Override
    public Phase phase() {
        return Phase.UPKEEP;
    }

    @Override
    public String what() {
        return "ending duty " + duty.name();
    }
}
