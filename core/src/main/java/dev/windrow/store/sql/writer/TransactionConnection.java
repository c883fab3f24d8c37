package dev.windrow.store.sql.writer;

import dev.windrow.TransactionWork;
import dev.windrow.store.OpenStore;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A store's own connection while {@link OpenStore#inTransaction} lends it. It has all methods of {@link Connection} except the ones that end the
 * transaction, which only the store may end. After the transaction it is closed for callers that have kept it, and the store can use the connection
 * behind it again.
 *
 * <p>The store's methods find it inside of the connection that they are given, even if other code has wrapped that. They add to it the actions to run
 * {@linkplain #afterCommit after the commit}. Used by one thread at a time, as the connection is.
 */
public final class TransactionConnection {
    /** SQLSTATE: invalid transaction termination. */
    private static final String NOT_YOURS_TO_END = "2D000";
    /** SQLSTATE: connection does not exist. */
    private static final String CLOSED = "08003";

    private final Connection connection;
    private final List<Runnable> afterCommit = new ArrayList<>();
    private final List<Long> ids = new ArrayList<>();
    private volatile boolean ended;

    private TransactionConnection(Connection connection) {
        this.connection = connection;
    }

    /** The code by which a store ends the transaction that it has begun. */
    public interface End {
        /**
         * Commits. In every case no transaction is open afterwards.
         *
         * @param ids the ids of the jobs that were enqueued in it
         * @throws dev.windrow.WindrowException if nothing was written, or the outcome is unknown
         */
        void commit(List<Long> ids);

        /** Rolls back. */
        void rollback() throws SQLException;
    }

    /**
     * Runs the callback on a connection whose transaction the store has begun. Ends the transaction, and then runs the actions for after the commit.
     * Rethrows an exception of the callback. The exception of a rollback that fails is suppressed in it.
     */
    public static <T extends @Nullable Object, E extends Exception> T run(
            Connection connection, TransactionWork<T, E> work, End end) throws E {
        TransactionConnection managed = new TransactionConnection(connection);
        T answer;
        try {
            answer = work.run(managed.proxy());
        } catch (Throwable e) {
            managed.ended = true;
            try {
                end.rollback();
            } catch (SQLException | RuntimeException failed) {
                e.addSuppressed(failed);
            }
            throw e;
        }
        managed.ended = true;
        end.commit(List.copyOf(managed.ids));
        managed.afterCommit.forEach(Runnable::run);
        return answer;
    }

    /** Returns the managed connection behind this one; null if the connection is not managed by the store. */
    public static @Nullable TransactionConnection behind(Connection connection) throws SQLException {
        return connection.isWrapperFor(TransactionConnection.class)
                ? connection.unwrap(TransactionConnection.class)
                : null;
    }

    /**
     * Adds an action to run after the commit, on the thread of the transaction. It does not run after a rollback. It must be short and must not
     * throw.
     */
    public void afterCommit(Runnable action) {
        afterCommit.add(Objects.requireNonNull(action, "action"));
    }

    /** Records jobs that were enqueued in the transaction. If the outcome of the commit is unknown, the exception has their ids. */
    public void enqueued(List<Long> jobs) {
        ids.addAll(jobs);
    }

    private Connection proxy() {
        InvocationHandler handler = (proxy, method, arguments) -> call(proxy, method, arguments);
        return (Connection) Proxy.newProxyInstance(
                TransactionConnection.class.getClassLoader(), new Class<?>[] {Connection.class}, handler);
    }

    private @Nullable Object call(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        Object first = arguments == null || arguments.length == 0 ? null : arguments[0];
        boolean ofThis = TransactionConnection.class.equals(first);
        return switch (method.getName()) {
            case "equals" -> proxy == first;
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> "transaction on " + connection;
            case "isClosed" -> ended || connection.isClosed();
            case "isWrapperFor" -> ofThis || Boolean.TRUE.equals(pass(method, arguments));
            case "unwrap" -> ofThis ? this : pass(method, arguments);
            case "commit", "close", "abort" -> throw notYoursToEnd(method);
            case "rollback" -> {
                if (first == null) {
                    throw notYoursToEnd(method);
                }
                yield pass(method, arguments);
            }
            case "setAutoCommit" -> {
                if (Boolean.TRUE.equals(first)) {
                    throw notYoursToEnd(method);
                }
                yield pass(method, arguments);
            }
            default -> pass(method, arguments);
        };
    }

    private @Nullable Object pass(Method method, Object @Nullable [] arguments) throws Throwable {
        requireOpen();
        try {
            return method.invoke(connection, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause() == null ? e : e.getCause();
        }
    }

    private void requireOpen() throws SQLException {
        if (ended) {
            throw new SQLException("the transaction has ended, and its connection is closed", CLOSED);
        }
    }

    private SQLException notYoursToEnd(Method method) throws SQLException {
        requireOpen();
        return new SQLException(
                "%s is not possible here: the transaction commits when its callback returns, and rolls back when it throws"
                        .formatted(method.getName()),
                NOT_YOURS_TO_END);
    }
}
