package dev.windrow.tests.stores;

import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.postgres.FailingLines;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.sqlite.Attentive;
import dev.windrow.sqlite.FailingWriter;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.testserver.PostgresServer;
import dev.windrow.testserver.PreparedSchemas;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The place of a test's store: a file, or a schema of a server. As text it is one argument of a process: the file, or the server's URL and, after a
 * {@code #}, the schema. Closing it drops the schema, or returns a lent one.
 *
 * @param place the file or the URL
 * @param schema empty for a file
 * @param managed the schema, if it is lent and its stores share its connections
 * @param ofOneProcess true if only this process uses the place; stores of one process on one file find each other's changes only by polling, so they
 *     poll often
 */
public record Target(String place, String schema, PreparedSchemas.@Nullable Lent managed, boolean ofOneProcess)
        implements AutoCloseable {
    private static final PreparedSchemas SCHEMAS = new PreparedSchemas((source, schema) ->
            Windrow.open(PostgresStore.configure(source).schema(schema).build()).close());

    public static Target file(Path file) {
        return new Target(file.toString(), "", null, false);
    }

    /** Returns a file that no other process opens. */
    static Target fileOfOneProcess(Path file) {
        return new Target(file.toString(), "", null, true);
    }

    /** Returns a schema with empty tables and open connections. */
    public static Target lend() {
        PreparedSchemas.Lent managed = SCHEMAS.lend();
        return new Target(PostgresServer.shared().url(), managed.name(), managed, true);
    }

    /** Returns a new schema. */
    public static Target newSchema(PostgresServer server) {
        return new Target(server.url(), server.newSchema(), null, false);
    }

    /** Returns the target of this text. */
    public static Target of(String text) {
        int at = text.lastIndexOf('#');
        return text.startsWith("jdbc:")
                ? new Target(text.substring(0, at), text.substring(at + 1), null, false)
                : new Target(text, "", null, false);
    }

    @Override
    public String toString() {
        return isFile() ? place : place + "#" + schema;
    }

    public boolean isFile() {
        return schema.isEmpty();
    }

    public Path file() {
        return Path.of(place);
    }

    /** Returns a store that is not open. */
    public Store newStore() {
        if (isFile()) {
            return ofOneProcess ? Attentive.at(file()) : SqliteStore.at(file());
        }
        PostgresStore.Builder builder =
                managed == null ? PostgresStore.configure(place) : PostgresStore.configure(managed.source());
        return builder.schema(schema).build();
    }

    /** Returns a store that is not open, with this step run between the steps of its transactions. */
    public Store newStore(Runnable step) {
        return isFile() ? FailingWriter.at(file(), step) : FailingLines.at(place, schema, step);
    }

    /** Returns a store that is not open. Its own connections find an application's tables beside the jobs. */
    public Store newStoreBesideTables() {
        return isFile()
                ? newStore()
                : PostgresStore.configure(place + (place.contains("?") ? "&" : "?") + "currentSchema=" + schema)
                        .schema(schema)
                        .build();
    }

    /** Opens a separate connection, for a plain reader or an application with tables beside the jobs. */
    public Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection(isFile() ? "jdbc:sqlite:" + place : place);
        if (!isFile()) {
            connection.setSchema(schema);
        }
        return connection;
    }

    /** Begins a transaction of an application, in which it enqueues. */
    public Connection begin() throws SQLException {
        Connection connection = isFile()
                ? DriverManager.getConnection(
                        "jdbc:sqlite:" + place + "?foreign_keys=true&transaction_mode=IMMEDIATE&busy_timeout=60000")
                : connect();
        connection.setAutoCommit(false);
        return connection;
    }

    /** Begins a transaction that blocks all other writers, as a command of an operator may. */
    public Connection lockAll() throws SQLException {
        Connection connection = begin();
        try (Statement statement = connection.createStatement()) {
            // On SQLite the first statement takes the lock, so any statement serves. Reads continue in both cases.
            statement.execute(isFile() ? "SELECT 1" : "LOCK TABLE windrow_jobs IN EXCLUSIVE MODE");
        }
        return connection;
    }

    /** Returns the first column of each row of the result. */
    public List<String> rows(String sql) {
        try (Connection connection = connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            List<String> found = new ArrayList<>();
            while (rows.next()) {
                found.add(rows.getString(1));
            }
            return found;
        } catch (SQLException e) {
            throw new IllegalStateException(sql, e);
        }
    }

    @Override
    public void close() throws SQLException {
        if (managed != null) {
            managed.close();
        } else if (!isFile()) {
            try (Connection connection = connect();
                    Statement statement = connection.createStatement()) {
                statement.execute("SET client_min_messages = warning; SET lock_timeout = '20s'");
                statement.execute("DROP SCHEMA IF EXISTS \"" + schema + "\" CASCADE");
            }
        }
    }
}
