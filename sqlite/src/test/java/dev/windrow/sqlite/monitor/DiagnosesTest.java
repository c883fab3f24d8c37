package dev.windrow.sqlite.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.monitor.Diagnosis.Check;
import dev.windrow.monitor.Diagnosis.Result;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.sqlite.processes.PeerProcesses;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.Transition;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.testkit.ManualTime;
import dev.windrow.workflow.ParentPolicy;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The diagnosis of damage: each damage is found by the check of its name and, where that is possible, by no other check. */
@Tag("once") // on one JDK: it compares rows with rules
class DiagnosesTest {
    private static final int PAGE = 4096;

    /** The file with which each test begins: see {@link #makeAFile}. */
    private static byte[] prepared;
    /** The same file with some thousands of jobs. */
    private static byte[] preparedLarge;

    private static final List<Long> ids = new ArrayList<>();

    @TempDir
    private Path folder;

    private Path file;

    /** Makes six jobs: 1 has completed, 2 failed, 3 runs, 4 waits for 3, 5 ran anyway after 2 and is ready, 6 is due later. */
    @BeforeAll
    static void makeAFile(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("jobs.db");
        try (StoreDriver store = Stores.open(file)) {
            ids.add(store.enqueue(NewRow.job().payload("{}").tags("a")));
            store.complete(store.claimOne());
            ids.add(store.enqueue(NewRow.job()));
            store.settle(store.claimOne(), Transition.FAIL);
            ids.add(store.enqueue(NewRow.job()));
            store.claimOne();
            ids.add(store.enqueue(
                    NewRow.job().after(ids.get(2), ParentPolicy.WAIT).after(ids.get(0), ParentPolicy.WAIT)));
            ids.add(store.enqueue(NewRow.job().after(ids.get(1), ParentPolicy.RUN)));
            ids.add(store.enqueue(NewRow.job().delay(Duration.ofDays(1))));
        }
        prepared = Files.readAllBytes(file);
        try (StoreDriver store = Stores.open(file)) {
            store.enqueueAll(Collections.nCopies(
                    2000, NewRow.job().payload("{}").tags("a").after(ids.get(2), ParentPolicy.WAIT)));
        }
        preparedLarge = Files.readAllBytes(file);
    }

    @BeforeEach
    void copyTheFile() throws IOException {
        file = Files.write(folder.resolve("jobs.db"), prepared);
    }

    private void copyTheLargeFile() throws IOException {
        Files.write(file, preparedLarge);
    }

    private Diagnosis diagnose() {
        return diagnose(file, false);
    }

    private static Diagnosis diagnose(Path file, boolean quick) {
        return diagnose(
                file,
                new DiagnoseRequest(
                        new ManualTime(), quick ? DiagnoseOptions.ALL.withoutIndexes() : DiagnoseOptions.ALL));
    }

    /** Runs this check only, because the others take far longer. */
    private Diagnosis diagnose(String check) {
        return diagnose(file, new DiagnoseRequest(new ManualTime(), DiagnoseOptions.ALL.withChecks(Set.of(check))));
    }

    private static Diagnosis diagnose(Path file, DiagnoseRequest request) {
        return StoreProvider.diagnose(
                SqliteStore.configure(file)
                        .operationTimeout(Duration.ofMillis(300))
                        .build(),
                request);
    }

    /** Returns the result of this check. */
    private Check check(String name) {
        return check(diagnose(name), name);
    }

