package dev.windrow.bench;

import dev.windrow.Store;
import dev.windrow.postgres.PostgresStore;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** A schema of a PostgreSQL server. */
record SchemaDatabase(String url, String schema) implements Database {
    static final String WORD = "schema";

    private static final int ATTEMPTS = 5;

    @Override
    public Store store() {
        return PostgresStore.configure(url).schema(schema).build();
    }

    @Override
    public @Nullable Store countedStore() {
        if (url.contains("socketFactory=")) {
            return null;
        }
        String counted = url + (url.contains("?") ? "&" : "?") + "socketFactory=" + CountedSockets.class.getName();
        return PostgresStore.configure(counted).schema(schema).build();
    }

    @Override
    public Connection connect() throws SQLException {
        Connection connection = DriverManager.getConnection(url);
        try {
            connection.setSchema(schema);
            return connection;
        } catch (SQLException e) {
            connection.close();
            throw e;
        }
    }

    @Override
    public Audit.Dialect dialect() {
        return Audit.Dialect.POSTGRES;
    }

    @Override
    public void seed(int finished, String payload) throws SQLException {
        PostgresSeeder.seed(this, finished, payload);
    }

    @Override
    public String line() {
        return WORD + " " + schema + " " + url;
    }

    /** Creates the schema, which must not exist. */
    void make() throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE SCHEMA " + schema);
        }
    }

    /** Drops the schema, in several tries: a worker that has not ended yet may lock its tables in another order. */
    @Override
    public void remove() throws SQLException {
        for (int attempt = 1; ; attempt++) {
            try (Connection connection = DriverManager.getConnection(url);
                    Statement statement = connection.createStatement()) {
                statement.execute("SET client_min_messages = warning");
                statement.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
                return;
            } catch (SQLException e) {
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }
}
