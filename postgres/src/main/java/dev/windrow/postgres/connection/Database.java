package dev.windrow.postgres.connection;

import com.zaxxer.hikari.HikariDataSource;
import dev.windrow.InvalidRequestException;
import dev.windrow.store.SafeLogger;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The source of the store's connections. Safe for use by many threads. */
public final class Database implements AutoCloseable {
    /**
     * The most statements in a row that may be lost until all connections of a pool are new, and nothing is prepared on any. More losses are a
     * problem.
     */
    public static final int MAX_LOSSES = 10;

    /** The connections of the smallest pool that is enough: one for the listener, and one more. */
    private static final int LEAST = 2;

    private final DataSource source;
    private final @Nullable AutoCloseable own;
    private final Tables tables;
    private final long operationNanos;
    private final Sessions sessions;
    /** True if a proxy loses the statements that the driver prepares. */
    private final AtomicBoolean losesStatements = new AtomicBoolean();

    private static final Logger log = SafeLogger.of(Database.class);
    private final AtomicReference<Session.@Nullable Run> lastRun = new AtomicReference<>();

    /**
     * Makes the connections of one store.
     *
     * @param own the pool, if this store must close it
     * @param operationNanos the operation timeout
     * @param patienceNanos the time for which a thread waits for a session of another one
     */
    public Database(
            DataSource source, @Nullable AutoCloseable own, Tables tables, long operationNanos, long patienceNanos) {
        int size = poolSize(source);
        if (size < LEAST) {
            throw new InvalidRequestException(
                    "maximumPoolSize %d of the pool %s is not allowed: %d or more, as one connection listens; %d for full speed, and one for each inTransaction at a time"
                            .formatted(size, source, LEAST, Sessions.USUAL + 1));
        }
        this.source = source;
        this.own = own;
        this.tables = tables;
        this.operationNanos = operationNanos;
        this.sessions = new Sessions(this::borrow, patienceNanos, size - 1);
    }

    /** Returns the most connections of a pool of the application, if the pool reports it. */
    private static int poolSize(DataSource source) {
        try {
            return source.isWrapperFor(HikariDataSource.class)
                    ? source.unwrap(HikariDataSource.class).getMaximumPoolSize()
                    : Integer.MAX_VALUE;
        } catch (SQLException e) {
            log.debug("The pool does not report its size: {}", e.getMessage());
            return Integer.MAX_VALUE;
        }
    }

    /** Returns the sessions that the threads of the store share. */
    public Sessions sessions() {
        return sessions;
    }

    public Tables tables() {
        return tables;
    }

    public long operationNanos() {
        return operationNanos;
    }

    /** Returns the time limit of a statement, in the duration format of PostgreSQL. */
    public String statementTimeout() {
        return TimeUnit.NANOSECONDS.toMillis(operationNanos) + "ms";
    }

    /** Borrows a connection. It counts as broken if an answer takes more than twice the time limit of a statement. */
    public Session borrow() throws SQLException {
        return session(raw(), answerMillis(), !losesStatements.get());
    }

    /** Borrows a connection for work that is not repeated. The server prepares nothing on it, so that a proxy has nothing to lose. */
    public Session borrowOnce() throws SQLException {
        return session(raw(), answerMillis(), false);
    }

    private int answerMillis() {
        return (int) TimeUnit.NANOSECONDS.toMillis(2 * operationNanos);
    }

    /** Borrows a connection for work that is not repeated. Its answers have no time limit. */
    public Session borrowPatient() throws SQLException {
        return session(raw(), 0, false);
    }

    /** Borrows a connection for the statements of a caller. Its answers have no time limit. */
    public Session borrowManaged() throws SQLException {
        return session(raw(), 0, !losesStatements.get());
    }

    /** Borrows an unchanged connection. */
    public Connection raw() throws SQLException {
        return source.getConnection();
    }

    /**
     * Checks an error of a borrowed session. If it shows that a prepared statement was lost, connections that are borrowed from now on prepare none,
     * and it returns true. Nothing was written then.
     */
    public boolean losesStatements(SQLException e) {
        boolean lost = PostgresErrors.isStatementLost(e);
        if (lost && losesStatements.compareAndSet(false, true)) {
            log.warn(
                    "A proxy has lost a prepared statement of {} ({}): statements are no longer prepared, and so take longer; {}",
                    tables.name("*"),
                    PostgresErrors.message(e),
                    PostgresErrors.PREPARE_THRESHOLD);
        }
        return lost;
    }

    /** True if the server has refused one statement, and neither because of locked rows nor because it has lost the statement. */
    public boolean isOfStatement(SQLException e) {
        return PostgresErrors.isOfTheServer(e)
                && !PostgresErrors.isStoreWide(e)
                && !PostgresErrors.isLocked(e)
                && !losesStatements(e);
    }

    private Session session(Connection connection, int timeoutMillis, boolean prepares) throws SQLException {
        try {
            return begin(connection, timeoutMillis, prepares);
        } catch (SQLException e) {
            if (!losesStatements(e)) {
                throw e;
            }
            // The driver prepared statements on it while another user had it. Another connection may have none.
            return begin(raw(), timeoutMillis, false);
        }
    }

    private Session begin(Connection connection, int timeoutMillis, boolean prepares) throws SQLException {
        boolean done = false;
        try {
            Session session = Session.on(connection, tables, timeoutMillis, prepares, lastRun);
            done = true;
            return session;
        } finally {
            if (!done) {
                // The connection is not given back, because statements that the driver takes for prepared may be lost.
                Session.abort(connection);
            }
        }
    }

    @Override
    public void close() {
        if (own != null) {
            try {
                own.close();
            } catch (Exception e) {
                throw new IllegalStateException("closing the pool of connections failed", e);
            }
        }
    }
}
