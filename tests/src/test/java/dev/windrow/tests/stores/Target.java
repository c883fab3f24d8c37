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
 * Where the store of a test is: a file, or a schema of a server. As text it is one argument of a process: the file, or the
 * server's URL and, behind a {@code #}, the schema. Closing it drops the schema, or gives a lent one back.
 *
 * @param place the file or the URL
 * @param schema empty for a file
 * @param managed the schema, if it is lent and its stores share its connections
 * @param ofOneProcess whether no other process comes there: stores of one process on one file hear of each other by looking alone, and look often
 */
public record Target(String place, String schema, PreparedSchemas.@Nullable Lent managed, boolean ofOneProcess)
        implements AutoCloseable {
    private static final PreparedSchemas SCHEMAS = new PreparedSchemas((source, schema) ->
            Windrow.open(PostgresStore.configure(source).schema(schema).build()).close());

    public static Target file(Path file) {
        return new Target(file.toString(), "", null, false);
    }

    /** A file that no other process opens. */
    static Target fileOfOneProcess(Path file) {
        return new Target(file.toString(), "", null, true);
    }

    /** A schema with empty tables and open connections. */
    public static Target lend() {
        PreparedSchemas.Lent managed = SCHEMAS.lend();
        return new Target(PostgresServer.shared().url(), managed.name(), managed, true);
    }

    /** A schema that nobody has. */
    public static Target newSchema(PostgresServer server) {
        return new Target(server.url(), server.newSchema(), null, false);
    }

    /** From its text. */
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

    /** One that is not started. */
    public Store newStore() {
        if (isFile()) {
            return ofOneProcess ? Attentive.at(file()) : SqliteStore.at(file());
        }
        PostgresStore.Builder builder =
                managed == null ? PostgresStore.configure(place) : PostgresStore.configure(managed.source());
        return builder.schema(schema).build();
    }

    /** One that is not started, in whose transactions this is run between their steps. */
    public Store newStore(Runnable step) {
        return isFile() ? FailingWriter.at(file(), step) : FailingLines.at(place, schema, step);
    }

    /** The same, whose own connections find an application's tables beside the jobs. */
    public Store newStoreBesideTables() {
        return isFile()
                ? newStore()
                : PostgresStore.configure(place + (place.contains("?") ? "&" : "?") + "currentSchema=" + schema)
                        .schema(schema)
                        .build();
    }

    /** A connection that belongs to nobody else: somebody who looks, or an application with tables beside the jobs. */
    public Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection(isFile() ? "jdbc:sqlite:" + place : place);
        if (!isFile()) {
            connection.setSchema(schema);
        }
        return connection;
    }

    /** A connection outside of autocommit: an application's transaction, in which it enqueues. */
    public Connection begin() throws SQLException {
        Connection connection = isFile()
                ? DriverManager.getConnection(
                        "jdbc:sqlite:" + place + "?foreign_keys=true&transaction_mode=IMMEDIATE&busy_timeout=60000")
                : connect();
        connection.setAutoCommit(false);
        return connection;
    }

    /** A transaction that keeps everybody else from writing, as a command of an operator may. */
    public Connection lockAll() throws SQLException {
        Connection connection = begin();
        try (Statement statement = connection.createStatement()) {
            // On SQLite the first statement takes the lock, whatever it is. Reads go on in both cases.
            statement.execute(isFile() ? "SELECT 1" : "LOCK TABLE windrow_jobs IN EXCLUSIVE MODE");
        }
        return connection;
    }

    /** The first column of each row that a statement answers. */
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
