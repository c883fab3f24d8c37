package dev.windrow.postgres;

import dev.windrow.store.Command;
import java.sql.SQLException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A write, or a look under locks, that the store itself wants.
 *
 * @param what what it does, for messages
 * @param names adds the names that it uses
 * @param work what is done
 * @param <T> the answer
 */
record OwnCommand<T extends @Nullable Object>(String what, Consumer<Names.Used> names, Work<T> work)
        implements Command.Internal<T> {
    /** A write. */
    interface Work<T extends @Nullable Object> {
        T apply(PostgresTransaction tx) throws SQLException;
    }

    @Override
    public Phase phase() {
        return Phase.REGISTRY;
    }

    @Override
    public boolean waitsForRoom() {
        return false;
    }
}
