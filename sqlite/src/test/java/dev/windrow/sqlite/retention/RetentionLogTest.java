package dev.windrow.sqlite.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.retention.RetentionRules;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.sqlite.writer.Writer;
import dev.windrow.store.Author;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.retention.Expire;
import dev.windrow.store.retention.Expiry;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The write-ahead log while old jobs are deleted. Its length does not depend on their number, and not on concurrent reads. */
class RetentionLogTest {
    private static final int JOBS = 4000;
    private static final int BATCH = 20;
    private static final int LONGEST_LOG = 500;
    /** The longest log, and the deletions before its length is checked again. All deletions together write several times as much. */
    private static final long BOUND = 6 << 20;

    private static final Writer.Probe SHORT_LOG = new Writer.Probe() {
        @Override
        public int longestLog() {
            return LONGEST_LOG;
        }
    };

    @TempDir
    Path folder;

    private Path file;

    private StoreDriver withOldJobs() {
        file = folder.resolve("jobs.db");
        StoreDriver store = Stores.open(file, Duration.ofSeconds(60), SHORT_LOG);
        String text = "{\"text\":\"" + "long ".repeat(200) + "\"}";
        for (int i = 0; i < JOBS; i += 1000) {
            List<Long> ids = store.enqueueAll(
                    Collections.nCopies(1000, NewRow.of("q", "t").payload(text)));
            assertThat(StoreDriver.answer(ChangeByFilter.run(store.store(), StoreDriver.change(Verb.CANCEL, ids)))
                            .count())
                    .isEqualTo(1000);
        }
        return store;
    }

    /** Truncates the log, so that earlier writes do not count. */
    private void cutLog() throws Exception {
        try (TestDatabase database = TestDatabase.open(file)) {
            // A checkpoint does not wait for another one that runs, such as the store's.
            Awaitility.await()
                    .atMost(Duration.ofSeconds(60))
                    .until(() -> database.one("PRAGMA wal_checkpoint(TRUNCATE)").equals("0|0|0"));
        }
        assertThat(logBytes()).isZero();
    }

    private long logBytes() throws Exception {
        return Files.size(folder.resolve("jobs.db-wal"));
    }

    private static List<Expiry.Unit> found(StoreDriver store) {
        RetentionRules all =
                RetentionRules.DEFAULT.with(new RetentionRules.Rule(JobState.CANCELLED, null, Duration.ZERO));
        return store.store().expiring(new Expiry.Search(all, null, null)).units();
    }

    private static Expiry.Done expire(StoreDriver store, List<Expiry.Unit> units) {
        return StoreDriver.answer(store.store()
                .submit(Expire.first(units, new Expire.Pass(new Author("j", null), "r", Long.MAX_VALUE, null))));
    }

    @Test
    void theLogStaysShortDuringDeletionOfManyJobs() throws Exception {
        try (StoreDriver store = withOldJobs()) {
            cutLog();
            long max = 0;
            List<Expiry.Unit> units = found(store);
            while (!units.isEmpty()) {
                for (int i = 0; i < units.size(); i += BATCH) {
                    Expiry.Done done = expire(store, units.subList(i, Math.min(units.size(), i + BATCH)));
                    assertThat(done.left()).isEmpty();
                    max = Math.max(max, logBytes());
                }
                units = found(store);
            }
            assertThat(store.count(JobState.CANCELLED)).isZero();
            assertThat(max).isLessThan(BOUND);
        }
    }

    @Test
    void aLongReadDelaysDeletionAndNoOtherWrite() throws Exception {
        try (StoreDriver store = withOldJobs();
                TestDatabase reading = TestDatabase.open(file)) {
            cutLog();
            reading.connection().setAutoCommit(false);
            assertThat(reading.one("SELECT count(*) FROM windrow_jobs")).isEqualTo(Integer.toString(JOBS));
            List<Expiry.Unit> left = found(store);
            Expiry.Done done = expire(store, left.subList(0, BATCH));
            while (done.pauseNanos() == 0) {
                left = left.subList(BATCH, left.size());
                assertThat(left.size()).as("it waits before all are gone").isGreaterThan(BATCH);
                done = expire(store, left.subList(0, BATCH));
            }
            assertThat(done.deleted().jobs()).isEmpty();
            assertThat(done.left()).isEqualTo(left.subList(0, BATCH));
            assertThat(done.pauseNanos()).isEqualTo(Writer.LOG_PAUSE_NANOS);
            long before = logBytes();
            for (int i = 0; i < 50; i++) {
                assertThat(expire(store, left.subList(0, BATCH)).pauseNanos()).isPositive();
            }
            assertThat(logBytes()).isEqualTo(before).isLessThan(BOUND);
            assertThat(store.enqueue(NewRow.of("q", "other"))).isPositive();

            reading.connection().rollback();
            int tries = 0;
            while (!left.isEmpty()) {
                tries++;
                assertThat(tries).isLessThan(JOBS);
                List<Expiry.Unit> batch = left.subList(0, Math.min(BATCH, left.size()));
                if (expire(store, batch).pauseNanos() == 0) {
                    left = left.subList(batch.size(), left.size());
                }
            }
        }
    }
}
