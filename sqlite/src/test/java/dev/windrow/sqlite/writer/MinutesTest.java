package dev.windrow.sqlite.writer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.WindrowException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.store.Transition;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Settle;
import dev.windrow.store.sql.writer.Batch;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The sums per minute: each attempt counts once, whether the transactions that write them commit, fail or run again. */
class MinutesTest {
    private static final Duration PATIENT = Duration.ofSeconds(60);

    @TempDir
    Path folder;

    private final Watch watch = new Watch();
    private Path file;

    @BeforeEach
    void nameFile() {
        file = folder.resolve("jobs.db");
    }

    /** Holds the first transaction that settles, so that the next ones follow at once, and observes all of them. */
    private static final class Watch implements Writer.Probe {
        final CountDownLatch arrived = new CountDownLatch(1);
        final CountDownLatch goOn = new CountDownLatch(1);
        /** The numbers of attempts in the table, each read right before a commit of settlements. */
        final List<String> counted = new CopyOnWriteArrayList<>();
        /** True if the second transaction that settles fails after everything is written. */
        volatile boolean secondFails;

        private volatile SqliteFile.@Nullable Opened database;

        @Override
        public void began(SqliteFile.Opened opened, Batch batch) {
            database = opened;
        }

        @Override
        public void committing(Batch batch) throws SQLException {
            SqliteFile.Opened opened = database;
            if (opened == null || !batch.has(Settle.class)) {
                return;
            }
            counted.add(opened.query("SELECT coalesce(sum(succeeded), 0) FROM windrow_throughput WHERE length = 1"));
            if (counted.size() == 1) {
                arrived.countDown();
                Stores.await(goOn);
            } else if (counted.size() == 2 && secondFails) {
                throw new SQLException("disturbed");
            }
        }
    }

    private StoreDriver open() {
        return Stores.open(file, PATIENT, watch);
    }

    private static List<ClaimedJob> running(StoreDriver store, int count) {
        store.enqueueAll(Collections.nCopies(count, NewRow.job()));
        return store.claim(count);
    }

    private static CompletableFuture<Boolean> complete(StoreDriver store, ClaimedJob job) {
        return store.store().submit(store.settlement(job, Transition.COMPLETE));
    }

    /** Completes the first job in a transaction of its own, and the others in the next one. */
    private List<CompletableFuture<Boolean>> completeInTwoTransactions(StoreDriver store, List<ClaimedJob> jobs)
            throws SQLException {
        List<CompletableFuture<Boolean>> answers = new ArrayList<>();
        answers.add(complete(store, jobs.get(0)));
        Stores.await(watch.arrived);
        jobs.stream().skip(1).forEach(job -> answers.add(complete(store, job)));
        watch.goOn.countDown();
        return answers;
    }

    /** Checks each of the sums, in the table of a store that is closed. */
    private void assertCountedOnce(int attempts) throws Exception {
        try (TestDatabase database = TestDatabase.open(file)) {
            assertThat(database.rows("SELECT succeeded, failed, json_extract(wait_bins, '$[0]'),"
                            + " json_extract(run_bins, '$[0]') FROM windrow_throughput"))
                    .as("a minute and its hour")
                    .containsExactlyElementsOf(Collections.nCopies(2, attempts + "|0|" + attempts + "|" + attempts));
        }
    }

    @Test
    void aTransactionWritesEarlierSamplesAndKeepsItsOwnForTheNext() throws Exception {
        try (StoreDriver store = open()) {
            List<ClaimedJob> jobs = running(store, 3);
            assertThat(completeInTwoTransactions(store, jobs.subList(0, 2)))
                    .allSatisfy(answer -> assertThat(StoreDriver.answer(answer)).isTrue());
            assertThat(watch.counted).as("written by the second").containsExactly("0", "1");
            assertThat(StoreDriver.answer(complete(store, jobs.get(2)))).isTrue();
        }
        assertCountedOnce(3);
    }

    @Test
    void aRolledBackTransactionKeepsEarlierSamplesAndDropsItsOwn() throws Exception {
        watch.secondFails = true;
        try (StoreDriver store = open()) {
            List<ClaimedJob> jobs = running(store, 2);
            List<CompletableFuture<Boolean>> answers = completeInTwoTransactions(store, jobs);
            assertThat(StoreDriver.answer(answers.get(0))).isTrue();
            assertThat(catchThrowable(() -> {
                        Object unused = StoreDriver.answer(answers.get(1));
                    }))
                    .isInstanceOf(WindrowException.class)
                    .hasMessageContaining("disturbed");
            assertThat(watch.counted).as("written by the second").containsExactly("0", "1");
            assertThat(StoreDriver.answer(complete(store, jobs.get(1)))).isTrue();
        }
        assertCountedOnce(2);
    }

    @Test
    void operationsThatRunAgainOneByOneCountOnce() throws Exception {
        watch.secondFails = true;
        try (StoreDriver store = open()) {
            List<ClaimedJob> jobs = running(store, 3);
            assertThat(completeInTwoTransactions(store, jobs))
                    .allSatisfy(answer -> assertThat(StoreDriver.answer(answer)).isTrue());
            assertThat(watch.counted.subList(0, 2))
                    .as("written by the one that failed")
                    .containsExactly("0", "1");
            assertThat(watch.counted).hasSize(4);
        }
        assertCountedOnce(3);
    }
}
