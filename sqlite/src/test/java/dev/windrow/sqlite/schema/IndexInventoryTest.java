package dev.windrow.sqlite.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.sqlite.job.JobSql;
import dev.windrow.sqlite.job.SqlPlanTest;
import dev.windrow.sqlite.retention.RetentionSql;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The reasons of all indexes: each has a query that needs it, and an edge of the state machine that pays for it. */
@Tag("once") // on one JDK: SQLite makes the plans
class IndexInventoryTest {
    /**
     * The reason for an index.
     *
     * @param needs the constant of {@link JobSql} whose plan uses it, or null when it guards a constraint
     * @param why the constraint, or null
     * @param pays the writes that change it
     */
    private record Reason(String needs, String why, String pays) {}

    private static final Map<String, Reason> REASONS = new TreeMap<>();

    static {
        query("windrow_jobs_claim", "NEXT_JOBS", "in at PENDING (enqueue, promote, release, retry), out at the claim");
        query("windrow_jobs_due", "DUE_JOBS", "in at SCHEDULED (delay, retry, snooze), out at the promotion");
        query("windrow_jobs_lease", "SUSPECTS", "in at the claim, moved by each renewal, out at the settlement");
        query(
                "windrow_jobs_retrying",
                "LIVE_RETRIES",
                "in at the first failed attempt, moved by each further one, out at the end or retry");
        query("windrow_jobs_blocked", "LIST_BLOCKED", "in at BLOCKED (enqueue with parents), out at the release");
        query(
                "windrow_jobs_cancel",
                "CANCEL_REQUESTS",
                "in at a request to cancel a running job, out at its settlement");
        query("windrow_jobs_wake", "DUE_WAITS", "in when a job begins to wait for external completion, out at its end");
        query("windrow_jobs_failed", "LIST_FAILED", "in at FAILED, out at retry or deletion");
        query("windrow_jobs_failed_code", "LIST_FAILED_CODE", "in at FAILED, out at retry or deletion");
        query("windrow_jobs_failed_at", "FAILURE_TREND", "in at FAILED, out at retry or deletion");
        query("windrow_jobs_cancelled", "LIST_CANCELLED", "in at CANCELLED, out at retry or deletion");
        query("windrow_jobs_lane", "LIST_LANES", "enqueue and deletion: the lane never changes");
        constraint(
                "windrow_jobs_chain",
                "one job at each place of a chain",
                "enqueue within a chain, and of a declared chain");
        query("windrow_jobs_dedupe", "FIND_KEYED", "enqueue and deletion of jobs with dedupe keys");
        query("windrow_jobs_workflow", "LIST_WORKFLOW", "enqueue and deletion of jobs of workflows");
        query("windrow_tags_tag", "LIST_TAG", "enqueue and deletion of jobs with tags");
        query("windrow_edges_parent", "OPEN_EDGES", "enqueue and deletion of jobs with parents");
        query("windrow_throughput_lane", "IDLE_LANES", "the first sum of a minute, and of an hour");
        query("windrow_lanes_type", "COUNT_RUNNING", "a lane that is new, or deleted");
        query("windrow_limits_wake", "DUE_KEYS", "a job that the rate of its concurrency key keeps back");
        query(
                "windrow_permits_waiting",
                "WAITING",
                "in when a job with a concurrency key is ready, out when it has a place");
        query(
                "windrow_permits_granted",
                "COUNT_PERMITS",
                "in when a job with a concurrency key has a place, out at its end");
        query("windrow_audit_at", "READ_AUDIT", "each entry of the audit");
        query("windrow_audit_action", "READ_AUDIT_OF_ACTION", "each entry of the audit");
        query("windrow_audit_actor", "READ_AUDIT_OF_ACTOR", "each entry of the audit");
        query("windrow_audit_jobs_job", "READ_AUDIT_OF_JOB", "each job of an entry of the audit");
        query("windrow_blobs_job", "SWEEP_STAGED", "staging and adopting a long payload or result, and deletion");
        query("windrow_schedules_next", "DUE_SCHEDULES", "each firing of a schedule, its pause and its resumption");
        query("windrow_schedules_fired", "AHEAD_SCHEDULES", "each firing of a schedule");
        query("sqlite_autoindex_windrow_schedules_1", "READ_SCHEDULE", "a schedule that is new, or removed");
        query("sqlite_autoindex_windrow_blob_chunks_1", "READ_CHUNK", "staging a long payload or result, and deletion");
        query("windrow_steps_position", "READ_STEPS", "a durable step, a signal, and deletion");
        query("sqlite_autoindex_windrow_steps_1", "ARRIVE", "a durable step, a signal, and deletion");
        query("sqlite_autoindex_windrow_actors_1", "FIND_ACTOR", "a name that is new");
        query("sqlite_autoindex_windrow_lanes_1", "COUNT_RUNNING", "a lane that is new, or deleted");
        query("sqlite_autoindex_windrow_attempt_texts_1", "READ_ATTEMPTS", "settle with an output or a stack trace");
    }

