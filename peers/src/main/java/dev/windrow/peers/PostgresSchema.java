package dev.windrow.peers;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.windrow.Store;
import dev.windrow.postgres.PostgresStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.atomic.AtomicInteger;

/** A schema for each run on one PostgreSQL server. The driver rewrites batches to one statement. */
record PostgresSchema(String url, Durability durability, AtomicInteger made) implements Place {
    static PostgresSchema on(String url) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                var row = statement.executeQuery("SHOW fsync")) {
            row.next();
            return new PostgresSchema(
                    url, row.getString(1).equals("on") ? Durability.FULL : Durability.NORMAL, new AtomicInteger());
        }
    }

    @Override
    public String setup() {
        return "as documented";
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("SET client_min_messages = warning");
            statement.execute(sql);
        }
    }

    @Override
    public Ground fresh(Path folder) throws SQLException {
        String schema = "windrow_peers_%d_%d".formatted(ProcessHandle.current().pid(), made.incrementAndGet());
        execute("CREATE SCHEMA " + schema);
        return new Ground() {
            @Override
            public HikariDataSource pool() {
                HikariConfig config = new HikariConfig();
                config.setJdbcUrl(url);
                config.setSchema(schema);
                config.addDataSourceProperty("reWriteBatchedInserts", "true");
                return new HikariDataSource(config);
            }

            @Override
            public Store store() {
                return PostgresStore.configure(url).schema(schema).build();
            }

            @Override
            public void close() throws SQLException {
                execute("DROP SCHEMA " + schema + " CASCADE");
            }
        };
    }
}
