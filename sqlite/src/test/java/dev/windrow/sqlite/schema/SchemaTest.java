package dev.windrow.sqlite.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.Durability;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.job.SqlPlanTest;
import dev.windrow.sqlite.processes.ChildProcess;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.testkit.ManualTime;
import dev.windrow.workflow.ParentPolicy;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestReporter;
import org.junit.jupiter.api.io.TempDir;

/** The file as other programs see it: its settings, its integrity, and the data that operators read in it. */
@Tag("once") // on one JDK: SQLite holds the rules of the tables
class SchemaTest {
    @TempDir
    Path folder;

    private Path file;

    @BeforeEach
    void nameFile() {
        file = folder.resolve("jobs.db");
    }

    @Test
    void everyConnectionHasTheSettingsThatTheStoreReliesOn() throws SQLException {
        Stores.open(file).close();
        SqliteFile target = new SqliteFile(file, Durability.FULL, 10_000);
        try (SqliteFile.Opened writer = target.openWriter();
                SqliteFile.Opened reader = target.openReader()) {
            for (SqliteFile.Opened connection : List.of(writer, reader)) {
                assertThat(connection.query("PRAGMA foreign_keys")).isEqualTo("1");
                assertThat(connection.query("PRAGMA journal_mode")).isEqualTo("wal");
                assertThat(connection.query("PRAGMA busy_timeout")).isEqualTo("10000");
            }
            assertThat(writer.query("PRAGMA synchronous")).as("FULL").isEqualTo("2");
            assertThat(writer.query("PRAGMA auto_vacuum")).as("INCREMENTAL").isEqualTo("2");
            assertThat(reader.query("PRAGMA query_only")).isEqualTo("1");
            assertThat(catchThrowable(() -> reader.execute("DELETE FROM windrow_jobs")))
                    .isInstanceOf(SQLException.class);
        }
        try (SqliteFile.Opened writer = new SqliteFile(file, Durability.NORMAL, 10_000).openWriter()) {
            assertThat(writer.query("PRAGMA synchronous")).as("NORMAL").isEqualTo("1");
        }
    }

    @Test
    void theLogIsTruncatedWhenTheStoreCloses() {
        try (StoreDriver store = Stores.open(file)) {
            store.enqueue(NewRow.job());
        }
        assertThat(folder.toFile().list()).containsExactly("jobs.db");
    }

    /** Applies some hundred random verbs. */
    private void workload(Random random) {
        try (StoreDriver store = Stores.open(file)) {
            List<Long> ids = new ArrayList<>();
            List<ClaimedJob> held = new ArrayList<>();
            List<Verb> verbs = List.copyOf(EnumSet.complementOf(EnumSet.of(Verb.MERGE_METADATA)));
            List<Transition> ends = List.of(
                    Transition.COMPLETE,
                    Transition.FAIL,
                    Transition.RETRY_LATER,
                    Transition.HAND_BACK,
                    Transition.PARK);
            for (int step = 0; step < 600; step++) {
                switch (random.nextInt(5)) {
                    case 0, 1 -> {
                        NewRow row = NewRow.of("q", "t" + random.nextInt(3))
                                .payload("{}")
                                .tags("a", "b" + step);
                        Long parent = ids.isEmpty() ? null : ids.get(random.nextInt(ids.size()));
                        if (parent != null
                                && random.nextBoolean()
                                && store.store().outcome(parent).isPresent()) {
                            row = row.after(parent, random.nextBoolean() ? ParentPolicy.WAIT : ParentPolicy.RUN);
                        }
                        ids.add(store.enqueue(row));
                    }
                    case 2 ->
                        held.addAll(store.claim(StoreDriver.request(
                                        "w" + random.nextInt(3), Set.of("q"), Set.of("t0", "t1", "t2"), 3))
                                .jobs());
                    case 3 -> {
                        if (!held.isEmpty()) {
                            store.settle(
                                    held.remove(random.nextInt(held.size())), ends.get(random.nextInt(ends.size())));
                        }
                    }
                    default -> {
                        if (!ids.isEmpty()) {
                            Change change = StoreDriver.change(
                                    verbs.get(random.nextInt(verbs.size())),
                                    List.of(ids.get(random.nextInt(ids.size()))));
                            // Often refused, on purpose.
                            ChangeByFilter.run(store.store(), change)
                                    .exceptionally(e -> null)
                                    .join();
                            store.time().advance(Duration.ofSeconds(random.nextInt(60)));
                        }
                    }
                }
            }
        }
    }

