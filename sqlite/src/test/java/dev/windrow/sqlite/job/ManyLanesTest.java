package dev.windrow.sqlite.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.LimitTarget;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.writer.Writer;
import dev.windrow.store.job.Claim;
import dev.windrow.store.limit.KeyLimits;
import dev.windrow.store.limit.LimitChange;
import dev.windrow.store.sql.writer.Batch;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.ProgressHandler;
import org.sqlite.SQLiteConnection;

/**
 * The cost of a claim with many queues, in steps of SQLite's virtual machine. Many queues cost no more than few, and none of them costs more than
 * another one.
 */
@Tag("once") // on one JDK: SQLite counts
class ManyLanesTest {
    @TempDir
    Path folder;

    /** Counts the steps of the transactions since the last call. */
    private static final class Steps implements Writer.Probe {
        private final AtomicLong steps = new AtomicLong();

        @Override
        public void began(SqliteFile.Opened database, Batch batch) throws SQLException {
            ProgressHandler.setHandler(database.connection().unwrap(SQLiteConnection.class), 1, new ProgressHandler() {
                @Override
                protected int progress() {
                    steps.incrementAndGet();
                    return 0;
                }
            });
        }

        long of(Runnable work) {
            steps.set(0);
            work.run();
            return steps.get();
        }
    }

    private StoreDriver open(Steps steps) {
        return Stores.open(folder.resolve(System.nanoTime() + ".db"), Duration.ofMinutes(1), steps);
    }

    private static Set<String> queues(int count) {
        return IntStream.range(0, count).mapToObj(i -> "q" + i).collect(Collectors.toSet());
    }

    private static List<NewRow> jobs(int queues) {
        return IntStream.range(0, queues).mapToObj(i -> NewRow.of("q" + i, "t")).toList();
    }

    /** Counts the steps of a claim of one of three ready jobs, while this many other queues are empty. */
    private long stepsOfAClaim(int empty, boolean limited) {
        Steps steps = new Steps();
        try (StoreDriver store = open(steps)) {
            Claim all = StoreDriver.request("w", queues(empty + 3), Set.of("t"), empty + 3);
            store.enqueueAll(jobs(empty + 3));
            assertThat(store.claim(all).jobs()).hasSize(empty + 3);
            if (limited) {
                for (int i = 0; i < empty + 3; i++) {
                    limit(store, "q" + i);
                }
            }
            store.enqueueAll(jobs(3));
            Claim one = StoreDriver.request("w", queues(empty + 3), Set.of("t"), 1);
            return steps.of(() -> assertThat(store.claim(one).jobs()).hasSize(1));
        }
    }

    private static void limit(StoreDriver store, String queue) {
        Object unused = StoreDriver.answer(
                KeyLimits.change(store.store(), LimitChange.limit(LimitTarget.queue(queue), "anna", 10)));
    }

    @Test
    void aClaimReadsNoQueueWithoutReadyJobs() {
        assertThat(stepsOfAClaim(1000, false)).isLessThan(stepsOfAClaim(10, false) * 11 / 10);
    }

    @Test
    void aClaimReadsNoLimitOfAQueueWithoutReadyJobs() {
        assertThat(stepsOfAClaim(300, true)).isLessThan(stepsOfAClaim(10, true) * 11 / 10);
    }

    @Test
    void aWorkerOfOneQueueReadsNoReadyJobsOfOthers() {
        Steps steps = new Steps();
        try (StoreDriver store = open(steps)) {
            store.enqueueAll(jobs(2000));
            Claim last = StoreDriver.request("w", Set.of("q1000", "q1999"), Set.of("t"), 9);
            assertThat(steps.of(() -> assertThat(store.claim(last).jobs()).hasSize(2)))
                    .as("2000 queues, of which two are wanted")
                    .isLessThan(20_000);
        }
    }

    @Test
    void eachNewQueueCostsAsMuchAsThePreviousOne() {
        long[] few = {0};
        long[] many = {0};
        for (int queues : new int[] {100, 1000}) {
            Steps steps = new Steps();
            try (StoreDriver store = open(steps)) {
                (queues == 100 ? few : many)[0] = steps.of(() -> store.enqueueAll(jobs(queues)));
            }
        }
        assertThat(many[0]).isLessThan(few[0] * 11);
    }

    @Test
    void aLimitCostsAtMostOneReadOfEachQueue() {
        Steps steps = new Steps();
        try (StoreDriver store = open(steps)) {
            store.enqueueAll(jobs(200));
            long first = steps.of(() -> limit(store, "q0"));
            for (int i = 1; i < 200; i++) {
                limit(store, "q" + i);
            }
            assertThat(steps.of(() -> limit(store, "q0"))).isLessThan(first * 3);
        }
    }
}
