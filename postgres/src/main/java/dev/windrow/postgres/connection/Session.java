package dev.windrow.postgres.connection;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.postgres.writer.TransactionSql;
import dev.windrow.store.SafeLogger;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGStatement;
import org.postgresql.jdbc.AutoSave;
import org.slf4j.Logger;

/**
 * A borrowed connection with its statements, outside of autocommit. Its settings are restored when it is returned. No setting outlives a transaction,
 * so that a proxy may give each transaction another server connection. Its transactions are {@code READ COMMITTED}, independent of the defaults of
 * the server, the database and the user. Not safe for use by more than one thread at a time.
 */
public final class Session implements AutoCloseable {
    private static final Logger log = SafeLogger.of(Session.class);

    /** An executor on the calling thread, because the driver sets the socket's own timeout and runs nothing. */
    private static final Executor DIRECT = Runnable::run;

    /** The statement before the first one of a transaction, if another isolation is the default. */
    private static final String READ_COMMITTED = "SET TRANSACTION ISOLATION LEVEL READ COMMITTED";

    private final Connection connection;
    private final PostgresStatements statements;
    private final boolean autoCommit;
    private final int networkTimeout;
    private final int timeoutMillis;
    /** True if transactions have another default isolation. */
    private final boolean strict;

    private final Run run;
    /** The time at which its plans were first made. */
    private long plansNanos = System.nanoTime();
    /** True if a transaction is open and its isolation is set. */
    private boolean begun;

    private @Nullable Answer lastAnswer;

    /**
     * The answer to a commit.
     *
     * @param nanos the time at which it was read, by {@link System#nanoTime}
     * @param serverMillis the time of its transaction by the server's clock
     */
    public record Answer(long nanos, long serverMillis) {}

