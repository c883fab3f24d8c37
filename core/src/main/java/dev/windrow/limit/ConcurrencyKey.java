package dev.windrow.limit;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.validation.Bounds;
import org.jspecify.annotations.Nullable;

/**
 * A text that jobs share of which not all may run at once: a tenant, an account, an order. The key is one for all queues and types, and holds
 * across processes. A ready job takes a permit of its key, and keeps it until it has ended or waits again. Without a free permit
 * it waits, and delays no other job. The limits of an operator on the {@linkplain LimitTarget#key key} hold besides.
 *
 * @param key 1 to 200 characters
 * @param maxRunning the most permits of the key at once, 1 to 1 000 000; null: no limit, unless an operator sets one
 * @param inSequence whether they run one after the other, in the order in which they became ready: a job keeps its permit while it waits for a
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
     * Any number may run at once, unless an operator pauses or limits the key.
     *
     * @throws InvalidRequestException if the key is empty or longer than 200 characters
     */
    public static ConcurrencyKey of(String key) {
        return new ConcurrencyKey(key, null, false);
    }

    /**
     * At most so many run at once. If jobs of one key have different limits, the limit of the first waiting job counts.
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
