package dev.windrow.store.sql.limit;

import dev.windrow.limit.ConcurrencyKey;
import org.jspecify.annotations.Nullable;

/** Concurrency keys as they are stored: their text, and a number for how many of their jobs may run. */
public final class ConcurrencyKeys {
    /** In place of a number: one after the other, and a place is kept until the job has ended. */
    private static final int IN_SEQUENCE = 0;

    private ConcurrencyKeys() {}

    /** The number that is stored of a key; null: as many as is said elsewhere. */
    public static @Nullable Integer most(ConcurrencyKey key) {
        return key.inSequence() ? Integer.valueOf(IN_SEQUENCE) : key.maxRunning();
    }

    /** The key that {@link #most} is of. */
    public static ConcurrencyKey key(String key, @Nullable Long most) {
        return most == null
                ? ConcurrencyKey.of(key)
                : most == IN_SEQUENCE
                        ? ConcurrencyKey.inSequence(key)
                        : ConcurrencyKey.atMost(key, Math.toIntExact(most));
    }
}
