package dev.windrow.limit;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.validation.Bounds;
import org.jspecify.annotations.Nullable;

/**
 * A text that jobs share so that not all of them run at once, such as a tenant, an account or an order. A key is the same for all queues, types and
 * processes of a store. A ready job takes a permit of its key, and keeps it until it has ended or waits again. Without a free permit the job waits,
 * and delays no other job. An operator's limits of the {@linkplain LimitTarget#key key} apply as well.
 *
 * @param key 1 to 200 characters
 * @param maxRunning the maximum number of permits at once, 1 to 1 000 000; null: no limit, unless an operator sets one
 * @param inSequence true if the jobs run one after the other, in the order in which they became ready. A job then keeps its permit while it waits for
 *     a retry, until it has ended for good
 */
@CheckReturnValue
public record ConcurrencyKey(String key, @Nullable Integer maxRunning, boolean inSequence) {
    /**
     * Checks the values.
     *
     * @throws InvalidRequestException if a value is out of range, or a key in sequence has a limit
     */
    public ConcurrencyKey {
        Bounds.concurrencyKey(key);
        if (maxRunning != null) {
            Bounds.range("limit of concurrency key '" + Bounds.shortened(key) + "'", maxRunning, 1, 1_000_000);
            if (inSequence) {
                throw new InvalidRequestException(
                        "concurrency key '%s' is in sequence, one job at a time: a limit is not allowed with it"
                                .formatted(Bounds.shortened(key)));
            }
        }
    }

    /**
     * Returns a key without a limit: any number of jobs may run at once, unless an operator pauses or limits the key.
     *
     * @throws InvalidRequestException if the key is empty or longer than 200 characters
     */
    public static ConcurrencyKey of(String key) {
        return new ConcurrencyKey(key, null, false);
    }

    /**
     * Returns a key with a limit: at most this number of jobs runs at once. If jobs of one key have different limits, the limit of the first waiting
     * job counts.
     *
     * @throws InvalidRequestException if the key is empty or longer than 200 characters, or the number is not in 1 to 1 000 000
     */
    public static ConcurrencyKey atMost(String key, int maxRunning) {
        return new ConcurrencyKey(key, maxRunning, false);
    }

    /**
     * Returns a key whose jobs run one after the other, first in, first out. A job that fails for good, or is cancelled, lets the next one run. A job
     * with a higher priority goes first: give all jobs of a sequence the same priority.
     *
     * @throws InvalidRequestException if the key is empty or longer than 200 characters
     */
    public static ConcurrencyKey inSequence(String key) {
        return new ConcurrencyKey(key, null, true);
    }
}
