package dev.windrow.postgres;

import dev.windrow.store.Command;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Applies the commands of a class in a transaction.
 *
 * @param <C> the class
 * @param <T> the answer
 */
interface Applier<C extends Command<T>, T extends @Nullable Object> {
    /** Applies a command; returns its answer. A refusal rolls back what the command has written. */
    T apply(PostgresTransaction tx, C command) throws SQLException;
}
