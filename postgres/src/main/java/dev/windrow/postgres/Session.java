package dev.windrow.postgres;

import dev.windrow.IncompatibleStoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A connection that was borrowed, with its statements, outside of autocommit. What was changed of it is changed back when
 * it is returned. Nothing is set that outlives a transaction, so that a proxy may give each transaction another server
 * connection. Not safe for use by more than one thread at a time.
 */
final class Session implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(Session.class);

    /** The driver sets the socket's own time-out and runs nothing. */
    private static final Executor DIRECT = Runnable::run;

    private final Connection connection;
    private final Statements statements;
    private final boolean autoCommit;
    private final int networkTimeout;
    private final int timeoutMillis;
    /** What the connection had, if that was another one than {@code READ COMMITTED}; else 0. */
    private final int isolation;

    private final String timeline;
    /** After how many uses the connection had its statements prepared by the server, if that was changed; else null. */
    private final @Nullable Integer prepareThreshold;

    private Session(
            Connection connection,
            Tables tables,
            boolean autoCommit,
            int networkTimeout,
            int timeoutMillis,
            int isolation,
            String timeline,
            @Nullable Integer prepareThreshold) {
        this.connection = connection;
        this.statements = new Statements(connection, tables);
        this.autoCommit = autoCommit;
        this.networkTimeout = networkTimeout;
        this.timeoutMillis = timeoutMillis;
        this.isolation = isolation;
        this.timeline = timeline;
        this.prepareThreshold = prepareThreshold;
    }

    /**
     * Takes over a connection.
     *
     * @param timeoutMillis how long an answer may take before the connection counts as broken
     * @param prepares whether the driver may have the server prepare statements
     */
    static Session on(Connection connection, Tables tables, int timeoutMillis, boolean prepares) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        int networkTimeout = connection.getNetworkTimeout();
        connection.setAutoCommit(false);
        connection.setNetworkTimeout(DIRECT, timeoutMillis);
        Integer prepareThreshold = prepares ? null : prepareNothing(connection);
        String timeline;
        int isolation;
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(Sql.CONNECTED)) {
            row.next();
            timeline = row.getString(2);
            if (timeline == null) {
                throw new SQLException("the server is a standby, which only reads", "25006");
            }
            isolation = row.getString(1).equals("read committed") ? 0 : connection.getTransactionIsolation();
            connection.commit();
            if (isolation != 0) {
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            }
        } catch (SQLException e) {
            IncompatibleStoreException refusal =
                    PostgresErrors.isConnectionGone(e) ? null : UnfitServers.refusal(connection, e);
            if (refusal != null) {
                throw refusal;
            }
            throw e;
        }
        return new Session(
                connection, tables, autoCommit, networkTimeout, timeoutMillis, isolation, timeline, prepareThreshold);
    }

    private static @Nullable Integer prepareNothing(Connection connection) throws SQLException {
        if (!connection.isWrapperFor(PGConnection.class)) {
            return null;
        }
        PGConnection driver = connection.unwrap(PGConnection.class);
        int before = driver.getPrepareThreshold();
        driver.setPrepareThreshold(0);
        return before;
    }

    Connection connection() {
        return connection;
    }

    Query get(String sql) throws SQLException {
        return statements.get(sql);
    }

    Statements statements() {
        return statements;
    }

    /** Which history the server's log belongs to. */
    String timeline() {
        return timeline;
    }

    /** From now on the connection counts as broken if an answer takes longer than this. */
    void answersWithin(int millis) throws SQLException {
        connection.setNetworkTimeout(DIRECT, millis);
    }

    /** As it was when the connection was taken over. */
    void answersInTime() throws SQLException {
        answersWithin(timeoutMillis);
    }

    /** Ends a transaction whose failure is known already. */
    void rollback() {
        try {
            connection.rollback();
        } catch (SQLException e) {
            log.debug("Rollback: {}", e.getMessage());
        }
    }

    /** Gives the connection back as it was. */
    @Override
    public void close() {
        statements.close();
        try {
            connection.rollback();
            if (isolation != 0) {
                connection.setTransactionIsolation(isolation);
            }
            if (prepareThreshold != null) {
                connection.unwrap(PGConnection.class).setPrepareThreshold(prepareThreshold);
            }
            connection.setAutoCommit(autoCommit);
            connection.setNetworkTimeout(DIRECT, networkTimeout);
        } catch (SQLException e) {
            log.debug("A connection is given back broken: {}", e.getMessage());
        }
        closeQuietly(connection);
    }

    /** Ends the connection at once, from any thread; whoever uses it now fails. */
    void abort() {
        try {
            connection.abort(DIRECT);
        } catch (SQLException e) {
            log.debug("Ending a connection: {}", e.getMessage());
        }
        closeQuietly(connection);
    }

    private static void closeQuietly(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            log.debug("Closing a connection: {}", e.getMessage());
        }
    }
}