    @RepeatedTest(5)
    void aRandomWorkloadLeavesNoDamageNoOrphansAndNoWrongSums(TestReporter reporter) throws SQLException {
        long seed = Long.getLong("windrow.seed", new Random().nextLong(1_000_000_000));
        reporter.publishEntry("windrow.seed", Long.toString(seed));
        try {
            workload(new Random(seed));
            assertSound();
        } catch (AssertionError | RuntimeException e) {
            throw new AssertionError("to repeat it: -Dwindrow.seed=" + seed, e);
        }
    }

    private void assertSound() throws SQLException {
        try (TestDatabase database = TestDatabase.open(file)) {
            assertThat(database.one("PRAGMA integrity_check")).isEqualTo("ok");
            assertThat(database.rows("PRAGMA foreign_key_check")).isEmpty();
            for (String child : List.of("payloads", "results", "tags", "attempts", "attempt_texts", "events")) {
                assertThat(database.one("SELECT count(*) FROM windrow_" + child
                                + " WHERE job_id NOT IN (SELECT id FROM windrow_jobs)"))
                        .as(child)
                        .isEqualTo("0");
            }
            assertThat(database.rows("SELECT lane, state, n FROM windrow_counters WHERE n <> 0 EXCEPT"
                            + " SELECT lane, state, count(*) FROM windrow_jobs GROUP BY lane, state"))
                    .as("counters")
                    .isEmpty();
            assertThat(database.rows("SELECT lane, state, count(*) FROM windrow_jobs GROUP BY lane, state EXCEPT"
                            + " SELECT lane, state, n FROM windrow_counters"))
                    .isEmpty();
            assertThat(database.rows("SELECT id FROM windrow_jobs j WHERE open_parents <>"
                            + " (SELECT count(*) FROM windrow_edges e WHERE e.child = j.id AND e.satisfied = 0)"))
                    .as("counts of open parents")
                    .isEmpty();
            assertThat(database.rows("SELECT id FROM windrow_jobs WHERE state = 'BLOCKED' AND waiting_for = 'PARENTS'"
                            + " AND open_parents = 0"))
                    .as("nobody waits for nothing")
                    .isEmpty();
            assertThat(
                            database.rows(
                                    "SELECT id FROM windrow_jobs WHERE (state = 'RUNNING') <> (worker IS NOT NULL AND state <> 'COMPLETED')"
                                            + " OR (state = 'RUNNING') <> (lease_until IS NOT NULL)"
                                            + " OR (state IN ('COMPLETED', 'FAILED', 'CANCELLED')) <> (finished_at IS NOT NULL)"))
                    .isEmpty();
        }
    }

    @Test
    void aCompletedChildDoesNotCountADeletedParent() throws Exception {
        try (StoreDriver store = Stores.open(file);
                TestDatabase database = TestDatabase.open(file)) {
            ClaimedJob parent = store.running(NewRow.job());
            long child = store.enqueue(NewRow.job().after(parent.id(), ParentPolicy.WAIT));
            store.settle(parent, Transition.FAIL);
            store.change(Verb.COMPLETE, child);
            store.change(Verb.DELETE, parent.id());
            assertThat(database.one("SELECT state, open_parents FROM windrow_jobs"))
                    .isEqualTo("COMPLETED|0");
        }
    }

    @Test
    void theViewsShowReadableTimes() throws Exception {
        try (StoreDriver store = Stores.open(file)) {
            ClaimedJob job = store.running(NewRow.job().payload("{\"a\":1}").name("first"));
            store.time().advance(Duration.ofMillis(1500));
            store.complete(job);
        }
        try (TestDatabase database = TestDatabase.open(file)) {
            assertThat(database.one(
                            "SELECT queue, type, state, name, attempt, created, finished, run_ms, payload, result"
                                    + " FROM windrow_job_view"))
                    .isEqualTo("q|t|COMPLETED|first|1|2026-01-01T00:00:00.000Z|2026-01-01T00:00:01.500Z|1500|"
                            + "{\"a\":1}|{\"by\":1}");
            assertThat(database.one(
                            "SELECT attempt, worker, outcome, started, finished, run_ms FROM windrow_attempt_view"))
                    .isEqualTo("1|w|SUCCEEDED|2026-01-01T00:00:00.000Z|2026-01-01T00:00:01.500Z|1500");
            assertThat(database.rows("SELECT at, event, actor FROM windrow_event_view ORDER BY seq"))
                    .containsExactly(
                            "2026-01-01T00:00:00.000Z|ENQUEUED|test",
                            "2026-01-01T00:00:00.000Z|CLAIMED|w",
                            "2026-01-01T00:00:00.000Z|STARTED|w",
                            "2026-01-01T00:00:01.500Z|SUCCEEDED|w");
        }
    }

