package dev.windrow.tests.bench;

import dev.windrow.BulkResult;
import dev.windrow.JobSelection;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.monitor.Monitor;
import dev.windrow.monitor.SuggestField;
import dev.windrow.monitor.ThroughputFilter;
import dev.windrow.query.JobFilter;
import dev.windrow.sqlite.SqliteStore;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Measures reads that an operator waits for, on a large file: quick previews, suggestions and throughput. The name of this class has no "Test", so a
 * build runs it only by {@code -Dtest=QuickReadsBench}.
 */
class QuickReadsBench {
    private static final int JOBS = Integer.getInteger("windrow.bench.jobs", 10_000_000);
    private static final int CALLS = 5;

    /** Of ten jobs in a row, six are COMPLETED, two FAILED, one is PENDING and one SCHEDULED. Each has one of 20 lanes. */
    private static final String FILL = """
            PRAGMA foreign_keys = OFF;
            PRAGMA synchronous = OFF;
            PRAGMA cache_size = -400000;
            BEGIN;
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
            INSERT INTO windrow_lanes (id, queue, type) SELECT i, 'queue' || (i % 2), 'type' || (i / 2) FROM n;
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < JOBS)
            INSERT INTO windrow_jobs (id, lane, state, scheduled_at, max_attempts, created_at, finished_at, error_code)
            SELECT i, 1 + i / 10 % 20,
                   CASE WHEN i % 10 < 6 THEN 'COMPLETED' WHEN i % 10 < 8 THEN 'FAILED'
                        WHEN i % 10 = 8 THEN 'PENDING' ELSE 'SCHEDULED' END,
                   1800000000000 + i, 3, 1800000000000 + i, CASE WHEN i % 10 < 8 THEN 1800000000000 + i END,
                   CASE WHEN i % 10 IN (6, 7) THEN 'TEST:' || (i / 10 % 50) END
              FROM n;
            INSERT INTO windrow_tags (job_id, tag) SELECT id, 'customer-' || (id / 10 % 50000) FROM windrow_jobs WHERE id % 10 = 0;
            INSERT INTO windrow_tags (job_id, tag) SELECT id, 'all' FROM windrow_jobs WHERE id % 3 = 0;
            INSERT INTO windrow_counters SELECT lane, state, count(*) FROM windrow_jobs GROUP BY 1, 2;
            INSERT INTO windrow_failures SELECT error_code, count(*), 0, 0 FROM windrow_jobs WHERE state = 'FAILED' GROUP BY 1;
            WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 10079)
            INSERT INTO windrow_minutes
            SELECT unixepoch() / 60 - i, l.id, 90, 10, 5000, 90000, '[0,5,30,40,20,5,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]',
                   '[0,0,0,0,0,5,30,40,20,5,0,0,0,0,0,0,0,0,0,0,0,0,0,0]', 30, 500
              FROM n, windrow_lanes l;
            UPDATE windrow_ids SET next = JOBS + 1;
            COMMIT
            """;

    @TempDir
    Path folder;

    @Test
    void readsThatAnOperatorWaitsFor() throws Exception {
        Path file = folder.resolve("large.db");
        Windrow.open(SqliteStore.at(file)).close();
        fill(file);
        try (Windrow windrow = Windrow.open(SqliteStore.at(file))) {
            Map<String, Supplier<Object>> calls = new LinkedHashMap<>();
            preview(calls, windrow, "cancel all", JobFilter.ALL, JobSelection::cancel);
            preview(calls, windrow, "cancel a type", JobFilter.ALL.withType("type3"), JobSelection::cancel);
            preview(calls, windrow, "retry FAILED", JobFilter.inState(JobState.FAILED), JobSelection::retry);
            preview(calls, windrow, "delete all", JobFilter.ALL, JobSelection::delete);
            preview(calls, windrow, "delete by tag", JobFilter.ALL.withTags("all"), JobSelection::delete);
            preview(calls, windrow, "delete by name, no match", JobFilter.ALL.withName("x"), JobSelection::delete);
            preview(calls, windrow, "trigger a queue", JobFilter.ALL.withQueue("queue1"), JobSelection::trigger);
            Monitor monitor = windrow.monitor();
            for (SuggestField field : SuggestField.values()) {
                calls.put(
                        "suggest " + field,
                        () -> monitor.suggest(field, "", 100).size());
            }
            calls.put(
                    "suggest customer-49",
                    () -> monitor.suggest(SuggestField.TAG, "customer-49", 100).size());
            for (int hours : new int[] {1, 24, 168}) {
                calls.put(
                        "throughput of " + hours + " h",
                        () -> monitor.throughput(Duration.ofHours(hours)).all().succeeded());
            }
            calls.put(
                    "throughput of a type",
                    () -> monitor.throughput(Duration.ofHours(1), ThroughputFilter.ALL.withType("type3"))
                            .all()
                            .succeeded());
            calls.forEach(QuickReadsBench::measure);
        }
    }

    private static void preview(
            Map<String, Supplier<Object>> calls,
            Windrow windrow,
            String name,
            JobFilter filter,
            Function<JobSelection, BulkResult> verb) {
        calls.put("preview: " + name, () -> {
            BulkResult result = verb.apply(windrow.jobs(filter).quickPreview());
            return (result.isAtLeast() ? "at least " : "") + result.count();
        });
    }

    private static void measure(String name, Supplier<Object> call) {
        long[] millis = new long[CALLS];
        Object result = "";
        for (int i = 0; i < CALLS; i++) {
            long began = System.nanoTime();
            result = call.get();
            millis[i] = (System.nanoTime() - began) / 1_000;
        }
        System.out.printf(
                Locale.ROOT,
                "%-36s first %8.1f ms, best %8.1f ms, longest %8.1f ms: %s%n",
                name,
                millis[0] / 1000.0,
                LongStream.of(millis).min().orElseThrow() / 1000.0,
                LongStream.of(millis).max().orElseThrow() / 1000.0,
                result);
    }

    private static void fill(Path file) throws Exception {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            for (String sql : FILL.replace("JOBS", Integer.toString(JOBS)).split(";\n", -1)) {
                statement.execute(sql);
            }
        }
    }
}