    private static Check check(Diagnosis diagnosis, String name) {
        return diagnosis.checks().stream()
                .filter(check -> check.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    /** Replaces #1 and so on by the ids of the jobs. */
    private String numbered(String text) {
        String numbered = text;
        for (int i = 1; i <= ids.size(); i++) {
            numbered = numbered.replace("#" + i, String.valueOf(ids.get(i - 1)));
        }
        return numbered;
    }

    /** Makes damage that no connection of Windrow could make: without foreign keys and the constraints of the schema. */
    private void damage(String sql) throws SQLException {
        try (TestDatabase database = TestDatabase.open(file)) {
            database.execute("PRAGMA foreign_keys = OFF");
            database.execute("PRAGMA ignore_check_constraints = ON");
            for (String part : numbered(sql).split(";", -1)) {
                database.execute(part);
            }
        }
    }

    @Test
    void anUndamagedFileHasNoFailedCheck() {
        assertThat(diagnose().checks())
                .filteredOn(check -> check.result() != Result.OK)
                .extracting(Check::name)
                .as("the job that runs has no worker in the registry, and the one that is ready none at all")
                .containsExactly("leases", "queues", "handlers");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "integrity | UPDATE windrow_jobs SET state = 'LOST' WHERE id = #1 | CHECK constraint",
                "foreign-keys | UPDATE windrow_events SET actor = 4711 WHERE job_id = #2 | windrow_actors",
                "orphans | INSERT INTO windrow_payloads VALUES (4711, '{}') | payload of job 4711",
                "orphans | INSERT INTO windrow_results VALUES (4711, '{}') | result of job 4711",
                "orphans | INSERT INTO windrow_tags VALUES (4711, 'x') | tag of job 4711",
                "orphans | INSERT INTO windrow_metadata VALUES (4711, '{}') | metadata of job 4711",
                "orphans | INSERT INTO windrow_attempts VALUES (4711, 1, 1, 1, 1, 1, 1, 1, 'LOST', NULL, NULL) | attempt of job 4711",
                "orphans | INSERT INTO windrow_attempt_texts VALUES (1000, #1, 17, 'OUTPUT', 'x') | text of an attempt of job #1",
                "orphans | INSERT INTO windrow_events VALUES (4711, 1, 1, 'ENQUEUED', 1, 0, NULL) | event of job 4711",
                "orphans | INSERT INTO windrow_edges (child, position, parent, policy, satisfied) VALUES (4711, 0, #1, 'WAIT', 1) | edge of job 4711",
                "orphans | INSERT INTO windrow_edges (child, position, parent, policy, satisfied) VALUES (#1, 0, 4711, 'WAIT', 1) | edge to a parent of job 4711",
                "orphans | INSERT INTO windrow_progress VALUES (4711, 1, 1, 0.5, NULL) | progress of job 4711",
                "orphans | INSERT INTO windrow_log_lines VALUES (4711, 1, 1, 1, 'INFO', 'x') | log line of job 4711",
                "orphans | INSERT INTO windrow_steps (job_id, name, position, kind, state, token, started_at) VALUES (4711, 'a', 1, 'STEP', 'DONE', 1, 1) | step of job 4711",
                "orphans | INSERT INTO windrow_dedupe (type, key, job_id, scope) VALUES ('t', 'k', 4711, 'UNFINISHED') | dedupe key of job 4711, which is missing",
                "orphans | INSERT INTO windrow_dedupe (type, key, job_id, scope) VALUES ('t', 'k', #1, 'UNFINISHED') | dedupe key of job #1, which is COMPLETED",
                "orphans | INSERT INTO windrow_dedupe (type, key, job_id, scope) VALUES ('t', 'k', #3, 'UNTIL_STARTED') | dedupe key of job #3, which is RUNNING",
                "orphans | INSERT INTO windrow_blobs VALUES (9, 4711, 'PAYLOAD', 0, 'x', NULL, 1) | blob 9 is the payload of job 4711, which does not name it",
                "orphans | INSERT INTO windrow_blobs VALUES (9, #1, 'RESULT', 5, 'x', NULL, 1) | blob 9 of job #1 has 0 bytes and should have 5",
                "orphans | INSERT INTO windrow_blob_chunks VALUES (4711, 3, x'00') | chunk 3 belongs to blob 4711, which does not exist",
                "orphans | INSERT OR REPLACE INTO windrow_payloads VALUES (#1, printf('{%swindrow:blob%s:9,}', char(34), char(34))) | the payload of job #1 is in a blob, which does not exist",
                "orphans | INSERT OR REPLACE INTO windrow_results VALUES (#1, printf('{%swindrow:blob%s:9,}', char(34), char(34))) | the result of job #1 is in a blob, which does not exist",
                "states | UPDATE windrow_jobs SET dedupe_key = 'k', dedupe_scope = 'UNFINISHED' WHERE id = #5 | job #5 is PENDING and does not hold its dedupe key",
                "leases | UPDATE windrow_jobs SET lease_until = 9999999999999 WHERE id = #3 | the clock was set back",
                "counters | UPDATE windrow_counters SET n = n + 1 WHERE state = 'FAILED' | the counter is 2, the number of jobs is 1",
                "counters | DELETE FROM windrow_counters WHERE state = 'RUNNING' | the counter is 0, the number of jobs is 1",
                "edges | UPDATE windrow_jobs SET open_parents = 2 WHERE id = #4 | job #4 is BLOCKED with 2 open parents and 1 open",
                "edges | UPDATE windrow_jobs SET open_parents = 0 WHERE id = #4; UPDATE windrow_edges SET satisfied = 1 WHERE child = #4 | job #4 is BLOCKED with 0",
                "edges | UPDATE windrow_edges SET satisfied = 0 WHERE parent = #1; UPDATE windrow_jobs SET open_parents = 2 WHERE id = #4 | the edge of job #4 to job #1, which is COMPLETED, is open",
                "edges | UPDATE windrow_edges SET satisfied = 0 WHERE parent = #2; UPDATE windrow_jobs SET open_parents = 1 WHERE id = #5 | the edge of job #5 to job #2, which is FAILED, is open (RUN)",
                "edges | UPDATE windrow_edges SET satisfied = 0, policy = 'CANCEL' WHERE parent = #2; UPDATE windrow_jobs SET open_parents = 1, state = 'BLOCKED', waiting_for = 'PARENTS' WHERE id = #5 | the edge of job #5 to job #2, which is FAILED, is open (CANCEL)",
                "edges | UPDATE windrow_edges SET parent = #5 WHERE parent = #3; UPDATE windrow_edges SET satisfied = 0, parent = #4 WHERE child = #5; UPDATE windrow_jobs SET open_parents = 1, state = 'BLOCKED', waiting_for = 'PARENTS' WHERE id = #5 | 2 blocked jobs wait for each other forever",
                "edges | INSERT INTO windrow_releases (parent, state) VALUES (#2, 'COMPLETED') | the children of job #2 were to be released when it was COMPLETED, but it is FAILED",
                "states | UPDATE windrow_jobs SET worker = NULL WHERE id = #3 | job #3 is RUNNING and has no worker",
                "states | UPDATE windrow_jobs SET lease_until = NULL WHERE id = #3 | job #3 is RUNNING and has no lease",
                "states | UPDATE windrow_jobs SET claimed_at = NULL WHERE id = #3 | was never claimed",
                "states | UPDATE windrow_jobs SET worker = 1 WHERE id = #2 | job #2 is FAILED and has a worker",
                "states | UPDATE windrow_jobs SET worker = NULL WHERE id = #1 | job #1 is COMPLETED and was completed by neither a worker nor another actor",
                "states | UPDATE windrow_jobs SET claimed_at = NULL WHERE id = #1 | job #1 is COMPLETED and has a worker that never claimed it",
                "states | UPDATE windrow_jobs SET started_at = NULL WHERE id = #1 | job #1 is COMPLETED and has a worker that never started it",
                "states | UPDATE windrow_jobs SET created_by = 4711 WHERE id = #5 | job #5 is PENDING and was enqueued by an unknown actor",
                "states | UPDATE windrow_jobs SET lease_until = 1 WHERE id = #5 | job #5 is PENDING and has a lease",
                "states | UPDATE windrow_jobs SET finished_at = NULL WHERE id = #2 | job #2 is FAILED and has no time of its end",
                "states | UPDATE windrow_jobs SET finished_at = 1 WHERE id = #6 | job #6 is SCHEDULED and has a time of its end",
                "states | UPDATE windrow_jobs SET waiting_for = NULL WHERE id = #4 | waits for nothing",
                "states | UPDATE windrow_jobs SET wake_at = 1 WHERE id = #4 | has a time-out and waits for no event",
                "states | UPDATE windrow_jobs SET waiting_for = 'EVENT' WHERE id = #5 | waits for EVENT",
                "states | UPDATE windrow_jobs SET waiting_for = 'EVENT', wake_at = 1, wake_state = 'PENDING' WHERE id = #4 | job #4 is BLOCKED and waits for an event, but has no open event step",
                "states | UPDATE windrow_jobs SET used = 99 WHERE id = #2 | has used more attempts",
                "states | INSERT INTO windrow_events VALUES (#5, 9000, 1, 'ENQUEUED', 1, 0, NULL) | job #5 is PENDING, and its log has an event ENQUEUED",
                "states | INSERT INTO windrow_events VALUES (#3, 9000, 1, 'CLAIMED', 1, 1, NULL) | job #3 is RUNNING, and its log has an event CLAIMED",
                "states | INSERT INTO windrow_events VALUES (#2, 9000, 1, 'STARTED', 1, 1, NULL) | job #2 is FAILED, and its log has an event STARTED",
                "states | INSERT INTO windrow_events VALUES (#2, 9000, 1, 'SUCCEEDED', 1, 1, NULL) | job #2 is FAILED, and its log has an event SUCCEEDED",
                "states | INSERT INTO windrow_events VALUES (#1, 9000, 1, 'SUCCEEDED', 1, 1, NULL) | job #1 is COMPLETED, and its log has an event SUCCEEDED",
                "attempts | UPDATE windrow_jobs SET token = 0 WHERE id = #2 | has ended under token 1 in run 1, the job is FAILED under token 0",
                "attempts | UPDATE windrow_attempts SET run = 2 WHERE job_id = #2 | in run 2, the job is FAILED under token 1 in run 1",
                "attempts | INSERT INTO windrow_attempts VALUES (#3, 1, 1, 1, 1, 1, 1, 1, 'LOST', NULL, NULL) | the job is RUNNING under token 1",
                "attempts | UPDATE windrow_attempts SET outcome = 'SUCCEEDED' WHERE job_id = #2 | a SUCCEEDED attempt of job #2 has ended under token 1 in run 1, the job is FAILED under token 1",
                "attempts | INSERT INTO windrow_attempts VALUES (#1, 1, 1, 1, 1, 1, 1, 1, 'RELEASED', NULL, NULL) | a RELEASED attempt of job #1 has ended under token 1 in run 1, the job is COMPLETED under token 1",
                "attempts | DELETE FROM windrow_events WHERE job_id = #2 | the log of job #2 has no event under token 1, whose attempt is FAILED",
                "schedules | INSERT INTO windrow_schedules (id, name, queue, type, priority, max_attempts, tags, cron, zone, misfire, overlap, next_at, revision, created_at, created_by, changed_at) VALUES (1000, 's', 'q', 't', 0, 3, '[]', '0 3 * * *', 'Mars/Olympus', 'ONCE', 'ALLOW', 1, 1, 1, 1, 1) | schedule s cannot be read: zone 'Mars/Olympus'",
                "schedules | INSERT INTO windrow_schedules (id, name, queue, type, priority, max_attempts, tags, every_ms, starts_at, misfire, overlap, revision, created_at, created_by, changed_at) VALUES (1000, 's', 'q', 't', 0, 3, '[]', 60000, 1, 'ONCE', 'ALLOW', 1, 1, 1, 1) | schedule s has no next run",
                "plans | DROP INDEX windrow_schedules_next | schedules that are due: ",
                "plans | DROP INDEX windrow_jobs_claim | claim: ",
                "plans | DROP INDEX windrow_edges_parent | release of children: does not use windrow_edges_parent",
                "settings | PRAGMA journal_mode = DELETE | journal_mode delete",
                "schema | INSERT INTO windrow_schema VALUES (99, 99, 'new', 1) | needs a newer Windrow",
                "schema | DELETE FROM windrow_schema WHERE version = 2 | has schema 1; this program knows 2, and migrates it",
                "schema | DROP TABLE windrow_schema | no schema of Windrow",
                "schema | UPDATE windrow_schema SET version = -version | has schema -1",
            })
    void eachDamageIsFoundByItsCheck(String name, String sql, String detail) throws SQLException {
        assertThat(check(name).result()).as("before the damage").isNotEqualTo(Result.FAILED);
        damage(sql);
        // The whole examination takes ten times as long.
        Diagnosis diagnosis = Boolean.getBoolean("windrow.soak") ? diagnose() : diagnose(name);
        Check check = check(diagnosis, name);
        assertThat(check.result()).as("%s", diagnosis).isEqualTo(Result.FAILED);
        assertThat(check.detail()).contains(numbered(detail));
        assertThat(check.remedy()).isNotBlank();
        assertThat(diagnosis.isOk()).isFalse();
    }

    @Test
    void eachOfManyDamagesIsFoundByItsCheckAndNoneEndsTheDiagnosis() throws SQLException {
        List<String> names = diagnose().checks().stream().map(Check::name).toList();
        damage("UPDATE windrow_events SET actor = 4711 WHERE job_id = #2");
        damage("INSERT INTO windrow_results VALUES (4711, '{}')");
        damage("UPDATE windrow_jobs SET lease_until = 9999999999999 WHERE id = #3");
        damage("UPDATE windrow_jobs SET token = 0, used = 99 WHERE id = #2");
        damage("UPDATE windrow_jobs SET open_parents = 2 WHERE id = #4");
        damage("UPDATE windrow_counters SET n = n + 1 WHERE state = 'FAILED'");
        damage("DROP INDEX windrow_jobs_claim");
        Diagnosis diagnosis = diagnose();
        assertThat(diagnosis.checks()).extracting(Check::name).isEqualTo(names);
        assertThat(diagnosis.failed())
                .containsExactly(
                        "plans", "leases", "foreign-keys", "orphans", "counters", "edges", "states", "attempts");
    }

    @Test
    void oneDamageFailsOneCheckOnly() throws SQLException {
        damage("UPDATE windrow_counters SET n = n + 1 WHERE state = 'FAILED'");
        assertThat(diagnose().failed()).containsExactly("counters");
    }

    @Test
    void theFirstFindingsAreNamedAndTheOthersCounted() throws SQLException {
        damage("WITH RECURSIVE n (i) AS (SELECT 1000 UNION ALL SELECT i + 1 FROM n WHERE i < 1999)"
                + " INSERT INTO windrow_payloads SELECT i, '{}' FROM n");
        assertThat(check("orphans").detail()).startsWith("payload of job 1000,").endsWith("; and 995 more");
    }

    @Test
    void stuckSlotsAreANote() throws SQLException {
        damage(
                "INSERT INTO windrow_workers (actor, name, host, pid, version, queues, types, slots, started_at, heartbeat_at,"
                        + " expires_at, stuck) VALUES (1, 'w', 'h', 1, '0', '[]', '[\"t\"]', 4, 1, 1, 9999999999999, 2)");
        Check stuck = check("stuck-slots");
        assertThat(stuck.result()).isEqualTo(Result.NOTE);
        assertThat(stuck.detail()).contains("worker w: 2 slots");
    }

    /** Overwrites the first page of a table or index, while no process has the file open. */
    private void overwrite(String name, byte[] page) throws SQLException, IOException {
        long root;
        try (TestDatabase database = TestDatabase.open(file)) {
            root = Long.parseLong(database.one("SELECT rootpage FROM sqlite_schema WHERE name = '" + name + "'"));
        }
        try (RandomAccessFile raw = new RandomAccessFile(file.toFile(), "rw")) {
            raw.seek((root - 1) * PAGE);
            raw.write(page);
        }
    }

    @Test
    void aTornPageIsFoundAndTheOtherChecksRun() throws IOException, SQLException {
        List<String> names = diagnose().checks().stream().map(Check::name).toList();
        byte[] noise = new byte[PAGE];
        new Random(1).nextBytes(noise);
        overwrite("windrow_events", noise);
        Diagnosis diagnosis = diagnose();
        assertThat(diagnosis.checks()).extracting(Check::name).isEqualTo(names);
        assertThat(diagnosis.failed()).containsExactly("integrity", "foreign-keys", "orphans", "states", "attempts");
        assertThat(check(diagnosis, "orphans").detail()).startsWith("could not be checked: ");
    }

    @Test
    void onlyTheFullCheckFindsAnIndexWithMissingRows() throws IOException, SQLException {
        // The effect of a lost write: the table has the row, and the index is an empty leaf.
        byte[] empty = new byte[PAGE];
        empty[0] = 10;
        empty[5] = PAGE >> 8;
        overwrite("windrow_jobs_failed", empty);
        assertThat(check("integrity").detail()).contains("windrow_jobs_failed");
        Check quick = check(diagnose(file, true), "integrity");
        assertThat(quick.result()).isEqualTo(Result.OK);
        assertThat(quick.detail()).contains("quick");
    }

    @Test
    void aFileThatIsNotADatabaseIsDiagnosedAndNotChanged() throws IOException {
        Path text = Files.writeString(folder.resolve("notes.txt"), "no database, ".repeat(1000));
        Diagnosis diagnosis = diagnose(text, false);
        assertThat(diagnosis.checks()).hasSize(1);
        assertThat(diagnosis.failed()).containsExactly("schema");
        assertThat(check(diagnosis, "schema").detail())
                .contains(text + " is not a SQLite database: ", "nothing was changed");
        assertThat(Files.readString(text, StandardCharsets.UTF_8)).isEqualTo("no database, ".repeat(1000));
    }

    @Test
    void aMissingFileIsNotCreated() {
        Path none = folder.resolve("none.db");
        assertThatThrownBy(() -> diagnose(none, false))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining("none.db");
        assertThat(none).doesNotExist();
        assertThat(folder.resolve("none.db" + PeerProcesses.SUFFIX)).doesNotExist();
    }

    @Test
    void aDiagnosisChangesNoByteOfTheFile() throws Exception {
        damage("UPDATE windrow_schema SET version = -version");
        byte[] before = Files.readAllBytes(file);
        assertThat(diagnose().isOk()).isFalse();
        assertThat(Files.readAllBytes(file)).isEqualTo(before);
    }

    @Test
    void aDiagnosisReadsTheLogOfACrashAndLeavesIt() throws Exception {
        Path copy = folder.resolve("copy.db");
        Path log = folder.resolve("copy.db-wal");
        try (TestDatabase database = TestDatabase.open(file)) {
            database.execute("UPDATE windrow_counters SET n = n + 1 WHERE state = 'FAILED'");
            Files.copy(file, copy);
            Files.copy(folder.resolve("jobs.db-wal"), log);
        }
        byte[] fileBefore = Files.readAllBytes(copy);
        byte[] logBefore = Files.readAllBytes(log);
        assertThat(diagnose(copy, false).failed()).containsExactly("counters");
        assertThat(Files.readAllBytes(copy)).isEqualTo(fileBefore);
        assertThat(Files.readAllBytes(log)).isEqualTo(logBefore);
    }

    @Test
    void aHeldWriteLockIsReportedWithItsHolder() throws SQLException {
        try (Connection holder = TestDatabase.connect(file);
                Statement statement = holder.createStatement()) {
            statement.execute("BEGIN IMMEDIATE");
            Check lock = check("write-lock");
            assertThat(lock.result()).isEqualTo(Result.FAILED);
            assertThat(lock.detail()).contains("by this process");
            statement.execute("ROLLBACK");
            assertThat(check("write-lock").result()).isEqualTo(Result.OK);
        }
    }

    @Test
    void tooLittleSpaceOrTooLongALogIsAFailure() {
        long mib = 1 << 20;
        assertThat(FileChecks.space(64 * mib, mib).result()).isEqualTo(Result.OK);
        assertThat(FileChecks.space(64 * mib - 1, mib).result()).isEqualTo(Result.FAILED);
        assertThat(FileChecks.space(5000 * mib, 100_000 * mib).result()).isEqualTo(Result.OK);
        assertThat(FileChecks.space(4999 * mib, 100_000 * mib).result()).isEqualTo(Result.FAILED);
        assertThat(FileChecks.log(0).result()).isEqualTo(Result.OK);
        assertThat(FileChecks.log(64 * mib).result()).isEqualTo(Result.OK);
        assertThat(FileChecks.log(65 * mib).result()).isEqualTo(Result.NOTE);
        assertThat(FileChecks.log(1025 * mib).result()).isEqualTo(Result.FAILED);
    }

    /** A clock that leaps by an hour at one of its reads after the begin of a check. */
    private static final class LeapingTime implements TimeSource {
        private final TimeSource time = new ManualTime();
        private final int looks;
        private long nanos;
        /** The number of reads before the leap; -1 before the check has begun. */
        private int left = -1;

        LeapingTime(int looks) {
            this.looks = looks;
        }

        void begin() {
            left = looks;
        }

        @Override
        public Instant now() {
            return time.now();
        }

        @Override
        public long nanoTime() {
            if (left > 0 && --left == 0) {
                nanos += Duration.ofHours(1).toNanos();
            }
            return nanos;
        }

        @Override
        public void awaitUntil(ReentrantLock lock, Condition condition, long deadlineNanos)
                throws InterruptedException {
            time.awaitUntil(lock, condition, deadlineNanos);
        }
    }

    /** Diagnoses a file with many jobs. After some reads by this check the clock leaps, and all time is over. */
    private Diagnosis stopped(String stopped, int looks) {
        LeapingTime time = new LeapingTime(looks);
        return StoreProvider.diagnose(
                SqliteStore.at(file),
                new DiagnoseRequest(
                        time,
                        DiagnoseOptions.ALL
                                .withProgress(name -> {
                                    if (name.equals(stopped)) {
                                        time.begin();
                                    }
                                })
                                .withBudget(Duration.ofMinutes(1))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"integrity", "foreign-keys", "orphans", "counters", "edges", "states"})
    void aStoppedCheckIsReportedAndTheOthersContinue(String stopped) throws Exception {
        copyTheLargeFile();
        Diagnosis diagnosis = stopped(stopped, 2);
        assertThat(check(diagnosis, stopped).result()).isEqualTo(Result.NOTE);
        assertThat(check(diagnosis, stopped).detail())
                .startsWith("not finished: stopped after")
                .contains("doctor --full");
        assertThat(check(diagnosis, "attempts").detail()).startsWith("not begun: no time was left");
        assertThat(check(diagnosis, "limits").result())
                .as("it takes a moment, on the connection on which the other one was stopped")
                .isEqualTo(Result.OK);
        assertThat(diagnosis.failed()).isEmpty();
        assertThat(diagnose().failed()).isEmpty();
    }

    @Test
    void findingsOfAStoppedCheckCount() throws Exception {
        copyTheLargeFile();
        damage("UPDATE windrow_jobs SET used = 99 WHERE id = #1");
        Check states = check(stopped("states", 200), "states");
        assertThat(states.result()).isEqualTo(Result.FAILED);
        assertThat(states.detail()).contains("has used more attempts", "not finished: stopped after", "doctor --full");
    }

    @Test
    void aStoppedCheckDoesNotBlockTheCheckpoint() throws Exception {
        copyTheLargeFile();
        Diagnosis diagnosis;
        try (TestDatabase database = TestDatabase.open(file)) {
            database.execute("UPDATE windrow_counters SET n = n + 0");
            LeapingTime time = new LeapingTime(2);
            diagnosis = StoreProvider.diagnose(
                    SqliteStore.at(file),
                    new DiagnoseRequest(
                            time,
                            DiagnoseOptions.ALL
                                    .withProgress(name -> {
                                        if (name.equals("orphans")) {
                                            time.begin();
                                        } else if (name.equals("limits")) {
                                            try {
                                                database.execute("UPDATE windrow_counters SET n = n + 0");
                                                assertThat(database.rows("PRAGMA wal_checkpoint(TRUNCATE)"))
                                                        .containsExactly("0|0|0");
                                            } catch (SQLException e) {
                                                throw new IllegalStateException(e);
                                            }
                                        }
                                    })
                                    .withBudget(Duration.ofMinutes(1))));
        }
        assertThat(check(diagnosis, "orphans").detail()).startsWith("not finished");
        assertThat(check(diagnosis, "limits").result()).isEqualTo(Result.OK);
    }

    /** A clock that advances by ten milliseconds at each read. */
    private static final class SlowTime implements TimeSource {
        private final TimeSource time = new ManualTime();
        private long nanos;

        @Override
        public Instant now() {
            return time.now();
        }

        @Override
        public long nanoTime() {
            nanos += Duration.ofMillis(10).toNanos();
            return nanos;
        }

        @Override
        public void awaitUntil(ReentrantLock lock, Condition condition, long deadlineNanos)
                throws InterruptedException {
            time.awaitUntil(lock, condition, deadlineNanos);
        }
    }

    @Test
    void aSlowQueryIsStoppedAndTheOthersRun() {
        try (StoreDriver store = Stores.open(file)) {
            store.enqueueAll(Collections.nCopies(10_000, NewRow.job()));
        }
        Diagnosis diagnosis = StoreProvider.diagnose(
                SqliteStore.at(file),
                new DiagnoseRequest(new SlowTime(), DiagnoseOptions.ALL.withBudget(Duration.ofSeconds(15))));
        assertThat(diagnosis.queries())
                .filteredOn(query -> query.time() == null && !"it writes".equals(query.note()))
                .singleElement()
                .satisfies(query -> {
                    assertThat(query.name()).isEqualTo("listing of pending jobs");
                    assertThat(query.note()).startsWith("stopped after 2");
                    assertThat(query.plan()).contains("windrow_jobs_claim");
                });
        assertThat(check(diagnosis, "plans").result()).isEqualTo(Result.OK);
    }

    @Test
    void aQueryWithoutItsIndexIsReportedWithTheReason() throws SQLException {
        damage("DROP INDEX windrow_jobs_lease");
        Diagnosis diagnosis = diagnose();
        assertThat(check(diagnosis, "plans").detail()).contains("expired leases: ", "windrow_jobs_lease");
        assertThat(diagnosis.queries())
                .filteredOn(query -> query.name().equals("expired leases"))
                .singleElement()
                .satisfies(query -> {
                    assertThat(query.plan()).isEmpty();
                    assertThat(query.note()).contains("windrow_jobs_lease");
                    assertThat(query.time()).isNull();
                });
    }

    /** Returns a request for an examination that halts in the middle. */
    private static DiagnoseRequest halted(CountDownLatch arrived) {
        return new DiagnoseRequest(new ManualTime(), DiagnoseOptions.ALL.withProgress(name -> {
            if (name.equals("integrity")) {
                arrived.countDown();
                try {
                    new CountDownLatch(1).await();
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        }));
    }

    @Test
    void anInterruptOfTheCallerEndsTheDiagnosis() throws InterruptedException {
        SqliteStore store = SqliteStore.at(file);
        CountDownLatch arrived = new CountDownLatch(1);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread caller =
                new Thread(() -> thrown.set(catchThrowable(() -> StoreProvider.diagnose(store, halted(arrived)))));
        caller.start();
        assertThat(arrived.await(60, TimeUnit.SECONDS)).isTrue();
        caller.interrupt();
        caller.join(60_000);
        assertThat(thrown.get()).isInstanceOf(StoreUnavailableException.class).hasMessageContaining("interrupted");
        assertThat(StoreProvider.diagnose(
                                store, new DiagnoseRequest(new ManualTime(), DiagnoseOptions.ALL.withoutIndexes()))
                        .checks())
                .isNotEmpty();
    }

    @Test
    void closingTheStoreEndsTheDiagnosis() throws InterruptedException {
        StoreDriver driver = Stores.open(file);
        CountDownLatch arrived = new CountDownLatch(1);
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread caller =
                new Thread(() -> thrown.set(catchThrowable(() -> driver.store().diagnose(halted(arrived)))));
        caller.start();
        assertThat(arrived.await(60, TimeUnit.SECONDS)).isTrue();
        driver.close();
        caller.join(60_000);
        assertThat(thrown.get()).isInstanceOf(StoreUnavailableException.class);
        assertThat(folder.resolve("jobs.db-wal"))
                .as("written back by the last one")
                .doesNotExist();
    }
}
