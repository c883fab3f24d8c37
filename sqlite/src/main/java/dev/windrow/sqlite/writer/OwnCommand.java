package dev.windrow.sqlite.writer;

import dev.windrow.store.Command;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A write that the store itself makes.
 *
 * @param phase its order among the commands that share a transaction
 * @param what its name, for messages
 * @param weight the number of rows
 * @param work the statements
 * @param <T> the result
 */
public record OwnCommand<T extends @Nullable Object>(Phase phase, String what, int weight, Work<T> work)
        implements Command.Internal<T> {
    /** A write. */
    public interface Work<T extends @Nullable Object> {
        T apply(SqliteTransaction tx) throws SQLException;
    }
}
