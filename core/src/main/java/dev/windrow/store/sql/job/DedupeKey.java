package dev.windrow.store.sql.job;

import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A dedupe key, and the job that may release it.
 *
 * @param name the key within its type
 * @param job the job
 */
public record DedupeKey(Name name, long job) {
    /**
     * A key within its type.
     *
     * @param type the type
     * @param key the key
     */
    public record Name(String type, String key) {}

    /**
     * Returns the key in the row of a job, or null without a key.
     *
     * @param ofChain the type within which its chain holds it; null for the type of the job's lane
     */
    public static @Nullable DedupeKey of(
            WriteTransaction tx, long lane, @Nullable String ofChain, @Nullable String key, long job)
            throws SQLException {
        return key == null ? null : new DedupeKey(new Name(ofChain == null ? tx.type(lane) : ofChain, key), job);
    }

    /** Returns the type within which it is held. */
    public String type() {
        return name.type;
    }

    /** Returns the key. */
    public String key() {
        return name.key;
    }
}
