package dev.windrow.sqlite.testing;

import dev.windrow.Store;
import dev.windrow.sqlite.Durability;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.store.TestStores;
import java.nio.file.Path;
import java.util.Optional;

/** The SQLite stores of the test kit: a file that does not wait for the disk. */
public final class SqliteTestStores implements TestStores {
    /** Called by {@link java.util.ServiceLoader}. */
    public SqliteTestStores() {}

    @Override
    public Optional<Store> inFolder(Path folder) {
        return Optional.of(SqliteStore.configure(folder.resolve("jobs.db"))
                .durability(Durability.NORMAL)
                .build());
    }
}