    /**
     * A run of a server, from its start to its end. The next run may have lost commits of this one, because a standby that has fallen behind, or a
     * backup, replaces the server.
     *
     * @param started the start time in microseconds since 1970, which no two servers have in common
     * @param history the timeline of its log; the numbers of transactions are valid only within one
     */
    public record Run(long started, String history) {
        /** Reads a run. If the server does not report its timeline, each run has its own history. */
        private static Run of(Connection connection, long started) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(TransactionSql.TIMELINE)) {
                row.next();
                return new Run(started, row.getString(1));
            } catch (SQLException e) {
                if (PostgresErrors.isConnectionGone(e)) {
                    throw e;
                }
                log.info(
                        "The server does not report its timeline ({}): after a restart of the server, a commit whose answer was lost has an unknown outcome",
                        PostgresErrors.message(e));
                return new Run(started, "started " + started);
            }
        }
    }

    /** The number of uses after which the server prepared the connection's statements, if that was changed; null if it was not. */
    private final @Nullable Integer prepareThreshold;
    /** The driver's setting for savepoints, to be restored; null with another driver. */
    private final @Nullable AutoSave autosave;

    private Session(
            Connection connection,
            Tables tables,
            boolean autoCommit,
            int networkTimeout,
            int timeoutMillis,
            boolean strict,
            Run run,
            @Nullable Integer prepareThreshold,
            @Nullable AutoSave autosave) {
        this.connection = connection;
        this.statements = new PostgresStatements(connection, tables, this::begin);
        this.autoCommit = autoCommit;
        this.networkTimeout = networkTimeout;
        this.timeoutMillis = timeoutMillis;
        this.strict = strict;
        this.run = run;
        this.prepareThreshold = prepareThreshold;
        this.autosave = autosave;
    }

    /**
     * Takes over a connection.
     *
     * @param timeoutMillis the time for an answer after which the connection counts as broken
     * @param prepares true if the driver may prepare statements in the server
     * @param lastRun the run of the server to which the last connection led; changed if this one leads to another
     */
    static Session on(
            Connection connection,
            Tables tables,
            int timeoutMillis,
            boolean prepares,
            AtomicReference<@Nullable Run> lastRun)
            throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        int networkTimeout = connection.getNetworkTimeout();
        connection.setAutoCommit(false);
        connection.setNetworkTimeout(DIRECT, timeoutMillis);
        Integer prepareThreshold = prepares ? null : prepareNothing(connection);
        AutoSave autosave = saveNothing(connection);
        boolean strict;
        long started;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(TransactionSql.CONNECTED)) {
            row.next();
            strict = !row.getString(1).equals("read committed");
            if (row.getBoolean(2)) {
                throw new SQLException("the server is a standby, which only reads", "25006");
            }
            started = row.getLong(3);
        } catch (SQLException e) {
            IncompatibleStoreException refusal =
                    PostgresErrors.isConnectionGone(e) ? null : UnfitServers.refusal(connection, e);
            if (refusal != null) {
                throw refusal;
            }
            throw e;
        }
        Run run = lastRun.get();
        if (run == null || run.started != started) {
            run = Run.of(connection, started);
            lastRun.set(run);
        }
        // Nothing was written, and the last statement may have failed.
        connection.rollback();
        return new Session(
                connection, tables, autoCommit, networkTimeout, timeoutMillis, strict, run, prepareThreshold, autosave);
    }

    /** Keeps the driver from preparing statements from now on. Returns the threshold to restore. */
    public static @Nullable Integer prepareNothing(Connection connection) throws SQLException {
        if (!connection.isWrapperFor(PGConnection.class)) {
            return null;
        }
        PGConnection driver = connection.unwrap(PGConnection.class);
        int before = driver.getPrepareThreshold();
        driver.setPrepareThreshold(0);
        return before;
    }

    /**
     * Keeps the driver from making savepoints. The rows that a transaction writes after a savepoint do not have its number. Returns the setting to
     * restore.
     */
    private static @Nullable AutoSave saveNothing(Connection connection) throws SQLException {
        if (!connection.isWrapperFor(PGConnection.class)) {
            return null;
        }
        PGConnection driver = connection.unwrap(PGConnection.class);
        AutoSave before = driver.getAutosave();
        driver.setAutosave(AutoSave.NEVER);
        return before;
    }

    /** Returns the connection, in a transaction whose isolation is set. */
    public Connection connection() throws SQLException {
        begin();
        return connection;
    }

    private void begin() throws SQLException {
        if (strict && !begun) {
            begun = true;
            try (Statement statement = connection.createStatement()) {
                statement.execute(READ_COMMITTED);
            }
        }
    }

    /**
     * Statements that the server runs as one transaction, because the driver sends them in autocommit and in one message. To be closed after their
     * answers.
     */
    public final class Message implements AutoCloseable {
        private final PostgresQuery statements;

        private Message(PostgresQuery statements) {
            this.statements = statements;
        }

        public PostgresQuery statements() {
            return statements;
        }

        @Override
        public void close() throws SQLException {
            if (connection.isClosed()) {
                return;
            }
            boolean isRestored = false;
            try {
                connection.setAutoCommit(false);
                isRestored = true;
            } finally {
                if (!isRestored) {
                    // Each statement of the next transaction would commit alone.
                    abort();
                }
            }
        }
    }

    /** True if {@link #message} can be used: the default isolation of the connection is {@code READ COMMITTED}. */
    public boolean hasMessages() {
        return !strict;
    }

    /**
     * Makes a message of statements that are a transaction: the server begins it with the first one, and commits it after the last one. That saves a
     * {@code BEGIN} and a {@code COMMIT}. No other transaction is open. Some settings of the driver divide a message: then each part is a transaction,
     * so the last statement must test for the others.
     */
    public Message message(List<String> sqls) throws SQLException {
        if (strict) {
            throw new IllegalStateException("a message has the default isolation, which is not READ COMMITTED");
        }
        PostgresQuery together = statements.together(sqls);
        connection.setAutoCommit(true);
        return new Message(together);
    }

    /** Drops plans that are older than this, so that they are made again. */
    public void renewPlans(long nanos) throws SQLException {
        if (System.nanoTime() - plansNanos > nanos) {
            get(TransactionSql.DISCARD_PLANS).run();
            plansNanos = System.nanoTime();
        }
    }

    public void commit() throws SQLException {
        begun = false;
        statements.openBy(null);
        connection.commit();
    }

    public PostgresQuery get(String sql) throws SQLException {
        return statements.get(sql);
    }

    public PostgresStatements statements() {
        return statements;
    }

    /** Throws in a transaction in which a statement has failed. */
    public void requireGood() throws SQLException {
        runUnprepared(TransactionSql.STILL_GOOD);
    }

    /** Commits a transaction that cannot be repeated. */
    public void commitUnprepared() throws SQLException {
        begun = false;
        runUnprepared(TransactionSql.COMMIT);
    }

    /** Runs a statement without preparing it. The driver would prepare even a commit, and a proxy may have lost it. */
    private void runUnprepared(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            if (statement.isWrapperFor(PGStatement.class)) {
                statement.unwrap(PGStatement.class).setPrepareThreshold(0);
            }
            statement.execute(sql);
        }
    }

    /** Returns the run of the server to which the connection led when it was borrowed. */
    public Run run() {
        return run;
    }

    /** Notes that the answer to a commit was read now. */
    public void answered(long serverMillis) {
        lastAnswer = new Answer(System.nanoTime(), serverMillis);
    }

    /** Returns the last answer to a commit, or null. */
    public @Nullable Answer lastAnswer() {
        return lastAnswer;
    }

    public boolean isClosed() throws SQLException {
        return connection.isClosed();
    }

    /** Sets the time for an answer after which the connection counts as broken. */
    public void answersWithin(int millis) throws SQLException {
        connection.setNetworkTimeout(DIRECT, millis);
    }

    /** Restores the time for an answer that was set when the connection was taken over. */
    public void answersInTime() throws SQLException {
        answersWithin(timeoutMillis);
    }

    /** Ends a transaction that is known to have failed. */
    public void rollback() {
        begun = false;
        statements.openBy(null);
        try {
            connection.rollback();
        } catch (SQLException | RuntimeException e) {
            log.debug("Rollback: {}", e.getMessage());
        }
    }

    /** Gives the connection back with its former settings. Ends it if that is not possible. */
    @Override
    public void close() {
        statements.close();
        try {
            connection.rollback();
            if (prepareThreshold != null) {
                connection.unwrap(PGConnection.class).setPrepareThreshold(prepareThreshold);
            }
            if (autosave != null) {
                connection.unwrap(PGConnection.class).setAutosave(autosave);
            }
            connection.setAutoCommit(autoCommit);
            connection.setNetworkTimeout(DIRECT, networkTimeout);
        } catch (SQLException | RuntimeException e) {
            log.debug("The settings of a connection cannot be restored; the connection is ended: {}", e.getMessage());
            abort(connection);
            return;
        }
        closeQuietly(connection);
    }

    /** Ends the connection at once, from any thread. A thread that uses it then fails. */
    public void abort() {
        abort(connection);
    }

    public static void abort(Connection connection) {
        try {
            connection.abort(DIRECT);
        } catch (SQLException | RuntimeException e) {
            log.debug("Ending a connection: {}", e.getMessage());
        }
        closeQuietly(connection);
    }

    private static void closeQuietly(Connection connection) {
        try {
            connection.close();
        } catch (SQLException | RuntimeException e) {
            log.debug("Closing a connection: {}", e.getMessage());
        }
    }
}
