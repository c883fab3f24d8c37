package dev.windrow.postgres.writer;

import dev.windrow.store.Command;
import java.sql.SQLException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A write of the store itself, or a query under locks.
 *
 * @param <T> the result
 */
public class OwnCommand<T extends @Nullable Object> implements Command.Internal<T> {
    /** The work of the command. */
    public interface Work<T extends @Nullable Object> {
        T apply(PostgresTransaction tx) throws SQLException;
    }

    private final String what;
    final Consumer<Names.Used> names;
    final Work<T> work;

    /**
     * Makes a command.
     *
     * @param what its description, for messages
     * @param names adds the names that it uses
     */
    public OwnCommand(String what, Consumer<Names.Used> names, Work<T> work) {
        this.what = what;
        this.names = names;
        this.work = work;
    }

    @Override
    public Phase phase() {
        return Phase.REGISTRY;
    }

    @Override
    public String what() {
        return what;
    }

    @Override
    public boolean waitsForRoom() {
        return false;
    }
}
