package dev.windrow.sqlite.query;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.sqlite.connection.SqliteStatements;
import dev.windrow.sqlite.connection.Tables;
import dev.windrow.sqlite.job.JobReads;
import dev.windrow.store.query.PageRequest;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sqlite.ProgressHandler;
import org.sqlite.SQLiteConnection;

/** The access path of a listing where very many jobs wait. An access path has no effect except on time. */
@Tag("once") // on one JDK: SQLite finds the rows
class ListingsTest {
    @TempDir
    Path folder;

    @Test
    void veryManyWaitingJobsAreListedWithoutASort() throws Exception {
        Path file = folder.resolve("jobs.db");
        try (StoreDriver store = Stores.open(file)) {
            store.enqueueAll(Collections.nCopies(700, NewRow.of("q", "u")));
            store.claim(StoreDriver.request("w", Set.of("q"), Set.of("u"), 700));
            List<Long> pending = store.enqueueAll(Collections.nCopies(5, NewRow.job()));
            // As if very many jobs waited: no other code reads the counters here.
            try (TestDatabase database = TestDatabase.open(file)) {
                database.execute("UPDATE windrow_counters SET n = 2000000 WHERE state = 'PENDING'");
            }
            PageRequest query = PageRequest.of(JobFilter.inState(JobState.PENDING));
            assertThat(store.store().list(query.oldestFirst()).jobs())
                    .extracting(JobInfo::id)
                    .isEqualTo(pending);
            List<Long> reversed = new ArrayList<>(pending);
            Collections.reverse(reversed);
            assertThat(store.store().list(query).jobs()).extracting(JobInfo::id).isEqualTo(reversed);
        }
    }

    @Test
    void aJobOfARareTypeIsFoundInFewCallsAmongManyIds() throws Exception {
        Path file = folder.resolve("jobs.db");
        long old;
        try (StoreDriver store = Stores.open(file)) {
            old = store.enqueue(NewRow.of("q", "rare"));
        }
        try (TestDatabase database = TestDatabase.open(file)) {
            database.execute("UPDATE windrow_ids SET next = next + 2500000000");
        }
        try (StoreDriver store = Stores.open(file)) {
            long recent = store.enqueue(NewRow.of("q", "rare"));
            for (PageRequest.Order order : PageRequest.Order.values()) {
                List<Long> found = new ArrayList<>();
                PageRequest query = new PageRequest(JobFilter.ALL.withType("rare"), order, null, null, 50);
                JobPage page = store.store().list(query);
                int calls = 1;
                page.jobs().forEach(job -> found.add(job.id()));
                while (page.next() != null) {
                    page = store.store().list(query.after(page.next()));
                    page.jobs().forEach(job -> found.add(job.id()));
                    calls++;
                }
                assertThat(found).containsExactlyInAnyOrder(old, recent);
                assertThat(calls).isLessThan(6);
            }
            assertThat(store.store().list(PageRequest.of(JobFilter.ALL.withType("none"))))
                    .as("no lane is no look")
                    .isEqualTo(new JobPage(List.of(), null));
        }
    }

    /** Counts the steps of SQLite's virtual machine for an empty page. Each row that it reads takes some. */
    private static long steps(Path file, PageRequest query) throws Exception {
        return steps(file, query, 0);
    }

    /** Counts the steps for a page of this many jobs, which is not the last one. */
    private static long steps(Path file, PageRequest query, int jobs) throws Exception {
        long[] steps = {0};
        try (TestDatabase database = TestDatabase.open(file);
                SqliteStatements statements = new SqliteStatements(database.connection(), Tables.DEFAULT)) {
            SQLiteConnection connection = database.connection().unwrap(SQLiteConnection.class);
            ProgressHandler.setHandler(connection, 1000, new ProgressHandler() {
                @Override
                protected int progress() {
                    steps[0] += 1000;
                    return 0;
                }
            });
            JobPage page = JobReads.LISTINGS.list(statements, query);
            ProgressHandler.clearHandler(connection);
            assertThat(page.jobs()).hasSize(jobs);
            assertThat(page.next()).isNotNull();
        }
        return steps[0];
    }

    @Test
    void aPageOfACategoryReadsFewMoreJobsThanItReturns() throws Exception {
        Path file = folder.resolve("jobs.db");
        Stores.open(file).close();
        try (TestDatabase database = TestDatabase.open(file)) {
            database.execute("INSERT INTO windrow_lanes (id, queue, type) VALUES (1, 'q', 't')");
            database.execute("""
                    WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 60000)
                    INSERT INTO windrow_jobs (id, lane, state, scheduled_at, max_attempts, created_at, created_by, finished_at, error_code)
                    SELECT i, 1, 'FAILED', i, 1, i, 1, i, 'A:' || (i % 100) FROM n
                    """);
        }
        for (PageRequest.Order order : PageRequest.Order.values()) {
            JobFilter failed = JobFilter.failed();
            long ofCode = steps(file, new PageRequest(failed.withErrorCode("A:7"), order, null, null, 50), 50);
            long ofCategory = steps(file, new PageRequest(failed.withErrorCode("A:*"), order, null, null, 50), 50);
            assertThat(ofCategory).as("%s", order).isLessThan(10 * ofCode);
        }
    }

    @Test
    void aPageOfManyLanesCostsLittleMoreThanAPageOfOneLane() throws Exception {
        Path file = folder.resolve("jobs.db");
        try (StoreDriver store = Stores.open(file)) {
            store.enqueue(NewRow.job().name("rare"));
            for (int call = 0; call < 25; call++) {
                List<NewRow> rows = new ArrayList<>();
                for (int i = 0; i < 1000; i++) {
                    rows.add(NewRow.of("q" + i, "t"));
                }
                store.enqueueAll(rows);
            }
        }
        JobFilter rare = JobFilter.ALL.withName("rare");
        for (PageRequest.Order order : PageRequest.Order.values()) {
            PageRequest query = new PageRequest(
                    rare, order, order == PageRequest.Order.OLDEST_FIRST ? Long.valueOf(100) : null, null, 50);
            long all = steps(file, query);
            assertThat(all).as("%s", order).isPositive();
            PageRequest ofType = new PageRequest(rare.withType("t"), order, query.after(), null, 50);
            assertThat(steps(file, ofType)).as("%s", order).isLessThan(3 * all);
        }
    }

    @Test
    void aTypeWithMoreLanesThanTheMergeLimitIsListedFromAllJobs() throws Exception {
        Path file = folder.resolve("jobs.db");
        try (StoreDriver store = Stores.open(file)) {
            List<Long> ids = new ArrayList<>(store.enqueueAll(Collections.nCopies(900, NewRow.of("q0", "t"))));
            store.enqueueAll(Collections.nCopies(900, NewRow.of("q0", "u")));
            try (TestDatabase database = TestDatabase.open(file)) {
                database.execute("""
                        WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000)
                        INSERT INTO windrow_lanes (queue, type) SELECT 'q' || i, 't' FROM n
                        """);
            }
            ids.addAll(store.enqueueAll(Collections.nCopies(3, NewRow.of("q9999", "t"))));
            PageRequest query = PageRequest.of(JobFilter.ALL.withType("t")).limit(1000);
            assertThat(store.store().list(query.oldestFirst()).jobs())
                    .extracting(JobInfo::id)
                    .isEqualTo(ids);
            assertThat(store.store().list(query.limit(4)).jobs())
                    .extracting(JobInfo::id)
                    .containsExactly(ids.get(902), ids.get(901), ids.get(900), ids.get(899));
        }
    }
}
