package dev.windrow.postgres.testing;

import dev.windrow.Store;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.store.TestStores;
import java.util.Optional;
import javax.sql.DataSource;

/** The PostgreSQL stores of the test kit: a schema of a database that the test names. */
public final class PostgresTestStores implements TestStores {
    /** Called by {@link java.util.ServiceLoader}. */
    public PostgresTestStores() {}

    @Override
    public Optional<Store> inSchema(String url, String schema) {
        return url.startsWith("jdbc:postgresql:")
                ? Optional.of(PostgresStore.configure(url).schema(schema).build())
                : Optional.empty();
    }

    @Override
    public Optional<Store> inSchema(DataSource source, String schema) {
        return Optional.of(PostgresStore.configure(source).schema(schema).build());
    }
}
