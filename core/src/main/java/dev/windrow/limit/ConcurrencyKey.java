package dev.windrow.limit;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.validation.Bounds;
import org.jspecify.annotations.Nullable;

/**
 * A text that jobs share of which not all may run at once: a tenant, an account, an order. The key is one for all queues and types, and holds
 * across processes. A job that is ready takes a place of its key, and keeps it until it has ended or waits again; one that finds none
 * waits in line, in nobody's way. What an operator says of the {@linkplain LimitTarget#key key} holds besides.
 *
 * @param key 1 to 200 characters
 * @param maxRunning how many jobs of the key may have a place at once, 1 to 1 000 000; null: any number, until an operator says otherwise
 * @param inSequence whether they run one after the other, in the order in which they became ready: a job keeps its place while it waits for a
 *     retry, until it has ended for good
 */
@CheckReturnValue
public record ConcurrencyKey(String key, @Nullable Integer maxRunning, boolean inSequence) {
    /** Checks the values. */
    public ConcurrencyKey {
        Bounds.concurrencyKey(key);
        if (maxRunning != null) {
            Bounds.range("limit of concurrency key '" + Bounds.shortened(key) + "'", maxRunning, 1, 1_000_000);
            if (inSequence) {
                throw new InvalidRequestException(
                        "concurrency key '%s' is in sequence, one at a time: no limit beside it"
                                .formatted(Bounds.shortened(key)));
            }
        }
    }

    /**
     * Any number may run at once, as long as nobody says otherwise: for what an operator may want to pause, limit or slow down later.
     *
     * @throws InvalidRequestException if the key is empty or longer than 200 characters
     */
    public static ConcurrencyKey of(String key) {
        return new ConcurrencyKey(key, null, false);
    }

    /**
     * At most so many run at once. If jobs of one key say different numbers, each one's own counts when it is its turn.
     *
     * @throws InvalidRequestException if the key is empty or longer than 200 characters, or the number is not in 1 to 1 000 000
     */
    public static ConcurrencyKey atMost(String key, int maxRunning) {
        return new ConcurrencyKey(key, maxRunning, false);
    }

    /**
     * One after the other, first in, first out. A job that fails for good, or is cancelled, lets the next one go. Of jobs with different
     * priorities the higher one goes first: give all jobs of a sequence the same.
     *
     * @throws InvalidRequestException if the key is empty or longer than 200 characters
     */
    public static ConcurrencyKey inSequence(String key) {
        return new ConcurrencyKey(key, null, true);
    }
}
