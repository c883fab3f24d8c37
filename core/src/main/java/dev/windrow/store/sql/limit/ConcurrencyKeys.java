package dev.windrow.store.sql.limit;

import dev.windrow.limit.ConcurrencyKey;
import org.jspecify.annotations.Nullable;

/** Concurrency keys as they are stored: their text, and a number for how many of their jobs may run. */
public final class ConcurrencyKeys {
    /** In place of a limit: one after the other, and a job keeps its permit until it has ended. */
    private static final int IN_SEQUENCE = 0;

    private ConcurrencyKeys() {}

    /** The number that is stored of a key; null: no limit of its own. */
    public static @Nullable Integer max(ConcurrencyKey key) {
        return key.inSequence() ? Integer.valueOf(IN_SEQUENCE) : key.maxRunning();
    }

    /** The key that {@link #max} is of. */
    public static ConcurrencyKey key(String key, @Nullable Long max) {
        return max == null
                ? ConcurrencyKey.of(key)
                : max == IN_SEQUENCE
                        ? ConcurrencyKey.inSequence(key)
                        : ConcurrencyKey.atMost(key, Math.toIntExact(max));
    }
}
