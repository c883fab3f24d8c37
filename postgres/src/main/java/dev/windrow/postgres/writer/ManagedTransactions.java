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

/** Transactions of callers on connections of the store's own. */
public final class ManagedTransactions {
    /** So many at once: however many callers there are, the lines that keep workers alive find a connection. */
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
     * Why the calling thread cannot do this inside a transaction that is managed by a store; null outside. It might wait for its own rows, and on SQLite it
     * would in any case: a program that runs on one store shall run on the other.
     */
    @Nullable public InvalidRequestException refusal(String what) {
        return isInside()
                ? new InvalidRequestException(
                        "%s is not possible inside inTransaction: use on(connection) with the connection that the callback was given, or do it after the transaction"
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
            throw new StoreUnavailableException(WHAT + " was interrupted while it waited for its turn", e);
        }
        if (!taken) {
            throw new StoreUnavailableException("%s could not begin within %s: %d others of this process have not ended"
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
            // A pool has failed in its own way.
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

    /** How such a transaction ends. */
    private record Ending(Session session, Database database) implements TransactionConnection.End {
        @Override
        public void commit(List<Long> ids) {
            boolean asked = false;
            try {
                answersInTime();
                // A transaction in which a statement has failed is rolled back by a commit, and nobody says so.
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
                // A pool has failed in its own way, or there is no memory to read the server's answer.
                session.abort();
                if (asked) {
                    throw unknown("its commit failed unexpectedly", SafeLogger.text(e), ids);
                }
                throw e;
            }
        }

        private static OutcomeUnknownException unknown(String what, String why, List<Long> ids) {
            log.warn("The outcome of a transaction is unknown: {}: {}", what, why);
            return new OutcomeUnknownException(
                    "%s has an unknown outcome: %s (%s); it may have been written".formatted(WHAT, what, why), ids);
        }

        @Override
        public void rollback() throws SQLException {
            answersInTime();
            session.connection().rollback();
        }

        /** The end is not waited for without a limit, as what a callback asks for is. */
        private void answersInTime() throws SQLException {
            session.answersWithin((int) TimeUnit.NANOSECONDS.toMillis(2 * database.operationNanos()));
        }
    }
}
