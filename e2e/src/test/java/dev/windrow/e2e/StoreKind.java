package dev.windrow.e2e;

import dev.windrow.Store;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.testserver.PostgresServer;
import java.nio.file.Path;

/** The stores behind the page. */
enum StoreKind {
    /** A file of the test's own. */
    SQLITE {
        @Override
        Store newStore(Path folder) {
            return SqliteStore.at(folder.resolve("jobs.db"));
        }
    },
    /** A schema of the test's own, on the server that all tests share and that ends with them. */
    POSTGRES {
        @Override
        Store newStore(Path folder) {
            PostgresServer server = PostgresServer.shared();
            return PostgresStore.configure(server.url())
                    .schema(server.newSchema())
                    .build();
        }
    };

    /** Returns a store that is not open. */
    abstract Store newStore(Path folder);
}
