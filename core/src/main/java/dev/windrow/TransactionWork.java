package dev.windrow;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * What is done in one transaction on a connection of the store's: see {@code Windrow.inTransaction}.
 *
 * @param <T> what it answers
 * @param <E> what it throws; a lambda that throws nothing checked needs no word about it
 */
@FunctionalInterface
public interface TransactionWork<T extends @Nullable Object, E extends Exception> {
    /**
     * Reads and writes on this connection. To return commits, to throw rolls back.
     *
     * @param connection in an open transaction that can write; for this call only, and for one thread at a time. It must not be committed,
     *     rolled back, closed or put into autocommit mode, nor may the one that {@link java.sql.Statement#getConnection} of its
     *     statements tells; savepoints are the callback's own. What is set for the session ({@code SET}, not {@code SET LOCAL}) may stay on
     *     a connection of a pool
     */
    T run(Connection connection) throws E;
}
