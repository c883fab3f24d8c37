package dev.windrow.postgres.writer;

import dev.windrow.Durations;
import dev.windrow.InvalidRequestException;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TransactionWork;
import dev.windrow.WindrowException;
import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.Session;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.writer.TransactionConnection;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Managed transactions: transactions of callers on connections of the store. */
public final class ManagedTransactions {
    /** The most managed transactions at once. With any number of callers, the writers that keep workers alive still get a connection. */
    public static final int MOST = 5;

    private static final String WHAT = "a transaction";

    private static final Logger log = SafeLogger.of(ManagedTransactions.class);

    private final Database database;
    private final Semaphore places = new Semaphore(MOST, true);
    private final Set<Thread> inside = ConcurrentHashMap.newKeySet();

    public ManagedTransactions(Database database) {
        this.database = database;
    }

    /**
     * Returns the refusal of an operation that the calling thread asks for inside of a managed transaction of any store; null outside of one. The
     * thread might wait for its own rows. On SQLite it always would, and a program that runs on one store shall run on the other.
     */
    @Nullable public InvalidRequestException refusal(String what) {
        return isInside()
                ? new InvalidRequestException(
                        "%s is not possible inside inTransaction: use on(connection) with the callback's connection, or do it after the transaction"
                                .formatted(what))
                : null;
    }

    public boolean isInside() {
        return inside.contains(Thread.currentThread());
    }

    public <T extends @Nullable Object, E extends Exception> T run(TransactionWork<T, E> work) throws E {
        InvalidRequestException refusal = refusal(WHAT);
        if (refusal != null) {
            throw refusal;
        }
        takePlace();
        try (Session session = begin()) {
            inside.add(Thread.currentThread());
            return TransactionConnection.run(connection(session), work, new Ending(session, database));
        } finally {
            inside.remove(Thread.currentThread());
            places.release();
        }
    }

    private void takePlace() {
        boolean taken;
        try {
            taken = places.tryAcquire(database.operationNanos(), TimeUnit.NANOSECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException(WHAT + " was interrupted while it waited for a free transaction", e);
        }
        if (!taken) {
            throw new StoreUnavailableException(
                    "%s could not begin within %s: %d other transactions of this process have not ended"
                            .formatted(WHAT, Durations.text(Duration.ofNanos(database.operationNanos())), MOST));
        }
    }

    private Session begin() {
        try {
            try {
                return tryToBegin();
            } catch (SQLException e) {
                if (!database.losesStatements(e)) {
                    throw e;
                }
                return tryToBegin();
            }
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, WHAT);
        } catch (WindrowException e) {
            throw e;
        } catch (RuntimeException e) {
            // A pool may fail with exceptions of its own.
            throw new StoreUnavailableException("%s could not begin: %s".formatted(WHAT, e), e);
        }
    }

    private Session tryToBegin() throws SQLException {
        Session session = database.borrowManaged();
        boolean begun = false;
        try {
            session.get(TransactionSql.BEGIN_MANAGED)
                    .set(1, database.statementTimeout())
                    .rows()
                    .close();
            begun = true;
            return session;
        } finally {
            if (!begun) {
                session.abort();
            }
        }
    }

    private static Connection connection(Session session) {
        try {
            return session.connection();
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, WHAT);
        }
    }

    /** The end of a managed transaction. */
    private record Ending(Session session, Database database) implements TransactionConnection.End {
        @Override
        public void commit(List<Long> ids) {
            boolean asked = false;
            try {
                answersInTime();
                // If a statement has failed in a transaction, a commit rolls it back without an error.
                session.requireGood();
                asked = true;
                session.commitUnprepared();
            } catch (SQLException e) {
                session.rollback();
                if (asked && (PostgresErrors.isConnectionGone(e) || !PostgresErrors.isOfTheServer(e))) {
                    throw unknown("the connection broke at its commit", PostgresErrors.message(e), ids);
                }
                throw PostgresErrors.translate(e, "committing " + WHAT);
            } catch (RuntimeException | Error e) {
                // A pool may fail with exceptions of its own, or there is no memory to read the server's answer.
                session.abort();
                if (asked) {
                    throw unknown("its commit failed unexpectedly", SafeLogger.text(e), ids);
                }
                throw e;
            }
        }

        private static OutcomeUnknownException unknown(String what, String why, List<Long> ids) {
            log.warn(
                    "The outcome of a transaction is unknown ({}: {}); it may have been committed, and its caller gets an exception",
                    what,
                    why);
            return new OutcomeUnknownException(
                    "%s has an unknown outcome: %s (%s); it may have been written".formatted(WHAT, what, why), ids);
        }

        @Override
        public void rollback() throws SQLException {
            answersInTime();
            session.connection().rollback();
        }

        /** Sets a limit for the end. The statements of a callback have none. */
        private void answersInTime() throws SQLException {
            session.answersWithin((int) TimeUnit.NANOSECONDS.toMillis(2 * database.operationNanos()));
        }
    }
}