    /** The columns of a job that no statement changes. */
    private static final Set<String> IMMUTABLE =
            Set.of("id", "lane", "chain_id", "chain_index", "created_at", "workflow_id", "dedupe_key");

    /** The statements that change only jobs that the same transaction has inserted and no other one has seen. */
    private static final Set<String> PARTS_OF_INSERTS = Set.of("KEEP_CHAIN", "KEEP_WORKFLOW", "KEEP_KEY");

    @TempDir
    Path folder;

    private Path file;

    private static void query(String index, String constant, String pays) {
        REASONS.put(index, new Reason(constant, null, pays));
    }

    private static void constraint(String index, String why, String pays) {
        REASONS.put(index, new Reason(null, why, pays));
    }

    @BeforeEach
    void makeFile() {
        file = folder.resolve("jobs.db");
        Stores.open(file).close();
    }

    private static List<String> indexes(TestDatabase database) throws Exception {
        return database.rows("SELECT name FROM sqlite_schema WHERE type = 'index' ORDER BY name");
    }

    @Test
    void everyIndexIsNeededByAQueryOrAConstraint() throws Exception {
        Map<String, String> statements = SqlPlanTest.statements();
        statements.put("IDLE_LANES", RetentionSql.IDLE_LANES);
        try (TestDatabase database = TestDatabase.open(file)) {
            assertThat(REASONS.keySet()).containsExactlyInAnyOrderElementsOf(indexes(database));
            for (Map.Entry<String, Reason> entry : REASONS.entrySet()) {
                String constant = entry.getValue().needs();
                if (constant != null) {
                    assertThat(SqlPlanTest.steps(database, statements.get(constant)))
                            .as("%s uses %s", constant, entry.getKey())
                            .anyMatch(step -> step.matches(".*INDEX " + entry.getKey() + "( .*)?"));
                } else {
                    assertThat(database.one("SELECT sql FROM sqlite_schema WHERE name = '" + entry.getKey() + "'"))
                            .startsWith("CREATE UNIQUE INDEX");
                }
            }
        }
    }

    @Test
    void completedJobsAreIndexedOnlyByImmutableColumns() throws Exception {
        try (StoreDriver store = Stores.open(file)) {
            store.enqueue(NewRow.job());
            assertThat(store.complete(store.claimOne())).isTrue();
        }
        try (TestDatabase database = TestDatabase.open(file)) {
            assertThat(database.one("SELECT state FROM windrow_jobs")).isEqualTo("COMPLETED");
            for (String index : database.rows(
                    "SELECT name FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'windrow_jobs'")) {
                String sql = database.one("SELECT sql FROM sqlite_schema WHERE name = '" + index + "'");
                List<String> columns = database.rows("SELECT name FROM pragma_index_info('" + index + "')");
                if (!IMMUTABLE.containsAll(columns)) {
                    String condition = sql.substring(sql.indexOf(" WHERE "));
                    assertThat(database.one("SELECT count(*) FROM windrow_jobs" + condition))
                            .as(sql)
                            .isEqualTo("0");
                }
            }
        }
    }

    @Test
    void noStatementChangesAnImmutableColumn() throws Exception {
        SqlPlanTest.statements().forEach((constant, sql) -> {
            if (sql.startsWith("UPDATE windrow_jobs") && !PARTS_OF_INSERTS.contains(constant)) {
                String set = sql.substring(sql.indexOf(" SET "), sql.indexOf("WHERE"));
                for (String column : IMMUTABLE) {
                    assertThat(set).as(constant).doesNotContainPattern("\\b" + column + " =");
                }
            }
        });
    }

    @Test
    void theInventoryIsPrinted() throws Exception {
        List<String> lines = new ArrayList<>();
        try (TestDatabase database = TestDatabase.open(file)) {
            for (String index : indexes(database)) {
                Reason reason = REASONS.get(index);
                lines.add("%-42s needed by %-36s paid by %s"
                        .formatted(
                                index,
                                reason.needs() == null ? "a constraint: " + reason.why() : reason.needs(),
                                reason.pays()));
            }
        }
        Path classes = Path.of(IndexInventoryTest.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toURI());
        Path report = classes.resolveSibling("index-inventory.txt");
        Files.write(report, lines);
        lines.forEach(System.out::println);
        assertThat(report).isNotEmptyFile();
    }
}
