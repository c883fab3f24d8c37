package dev.windrow.tests.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobType;
import dev.windrow.NewJob;
import dev.windrow.engine.Windrow;
import dev.windrow.engine.Worker;
import dev.windrow.sqlite.SqliteStore;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How many no-op jobs a second go through one process from end to end: enqueued in bulk by one thread while a worker with
 * 8 slots runs them, on a real file, with full durability and the whole audit trail. Afterwards everything is counted.
 */
@Tag("bench")
class ThroughputBench {
    private static final int JOBS = Integer.getInteger("windrow.bench.jobs", 200_000);
    private static final int SLOTS = Integer.getInteger("windrow.bench.slots", 8);
    private static final int RUNS = Integer.getInteger("windrow.bench.runs", 3);
    private static final int BULK = 1000;

    private static final JobType<String, Void> NOOP = JobType.of("noop", String.class);

    @TempDir
    Path folder;

    @Test
    void end_to_end() throws Exception {
        List<Double> rates = new ArrayList<>();
        for (int run = 0; run <= RUNS; run++) {
            double rate = run(folder.resolve("run-" + run + ".db"));
            System.out.printf(
                    Locale.ROOT,
                    "%s: %,d jobs, %d slots, FULL, audited: %,.0f jobs/s%n",
                    run == 0 ? "warm-up" : "run " + run,
                    JOBS,
                    SLOTS,
                    rate);
            if (run > 0) {
                rates.add(rate);
            }
        }
        rates.sort(null);
        System.out.printf(Locale.ROOT, "median: %,.0f jobs/s%n", rates.get(rates.size() / 2));
    }

    private static double run(Path db) throws Exception {
        String payload = "x".repeat(98);
        double seconds;
        try (Windrow windrow = Windrow.open(SqliteStore.at(db));
                Worker worker = windrow.worker()
                        .handleVoid(NOOP, (input, job) -> {})
                        .concurrency(SLOTS)
                        .start()) {
            long start = System.nanoTime();
            for (int i = 0; i < JOBS; i += BULK) {
                List<NewJob<String, Void>> jobs = new ArrayList<>(BULK);
                for (int n = i; n < Math.min(JOBS, i + BULK); n++) {
                    jobs.add(NOOP.job(payload));
                }
                windrow.enqueueAll(jobs);
            }
            assertThat(worker.awaitIdle(Duration.ofMinutes(5))).isTrue();
            seconds = (System.nanoTime() - start) / 1e9;
        }
        count(db);
        return JOBS / seconds;
    }

    private static void count(Path db) throws SQLException, IOException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + db);
                Statement statement = connection.createStatement()) {
            assertThat(number(statement, "SELECT count(*) FROM windrow_jobs WHERE state = 'COMPLETED'"))
                    .isEqualTo(JOBS);
            assertThat(number(statement, "SELECT count(*) FROM windrow_jobs")).isEqualTo(JOBS);
            assertThat(number(statement, "SELECT count(*) FROM windrow_attempts WHERE outcome = 'SUCCEEDED'"))
                    .isEqualTo(JOBS);
            for (String event : List.of("ENQUEUED", "CLAIMED", "STARTED", "SUCCEEDED")) {
                assertThat(number(
                                statement,
                                "SELECT count(DISTINCT job_id) FROM windrow_events WHERE event = '" + event + "'"))
                        .as(event)
                        .isEqualTo(JOBS);
            }
            assertThat(number(statement, "SELECT count(*) FROM windrow_events")).isEqualTo(4L * JOBS);
            assertThat(number(statement, "SELECT count(*) FROM pragma_foreign_key_check"))
                    .isZero();
        }
    }

    private static long number(Statement statement, String sql) throws SQLException {
        try (ResultSet rows = statement.executeQuery(sql)) {
            return rows.next() ? rows.getLong(1) : -1;
        }
    }
}
