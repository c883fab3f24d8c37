package dev.windrow.testkit;

import dev.windrow.InvalidRequestException;
import dev.windrow.Store;
import dev.windrow.store.TestStores;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Optional;
import java.util.ServiceLoader;
import java.util.UUID;
import java.util.function.Function;
import javax.sql.DataSource;

/** The place of one test's store. Closing it removes the store, which must be closed. */
record StorePlace(Store store, Removal removal) implements AutoCloseable {
    /** Removes a store. */
    interface Removal {
        void remove() throws IOException, SQLException;
    }

    /** Gives out connections. */
    private interface Connections {
        Connection connect() throws SQLException;
    }

    /** Returns a new schema of the database of a URL. */
    static StorePlace ofUrl(String url) {
        return inNewSchema(
                schema -> find(stores -> stores.inSchema(url, schema)), () -> DriverManager.getConnection(url));
    }

    /** Returns a new schema of the database of a data source. */
    static StorePlace of(DataSource source) {
        return inNewSchema(schema -> find(stores -> stores.inSchema(source, schema)), source::getConnection);
    }

    private static StorePlace inNewSchema(Function<String, Store> maker, Connections connections) {
        String schema =
                "windrow_test_" + UUID.randomUUID().toString().replace("-", "").substring(0, 20);
        return new StorePlace(maker.apply(schema), () -> {
            try (Connection connection = connections.connect()) {
                drop(schema, connection);
            }
        });
    }

    /** Drops a schema. The connection may belong to a pool, so it keeps its settings. */
    private static void drop(String schema, Connection connection) throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            // Until the end of the transaction.
            statement.execute("SET LOCAL client_min_messages = warning");
            statement.execute("DROP SCHEMA IF EXISTS " + schema + " CASCADE");
            connection.commit();
        } finally {
            connection.setAutoCommit(autoCommit);
        }
    }

    /** Returns the first store that a module on the class path makes. */
    static Store find(Function<TestStores, Optional<Store>> maker) {
        return ServiceLoader.load(TestStores.class, StorePlace.class.getClassLoader()).stream()
                .map(ServiceLoader.Provider::get)
                .map(maker)
                .flatMap(Optional::stream)
                .findFirst()
                .orElseThrow(
                        () -> new InvalidRequestException(
                                "no module of a store that fits was found: add windrow-sqlite, or for a PostgreSQL URL or data source windrow-postgres, to the class path"));
    }

    @Override
    public void close() throws IOException, SQLException {
        removal.remove();
    }
}
