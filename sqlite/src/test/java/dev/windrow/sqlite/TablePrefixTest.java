package dev.windrow.sqlite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobState;
import dev.windrow.StoreUnavailableException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.store.job.Enqueue;
import dev.windrow.testkit.ManualTime;
import dev.windrow.transfer.QueueCopy;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tables with a prefix, and two queues in one file. */
class TablePrefixTest {
    private static final String LONGEST = "a_prefix_of_thirty_characters_";

    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void name() {
        file = folder.resolve("jobs.db");
    }

    private SqliteStore.Builder shop() {
        return SqliteStore.configure(file).tablePrefix("shop_");
    }

    private static StoreDriver open(SqliteStore store) {
        return new StoreDriver(store, new ManualTime());
    }

    private static long enqueue(StoreDriver store, Connection connection) {
        return store.store()
                .apply(connection, new Enqueue(List.of(NewRow.job().row())))
                .get(0)
                .id();
    }

    private List<String> namesWithout(String prefix) throws SQLException {
        try (TestDatabase database = TestDatabase.open(file)) {
            return database.rows(
                    "SELECT name FROM sqlite_schema WHERE name NOT LIKE 'sqlite\\_%' ESCAPE '\\' AND (name NOT GLOB '"
                            + prefix + "*' OR instr(sql, 'windrow_') > 0)");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"", "Shop_", "1st_", "a-", "a b", "a'", "a\n", "größe_", "sqlite_", "sqlite_shop_", LONGEST + 'x'
            })
    void aPrefixThatNeedsQuotesOrIsReservedIsRefused(String prefix) {
        assertThatThrownBy(() -> SqliteStore.configure(file).tablePrefix(prefix).build())
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage(
                        "table prefix '%s' is not allowed: 1 to 30 of a-z 0-9 _, not beginning with a digit or sqlite_"
                                .formatted(prefix));
    }

    @Test
    void eachObjectHasThePrefix() throws SQLException {
        SqliteStore store = SqliteStore.configure(file).tablePrefix(LONGEST).build();
        try (StoreDriver driver = open(store)) {
            assertThat(driver.complete(driver.running(NewRow.job()))).isTrue();
        }
        assertThat(namesWithout(LONGEST)).isEmpty();
        QueueCopy.from(store)
                .to(SqliteStore.at(folder.resolve("copy.db")))
                .closeSource()
                .run();
        assertThat(namesWithout(LONGEST)).isEmpty();
        assertThat(catchThrowable(() -> open(store)))
                .hasMessageContaining("(tables " + LONGEST + "*) is closed: its queue was moved to");
    }

    @Test
    void queuesInOneFileHaveTheirOwnIdsAndJobs() throws SQLException {
        assertThat(shop().build().exists()).isFalse();
        try (StoreDriver one = Stores.open(file)) {
            assertThat(shop().build().exists()).isFalse();
            try (StoreDriver two = open(shop().build())) {
                assertThat(shop().build().exists()).isTrue();
                List<Long> ids = one.enqueueAll(NewRow.job(), NewRow.job());
                assertThat(two.enqueue(NewRow.job())).isEqualTo(ids.get(0));
                assertThat(one.count(JobState.PENDING)).isEqualTo(2);
                assertThat(two.complete(two.claimOne())).isTrue();
                assertThat(one.count(JobState.PENDING)).isEqualTo(2);
                assertThat(two.count(JobState.COMPLETED)).isEqualTo(1);
                for (StoreDriver store : List.of(one, two)) {
                    assertThat(store.diagnose().checks())
                            .filteredOn(check -> !check.isOk())
                            .isEmpty();
                }
            }
        }
        assertThat(folder.resolve("jobs.db-windrow")).doesNotExist();
        try (StoreDriver read = open(shop().readOnly().build())) {
            assertThat(read.count(JobState.COMPLETED)).isEqualTo(1);
        }
    }

    @Test
    void aPrefixWithATableOfAnotherQueueIsRefusedAndChangesNothing() throws SQLException {
        open(shop().build()).close();
        try (TestDatabase database = TestDatabase.open(file)) {
            List<String> before = database.rows("SELECT name FROM sqlite_schema");
            SqliteStore second =
                    SqliteStore.configure(file).tablePrefix("shop_retry_").build();
            assertThat(catchThrowable(() -> open(second))).hasMessageContaining("shop_retry_counters already exists");
            assertThat(database.rows("SELECT name FROM sqlite_schema")).isEqualTo(before);
        }
    }

    @Test
    void aDiagnosisNamesAMissingIndexByItsPrefix() throws SQLException {
        try (StoreDriver driver = open(shop().build());
                TestDatabase database = TestDatabase.open(file)) {
            database.execute("DROP INDEX shop_jobs_claim");
            assertThat(driver.diagnose().checks())
                    .filteredOn(check -> !check.isOk())
                    .singleElement()
                    .satisfies(check -> assertThat(check.detail()).contains("shop_jobs_claim"));
        }
    }

