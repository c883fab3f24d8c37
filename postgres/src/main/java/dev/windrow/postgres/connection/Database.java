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

/** Where connections come from. Safe for use by many threads. */
public final class Database implements AutoCloseable {
    /** So many times in a row a statement may be lost until all connections of a pool are new, and nothing is prepared on any. More is a problem. */
    public static final int MAX_LOSSES = 10;

    /** The connections of the smallest pool that will do: the listener's, and one. */
    private static final int LEAST = 2;

    private final DataSource source;
    private final @Nullable AutoCloseable own;
    private final Tables tables;
    private final long operationNanos;
    private final Sessions sessions;
    /** Whether a proxy loses the statements that the driver prepares. */
    private final AtomicBoolean losesStatements = new AtomicBoolean();

    private static final Logger log = SafeLogger.of(Database.class);
    private final AtomicReference<Session.@Nullable Run> lastRun = new AtomicReference<>();

    /**
     * The connections of one store.
     *
     * @param own the pool, if it is this store's to close
     * @param operationNanos how long an operation may take
     * @param patienceNanos how long a thread waits for a session of another one
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

    /** The most connections that a pool of the application has, if the pool tells. */
    private static int poolSize(DataSource source) {
        try {
            return source.isWrapperFor(HikariDataSource.class)
                    ? source.unwrap(HikariDataSource.class).getMaximumPoolSize()
                    : Integer.MAX_VALUE;
        } catch (SQLException e) {
            log.debug("The pool does not tell its size: {}", e.getMessage());
            return Integer.MAX_VALUE;
        }
    }

    /** Those that the threads of the store share. */
    public Sessions sessions() {
        return sessions;
    }

    public Tables tables() {
        return tables;
    }

    public long operationNanos() {
        return operationNanos;
    }

    /** How long a statement may take, as PostgreSQL writes durations. */
    public String statementTimeout() {
        return TimeUnit.NANOSECONDS.toMillis(operationNanos) + "ms";
    }

    /** Borrows a connection. Silence beyond twice the time that the server gives a statement means that it is gone. */
    public Session borrow() throws SQLException {
        return session(raw(), answerMillis(), !losesStatements.get());
    }

    /** The same for what is not repeated: it has the server prepare nothing, so that a proxy has nothing to lose. */
    public Session borrowOnce() throws SQLException {
        return session(raw(), answerMillis(), false);
    }

    private int answerMillis() {
        return (int) TimeUnit.NANOSECONDS.toMillis(2 * operationNanos);
    }

    /** The same, and answers may take as long as they take. */
    public Session borrowPatient() throws SQLException {
        return session(raw(), 0, false);
    }

    /** Borrows one for the statements of a caller: answers may take as long as they take. */
    public Session borrowManaged() throws SQLException {
        return session(raw(), 0, !losesStatements.get());
    }

    /** Borrows a connection as it is. */
    public Connection raw() throws SQLException {
        return source.getConnection();
    }

    /**
     * Judges an error of a session that was borrowed: if it says that a prepared statement was lost, what is borrowed from now on prepares none, and
     * true is returned. Nothing was written then.
     */
    public boolean losesStatements(SQLException e) {
        boolean lost = PostgresErrors.isStatementLost(e);
        if (lost && losesStatements.compareAndSet(false, true)) {
            log.warn(
                    "A proxy has lost a prepared statement of {} ({}): none is prepared any more, which costs time; {}",
                    tables.name("*"),
                    PostgresErrors.message(e),
                    PostgresErrors.PREPARE_THRESHOLD);
        }
        return lost;
    }

    private Session session(Connection connection, int timeoutMillis, boolean prepares) throws SQLException {
        try {
            return begin(connection, timeoutMillis, prepares);
        } catch (SQLException e) {
            if (!losesStatements(e)) {
                throw e;
            }
            // The driver had statements prepared on it while another one had it. Another connection need not have any.
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
                // Not given back: what the driver believes to be prepared on it may be lost.
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