    /**
     * Returns the rows that a program without Windrow reads: the {@code sqlite3} tool where it is installed, as .ci/run requires. If it is not, a
     * plain connection of the driver.
     */
    private List<String> read(String... statements) throws Exception {
        boolean installed = Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                .anyMatch(folder -> Files.isExecutable(Path.of(folder, "sqlite3")));
        if (!installed) {
            List<String> rows = new ArrayList<>();
            try (TestDatabase database = TestDatabase.open(file)) {
                for (String statement : statements) {
                    rows.addAll(database.rows(statement));
                }
            }
            return rows;
        }
        ChildProcess.Outcome outcome =
                ChildProcess.finish(new ProcessBuilder("sqlite3", file.toString(), String.join(";\n", statements) + ";")
                        .redirectErrorStream(true)
                        .start());
        assertThat(outcome.status()).as(outcome.text()).isZero();
        return outcome.text().lines().toList();
    }

    @Test
    void aPlainReaderReadsTheFileWhileTheStoreIsOpen() throws Exception {
        try (StoreDriver store = Stores.open(file)) {
            store.complete(store.running(NewRow.job()));
            assertThat(read(
                            "SELECT state, attempt, created FROM windrow_job_view",
                            "PRAGMA journal_mode",
                            "PRAGMA integrity_check",
                            "PRAGMA foreign_key_check"))
                    .containsExactly("COMPLETED|1|2026-01-01T00:00:00.000Z", "wal", "ok");
            assertThat(store.enqueue(NewRow.job())).isPositive();
        }
    }

    @Test
    void everyStatementCanBePastedIntoTheCommandLineTool() throws Exception {
        Stores.open(file).close();
        for (var statement : SqlPlanTest.statements().entrySet()) {
            assertThat(read("EXPLAIN " + statement.getValue()))
                    .as(statement.getKey())
                    .isNotNull();
        }
    }

    @Test
    void theSumsOfAMinuteAndOfItsHourHoldOnlySettledAttempts() throws Exception {
        try (StoreDriver store = Stores.open(file)) {
            ClaimedJob lost = store.running(NewRow.job());
            store.settle(lost, Transition.HAND_BACK);
            ClaimedJob job = store.claimOne();
            assertThat(store.complete(lost)).isFalse();
            store.time().advance(Duration.ofMillis(100));
            assertThat(store.complete(job)).isTrue();
            ClaimedJob failing = store.running(NewRow.job());
            store.settle(failing, Transition.FAIL);
        }
        try (TestDatabase database = TestDatabase.open(file)) {
            // The clock began with an hour.
            String sums = ManualTime.START.toEpochMilli() / 60_000 + "|1|1|100";
            assertThat(database.rows(
                            "SELECT length, minute, succeeded, failed, run_ms FROM windrow_throughput ORDER BY 1"))
                    .containsExactly("1|" + sums, "60|" + sums);
            // Three ended attempts: handed back, completed, failed.
            assertThat(database.rows(
                            "SELECT (SELECT sum(b.value) FROM json_each(m.run_bins) b) FROM windrow_throughput m"))
                    .containsExactly("3", "3");
        }
    }

    @Test
    void aHeldJobIsNotClaimed() throws Exception {
        try (StoreDriver store = Stores.open(file);
                TestDatabase database = TestDatabase.open(file)) {
            store.enqueue(NewRow.job());
            database.execute("UPDATE windrow_jobs SET waits_for_permit = 1");
            assertThat(store.claim(1)).isEmpty();
            database.execute("UPDATE windrow_jobs SET waits_for_permit = 0");
            assertThat(store.claim(1)).hasSize(1);
        }
    }

    @Test
    void aSuspectShowsItsCancelRequest() throws Exception {
        try (StoreDriver store = Stores.open(file);
                TestDatabase database = TestDatabase.open(file)) {
            ClaimedJob job = store.running(NewRow.job());
            database.execute("UPDATE windrow_jobs SET cancel_requested = 1");
            store.time().advance(Duration.ofMinutes(1));
            assertThat(store.suspects()).singleElement().matches(suspect -> suspect.cancelRequested());
            store.reclaim(store.suspects().get(0), Transition.CANCEL_RUNNING, dev.windrow.AttemptOutcome.RECOVERED);
            assertThat(store.state(job.id())).isEqualTo(JobState.CANCELLED);
            assertThat(database.one("SELECT cancel_requested FROM windrow_jobs"))
                    .isEqualTo("0");
        }
    }
}
