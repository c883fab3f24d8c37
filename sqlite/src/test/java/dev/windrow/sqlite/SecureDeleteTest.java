package dev.windrow.sqlite;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.StoreUnavailableException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.testkit.ManualTime;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Content that was deleted is in no file of a store that overwrites it. */
class SecureDeleteTest {
    private static final String SECRET = "ada-lovelace@example.org";

    @TempDir
    Path folder;

    private Path file;
    private SqliteStore store;

    @BeforeEach
    void setUp() {
        file = folder.resolve("jobs.db");
        store = SqliteStore.configure(file).secureDelete().build();
    }

    private static long cancelled(StoreDriver driver) {
        long job = driver.enqueue(NewRow.job().payload("\"" + SECRET + "\""));
        driver.change(Verb.CANCEL, job);
        return job;
    }

    /** True if a file of the database has the content. */
    private boolean found() throws IOException {
        for (Path each : List.of(file, folder.resolve("jobs.db-wal"))) {
            if (Files.exists(each) && new String(Files.readAllBytes(each), ISO_8859_1).contains(SECRET)) {
                return true;
            }
        }
        return false;
    }

    @Test
    void aVerbAndAManagedTransactionOverwriteWhatTheyDelete() throws Exception {
        try (StoreDriver driver = new StoreDriver(store, new ManualTime())) {
            long one = cancelled(driver);
            long two = cancelled(driver);
            assertThat(store.emptyLog()).isTrue();
            assertThat(found()).isTrue();
            driver.change(Verb.DELETE, one);
            driver.store()
                    .inTransaction(connection ->
                            driver.store().apply(connection, Change.of(Verb.DELETE, List.of(two), "operator")));
            assertThat(store.emptyLog()).isTrue();
            assertThat(found()).isFalse();
        }
    }

    @Test
    void aLogThatAnotherProcessReadsIsNotEmptied() throws SQLException, IOException {
        try (StoreDriver driver = new StoreDriver(store, new ManualTime());
                TestDatabase reader = TestDatabase.open(file)) {
            long job = cancelled(driver);
            reader.execute("BEGIN");
            assertThat(reader.rows("SELECT id FROM windrow_jobs")).hasSize(1);
            driver.change(Verb.DELETE, job);
            SqliteStore impatient = SqliteStore.configure(file)
                    .operationTimeout(Duration.ofMillis(100))
                    .build();
            assertThat(impatient.emptyLog()).isFalse();
            assertThat(found()).isTrue();
            reader.execute("COMMIT");
            assertThat(store.emptyLog()).isTrue();
            assertThat(found()).isFalse();
        }
    }

    @Test
    void theLogOfAReadOnlyStoreOrOfAFileWithoutAQueueIsNotEmptied() {
        new StoreDriver(store, new ManualTime()).close();
        SqliteStore reading = SqliteStore.configure(file).readOnly().build();
        assertThatThrownBy(reading::emptyLog)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("is read-only");
        Path other = folder.resolve("other.db");
        assertThatThrownBy(SqliteStore.at(other)::emptyLog)
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("it has no queue");
        assertThat(other).doesNotExist();
    }
}
