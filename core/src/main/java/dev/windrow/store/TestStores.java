package dev.windrow.store;

import dev.windrow.Store;
import java.nio.file.Path;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * Makes stores for the tests of applications. The module of a store provides it as a service, so that the test kit depends on no store. Such a store
 * need not survive a power loss.
 */
public interface TestStores {
    /** Returns a store whose files are in this folder, always under the same names. Empty if stores of this kind need a server. */
    default Optional<Store> inFolder(Path folder) {
        return Optional.empty();
    }

    /** Returns a store in a schema of the database of this URL. Empty if the URL is for another kind of store. */
    default Optional<Store> inSchema(String url, String schema) {
        return Optional.empty();
    }

    /** Returns a store in a schema of the database of this data source. Empty if stores of this kind have no schemas. */
    default Optional<Store> inSchema(DataSource source, String schema) {
        return Optional.empty();
    }
}
