package dev.windrow;

import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * The callback of a transaction on a connection of the store; see {@code Windrow.inTransaction}.
 *
 * @param <T> the type of the returned value
 * @param <E> the type of the checked exception. A lambda that throws no checked exception needs no declaration of it
 */
@FunctionalInterface
public interface TransactionWork<T extends @Nullable Object, E extends Exception> {
    /**
     * Reads and writes on this connection. Returning commits the transaction; throwing rolls it back.
     *
     * @param connection a connection in an open transaction that can write. It is valid for this call only, and for one thread at a time. Do not
     *     commit, roll back or close it, and do not switch it to autocommit mode. The same holds for the connection that
     *     {@link java.sql.Statement#getConnection} of its statements returns. The callback may use savepoints. Settings of the session ({@code SET},
     *     not {@code SET LOCAL}) may stay on a pooled connection
     */
    T run(Connection connection) throws E;
}