    @Test
    void aTransactionIncludesBothQueuesAndNoPlainVerb() throws SQLException {
        try (StoreDriver one = Stores.open(file);
                StoreDriver two = open(shop().build())) {
            one.store().inTransaction(connection -> {
                assertThat(enqueue(one, connection)).isEqualTo(enqueue(two, connection));
                assertThat(catchThrowable(() -> two.enqueue(NewRow.job())))
                        .isInstanceOf(InvalidRequestException.class)
                        .hasMessageContaining("inside inTransaction of this or another queue in " + file);
                assertThat(catchThrowable(() -> two.store().inTransaction(inner -> 1)))
                        .isInstanceOf(InvalidRequestException.class)
                        .hasMessageContaining("inside inTransaction of this or another queue");
                return 1;
            });
            assertThat(catchThrowable(() -> one.store().inTransaction(connection -> {
                        enqueue(two, connection);
                        throw new IllegalStateException("no");
                    })))
                    .hasMessage("no");
            assertThat(one.count(JobState.PENDING)).isEqualTo(1);
            assertThat(two.count(JobState.PENDING)).isEqualTo(1);
            assertThat(two.claim(10)).hasSize(1);
        }
    }

    /** The thread holds the write lock of the file, and the writer of the other queue waits for it. */
    @Test
    void aWriterNamesTheTransactionOfTheOtherQueueForWhichItWaits() throws Exception {
        CountDownLatch inside = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        try (StoreDriver one = Stores.open(file);
                StoreDriver two =
                        open(shop().operationTimeout(Duration.ofMillis(300)).build())) {
            FutureTask<Long> transaction = new FutureTask<>(() -> one.store().inTransaction(connection -> {
                inside.countDown();
                Stores.await(goOn);
                return enqueue(one, connection);
            }));
            new Thread(transaction, "the-holder").start();
            try {
                Stores.await(inside);
                assertThat(catchThrowable(() -> two.enqueue(NewRow.job())))
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("held by a transaction of thread 'the-holder' of this process");
            } finally {
                goOn.countDown();
            }
            assertThat(transaction.get()).isPositive();
            assertThat(two.enqueue(NewRow.job())).isPositive();
            assertThat(one.count(JobState.PENDING)).isEqualTo(1);
        }
    }

    /** All processes of a queue were killed, and a process of another queue is the last one on the file. */
    @Test
    void aRolledBackIdIsNotReusedAfterAnotherQueueWasClosed() throws Exception {
        Stores.open(file).close();
        open(shop().build()).close();
        Path beside = Files.createDirectory(folder.resolve("jobs.db-windrow"));
        ByteBuffer floor =
                ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN).putLong(0, 1000);
        Files.write(beside.resolve("shop_ids"), floor.array());
        try (StoreDriver other = Stores.open(file)) {
            assertThat(other.enqueue(NewRow.job())).isLessThan(1000);
        }
        assertThat(beside.toFile().list()).containsExactly("shop_ids");
        try (StoreDriver shop = open(shop().build())) {
            assertThat(shop.store().tasks()).isNotEmpty();
        }
        assertThat(beside).doesNotExist();
        try (StoreDriver shop = open(shop().build())) {
            assertThat(shop.enqueue(NewRow.job())).isGreaterThanOrEqualTo(1000);
        }
    }

    @Test
    void aQueueIsCopiedToOtherTablesOfItsFile() throws SQLException {
        SqliteStore source = SqliteStore.at(file);
        long id;
        try (StoreDriver driver = open(source)) {
            id = driver.enqueue(NewRow.job());
        }
        assertThat(catchThrowable(() -> QueueCopy.from(source).to(source).run()))
                .hasMessageContaining("the same queue");
        QueueCopy.from(source).to(shop().build()).closeSource().run();
        assertThat(catchThrowable(() -> open(source))).hasMessageContaining("(tables shop_*)");
        try (StoreDriver driver = open(shop().build())) {
            assertThat(driver.claimOne().id()).isEqualTo(id);
        }
        Path backup = folder.resolve("backup.db");
        assertThat(shop().build().backup(backup)).isPositive();
        try (TestDatabase database = TestDatabase.open(backup)) {
            assertThat(database.one("SELECT (SELECT count(*) FROM windrow_jobs) || (SELECT count(*) FROM shop_jobs)"))
                    .isEqualTo("11");
        }
    }

    /** A row of another queue, whose copy is not finished, refers to a missing row. */
    @ParameterizedTest
    @ValueSource(strings = {"other_", "shop_mail_", "shop_2"})
    void aCopyChecksTheReferencesOfItsOwnTablesOnly(String other) throws SQLException {
        open(SqliteStore.configure(file).tablePrefix(other).build()).close();
        try (TestDatabase database = TestDatabase.open(file)) {
            database.execute("PRAGMA foreign_keys = OFF");
            database.execute("INSERT INTO " + other + "payloads (job_id, payload) VALUES (77, '1')");
        }
        Path source = folder.resolve("source.db");
        try (StoreDriver driver = Stores.open(source)) {
            driver.enqueue(NewRow.job());
        }
        assertThat(QueueCopy.from(SqliteStore.at(source))
                        .to(shop().build())
                        .run()
                        .jobs())
                .isEqualTo(1);
    }
}
