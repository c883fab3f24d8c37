package dev.windrow.sqlite.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.store.processes.BackgroundTask;
import dev.windrow.store.retention.Prune;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The deletion of unused queues. A pass of retention searches for them last, because the search reads all queues. */
class UnusedLanesTest {
    private static final long NOW = BackgroundTask.KEEP_AUDIT.toMillis() + 1;

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void makeLanes() throws SQLException {
        file = folder.resolve("jobs.db");
        Stores.open(file).close();
        try (TestDatabase database = TestDatabase.open(file)) {
            for (String queue : new String[] {"a", "b", "c", "newest"}) {
                database.execute("INSERT INTO windrow_lanes (queue, type) VALUES ('" + queue + "', 't')");
            }
            database.execute("INSERT INTO windrow_actors (name) VALUES ('anna')");
            database.execute(
                    "INSERT INTO windrow_audit (at, actor, action, jobs) SELECT 0, id, 'old', 1 FROM windrow_actors");
        }
    }

    private static long prune(StoreDriver store, int limit) {
        return StoreDriver.answer(store.store().submit(new Prune(limit, NOW)));
    }

    private String lanes() throws SQLException {
        try (TestDatabase database = TestDatabase.open(file)) {
            return database.one("SELECT group_concat(queue, ' ' ORDER BY id) FROM windrow_lanes");
        }
    }

    @Test
    void unusedLanesAreSearchedWhenFewOldRowsAreLeft() throws Exception {
        try (StoreDriver store = Stores.open(file)) {
            assertThat(prune(store, 1)).isEqualTo(1);
            assertThat(lanes()).isEqualTo("a b c newest");
            assertThat(prune(store, 2)).isEqualTo(2);
            assertThat(lanes()).isEqualTo("c newest");
            assertThat(prune(store, 2)).isEqualTo(1);
            assertThat(lanes()).isEqualTo("newest");
            assertThat(prune(store, 2)).isZero();
        }
    }

    @Test
    void aFailedSearchForUnusedLanesKeepsNoOldRow() throws Exception {
        try (StoreDriver store = Stores.open(file)) {
            Thread.currentThread().interrupt();
            CompletableFuture<Long> pruned = store.store().submit(new Prune(2, NOW));
            assertThat(Thread.interrupted()).isTrue();
            assertThat(StoreDriver.answer(pruned)).isEqualTo(1);
            assertThat(lanes()).isEqualTo("a b c newest");
            assertThat(prune(store, 9)).isEqualTo(3);
        }
    }
}
