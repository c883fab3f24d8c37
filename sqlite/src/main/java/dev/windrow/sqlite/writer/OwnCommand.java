package dev.windrow.sqlite.writer;

import dev.windrow.store.Command;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A write that the store itself wants.
 *
 * @param phase its place among those that share a transaction
 * @param what what it does, for messages
 * @param weight the number of rows
 * @param work what is written
 * @param <T> the answer
 */
public record OwnCommand<T extends @Nullable Object>(Phase phase, String what, int weight, Work<T> work)
        implements Command.Internal<T> {
    /** A write. */
    public interface Work<T extends @Nullable Object> {
        T apply(SqliteTransaction tx) throws SQLException;
    }
}
