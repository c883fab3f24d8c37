package dev.windrow.sqlite.connection;

import dev.windrow.sqlite.writer.SharedSql;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.IdentityHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The prepared statements of a connection to a file. */
public final class SqliteStatements implements Statements, AutoCloseable {
    private static final Logger log = SafeLogger.of(SqliteStatements.class);

    private final Connection connection;
    private final Tables tables;
    private final IdentityHashMap<String, SqliteQuery> prepared = new IdentityHashMap<>();

    public SqliteStatements(Connection connection, Tables tables) {
        this.connection = connection;
        this.tables = tables;
    }

    public Connection connection() {
        return connection;
    }

    @Override
    public Query get(String sql) throws SQLException {
        return query(sql);
    }

    @Override
    public Query get(Statement statement) throws SQLException {
        return query(SharedSql.text(statement));
    }

    private SqliteQuery query(String sql) throws SQLException {
        SqliteQuery query = prepared.get(sql);
        if (query == null) {
            query = new SqliteQuery(connection.prepareStatement(tables.text(sql)));
            prepared.put(sql, query);
        }
        return query;
    }

    /** Runs a statement that has no rows and no parameters. */
    public void run(String sql) throws SQLException {
        try {
            query(sql).execute();
        } catch (SQLException e) {
            // The driver has closed it on some errors, and would refuse it forever.
            closeQuietly(prepared.remove(sql));
            throw e;
        }
    }

    /**
     * Closes all statements. Each is prepared again at its next use. After a failure a batch may be left half filled. Also, on errors of the disk the
     * driver has closed the statement that met one, and every later use of that statement fails.
     */
    public void forget() {
        prepared.values().forEach(SqliteStatements::closeQuietly);
        prepared.clear();
    }

    private static void closeQuietly(@Nullable SqliteQuery query) {
        try {
            if (query != null) {
                query.close();
            }
        } catch (SQLException e) {
            // Closing repeats the error of the run.
            log.trace("Closing a statement that has failed: {}", e.getMessage());
        }
    }

    @Override
    public void close() throws SQLException {
        for (SqliteQuery query : prepared.values()) {
            query.close();
        }
        prepared.clear();
    }
}
