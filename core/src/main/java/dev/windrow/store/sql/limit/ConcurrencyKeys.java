package dev.windrow.store.sql.limit;

import dev.windrow.limit.ConcurrencyKey;
import org.jspecify.annotations.Nullable;

/** The stored form of concurrency keys: their text, and a number for how many of their jobs may run. */
public final class ConcurrencyKeys {
    /** The number in place of a limit that means: one job after the other, and a job keeps its permit until it has ended. */
    private static final int IN_SEQUENCE = 0;

    private ConcurrencyKeys() {}

    /** Returns the number that is stored for a key; null if it has no limit of its own. */
    public static @Nullable Integer max(ConcurrencyKey key) {
        return key.inSequence() ? Integer.valueOf(IN_SEQUENCE) : key.maxRunning();
    }

    /** Returns the key for a number that {@link #max} returned. */
    public static ConcurrencyKey key(String key, @Nullable Long max) {
        return max == null
                ? ConcurrencyKey.of(key)
                : max == IN_SEQUENCE
                        ? ConcurrencyKey.inSequence(key)
                        : ConcurrencyKey.atMost(key, Math.toIntExact(max));
    }
}
