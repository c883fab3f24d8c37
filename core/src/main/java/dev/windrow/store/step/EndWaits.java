package dev.windrow.store.step;

import dev.windrow.store.Command;
import dev.windrow.store.StoreHints;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Settle;

/**
 * Ends the waits that have timed out, the earliest first; returns their number. A job that waited for external completion fails as {@code
 * TIMEOUT:WAIT}. A job whose handler {@linkplain Settle#awaits awaits an event} takes {@link Transition#WAKE}, and the event is {@code TIMED_OUT}.
 * Each change is guarded by the kind of the wait and by its time-out, as they are now by the store's clock. {@link StoreHints#waitEnds} reports when
 * the next one is due.
 *
 * @param limit the number at most
 */
public record EndWaits(int limit) implements Command<Integer> {
    @Override
    public Phase phase() {
        return Phase.UPKEEP;
    }

    @Override
    public String what() {
        return "ending waits";
    }
}
