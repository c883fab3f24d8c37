package dev.windrow.postgres.writer;

import dev.windrow.store.Command;
import java.sql.SQLException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A write, or a look under locks, that the store itself wants.
 *
 * @param <T> the answer
 */
public class OwnCommand<T extends @Nullable Object> implements Command.Internal<T> {
    /** A write. */
    public interface Work<T extends @Nullable Object> {
        T apply(PostgresTransaction tx) throws SQLException;
    }

    private final String what;
    final Consumer<Names.Used> names;
    final Work<T> work;

    /**
     * A write.
     *
     * @param what what it does, for messages
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
