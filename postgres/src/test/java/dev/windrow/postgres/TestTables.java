package dev.windrow.postgres;

import dev.windrow.contract.StoreDriver;
import dev.windrow.postgres.connection.Tables;
import dev.windrow.postgres.job.JobSql;
import dev.windrow.postgres.writer.Learned;
import dev.windrow.postgres.writer.Writer;
import dev.windrow.store.sql.connection.TablePrefix;
import dev.windrow.testserver.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Another connection to the tables of a store, like a connection of an application or an operator. Names are written as in {@link JobSql}. */
public final class TestTables implements AutoCloseable {
    private final Connection connection;
    private final Tables tables;

    private TestTables(Connection connection, Tables tables) {
        this.connection = connection;
        this.tables = tables;
    }

    public static TestTables open(PostgresServer server, String schema) throws SQLException {
        return new TestTables(server.dataSource().getConnection(), new Tables(schema, TablePrefix.DEFAULT));
    }

    /** Returns the data that the open store has learned from this run of the server. */
    public static Learned learned(StoreDriver store) {
        return ((PostgresOpenStore) store.store()).running().shared().learned();
    }

    /** Returns the writer of renewals, for commands of the store itself. */
    public static Writer aliveWriter(StoreDriver store) {
        return ((PostgresOpenStore) store.store()).running().writer(Writer.Kind.ALIVE);
    }

    public Connection connection() {
        return connection;
    }

    public Tables tables() {
        return tables;
    }

    public void execute(String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(tables.inSchema(sql));
        }
    }

    /** Returns the rows, with the columns joined by a bar. */
    public List<String> rows(String sql) throws SQLException {
        List<String> rows = new ArrayList<>();
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(tables.inSchema(sql))) {
            int columns = result.getMetaData().getColumnCount();
            while (result.next()) {
                List<String> row = new ArrayList<>();
                for (int i = 1; i <= columns; i++) {
                    row.add(String.valueOf(result.getString(i)));
                }
                rows.add(String.join("|", row));
            }
        }
        return rows;
    }

    public String one(String sql) throws SQLException {
        List<String> rows = rows(sql);
        if (rows.size() != 1) {
            throw new AssertionError(sql + " gave " + rows);
        }
        return rows.get(0);
    }

    @Override
    public void close() throws SQLException {
        connection.close();
    }
}
