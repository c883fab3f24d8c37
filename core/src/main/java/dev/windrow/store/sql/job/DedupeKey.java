package dev.windrow.store.sql.job;

import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A dedupe key, and the job that may give it up.
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
     * The key that a job says it has; null: none.
     *
     * @param ofChain the type within which its chain holds it; null: that of the job's lane
     */
    public static @Nullable DedupeKey of(
            WriteTransaction tx, long lane, @Nullable String ofChain, @Nullable String key, long job)
            throws SQLException {
        return key == null ? null : new DedupeKey(new Name(ofChain == null ? tx.type(lane) : ofChain, key), job);
    }

    /** The type within which it is held. */
    public String type() {
        return name.type;
    }

    /** The key. */
    public String key() {
        return name.key;
    }
}
