package dev.windrow.sqlite.retention;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.sqlite.job.SqlPlanTest;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The query plans of retention: each statement finds its rows as its comment says, in a file with any statistics. */
@Tag("once") // on one JDK: SQLite makes the plans
class RetentionSqlPlanTest {
    private static final Map<String, Set<String>> PLANS = new TreeMap<>();

    static {
        plan(
                "CHAINS",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH f USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH j USING INDEX windrow_jobs_chain (chain_id=? AND chain_index>?)",
                "SEARCH n EXISTS USING COVERING INDEX windrow_jobs_chain (chain_id=? AND chain_index>?)");
        plan(
                "COUNT_EDGES",
                "SCAN (subquery-1)",
                "SCAN (subquery-3)",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH e USING COVERING INDEX windrow_edges_parent (parent=?)",
                "SEARCH e USING PRIMARY KEY (child=?)");
        plan(
                "EDGES_TO_CHILDREN",
                "SCAN json_each VIRTUAL TABLE INDEX 1:",
                "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH e USING INDEX windrow_edges_parent (parent=?)");
        plan("EDGES_TO_PARENTS", "SEARCH e USING PRIMARY KEY (child=?)");
        plan("RESIGN", "SEARCH windrow_leaders USING PRIMARY KEY (name=?)");
        plan("END_TASK", "SEARCH windrow_leaders USING PRIMARY KEY (name=?)");
        plan(
                "EXPIRE",
                "SEARCH windrow_attempts USING PRIMARY KEY (job_id=?)",
                "SEARCH windrow_blobs USING COVERING INDEX windrow_blobs_job (job_id=?)",
                "SEARCH windrow_edges USING INDEX windrow_edges_parent (parent=?)",
                "SEARCH windrow_edges USING PRIMARY KEY (child=?)",
                "SEARCH windrow_events USING PRIMARY KEY (job_id=?)",
                "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_log_lines USING PRIMARY KEY (job_id=?)",
                "SEARCH windrow_metadata USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_payloads USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_progress USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_releases USING PRIMARY KEY (parent=?)",
                "SEARCH windrow_results USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_steps USING COVERING INDEX windrow_steps_position (job_id=?)",
                "SEARCH windrow_tags USING PRIMARY KEY (job_id=?)",
                "SEARCH windrow_permits USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "EXPIRE_AUDIT",
                "SCAN (subquery-1)",
                "SCAN windrow_audit",
                "SEARCH windrow_audit USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_audit_jobs USING PRIMARY KEY (audit_id=?)");
        plan("EXPIRE_KEY", "SEARCH windrow_dedupe USING PRIMARY KEY (type=? AND key=?)");
        plan(
                "EXPIRE_THROUGHPUT",
                "SEARCH windrow_throughput USING PRIMARY KEY (length=? AND minute<?)",
                "SEARCH windrow_throughput USING PRIMARY KEY (length=? AND minute=? AND lane=?)");
        plan(
                "LEAVE_BLOBS",
                "SCAN json_each VIRTUAL TABLE INDEX 1:",
                "SEARCH windrow_blobs USING INDEX windrow_blobs_job (job_id=?)");
        plan("EXPIRING_BLOBS", "SCAN w VIRTUAL TABLE INDEX 1:", "SEARCH b USING INDEX windrow_blobs_job (job_id=?)");
        plan("EXPIRE_WORKERS", "SCAN windrow_workers");
        plan(
                "FAILED_WITHOUT_CODE",
                "SCAN (subquery-1)",
                "SEARCH windrow_jobs USING INDEX windrow_jobs_failed_code (error_code=?)");
        plan(
                "FAILED_WITH_CODE",
                "SCAN (subquery-1)",
                "SEARCH windrow_jobs USING INDEX windrow_jobs_failed_code (error_code=?)");
        plan("FORGET_EDGE", "SEARCH windrow_edges USING PRIMARY KEY (child=? AND position=?)");
        plan("FORGET_OPEN_EDGE", "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "FORGET_PARENTS",
                "SCAN json_each VIRTUAL TABLE INDEX 1:",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH e USING INDEX windrow_edges_parent (parent=?)",
                "SEARCH e USING PRIMARY KEY (child=?)",
                "SEARCH windrow_jobs USING INTEGER PRIMARY KEY (rowid=?)");
        plan("FORGET_RETENTION", "SEARCH windrow_retention USING PRIMARY KEY (state=? AND type=?)");
        plan("GROW_PASS", "SEARCH windrow_audit USING INTEGER PRIMARY KEY (rowid=?)");
        plan("INSERT_PASS", "SEARCH windrow_audit_jobs USING PRIMARY KEY (audit_id=?)");
        plan(
                "NEEDED",
                "SCAN json_each VIRTUAL TABLE INDEX 1:",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH c USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH e USING COVERING INDEX windrow_edges_parent (parent=?)",
                "SEARCH e USING PRIMARY KEY (child=?)",
                "SEARCH r USING PRIMARY KEY (parent=? AND state=?)",
                "SEARCH r USING PRIMARY KEY (parent=?)");
        plan(
                "CHILDREN",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH e USING COVERING INDEX windrow_edges_parent (parent=?)");
        plan("NEXT_CANCELLED", "SEARCH windrow_jobs USING INDEX windrow_jobs_cancelled (id>?)");
        plan("NEXT_FAILED", "SEARCH windrow_jobs USING INDEX windrow_jobs_failed (id>?)");
        plan("NEXT_OF_LANE", "SEARCH windrow_jobs USING INDEX windrow_jobs_lane (lane=? AND rowid>?)");
        plan("READ_TASK", "SEARCH windrow_leaders USING PRIMARY KEY (name=?)");
        plan(
                "READ_EXPIRING",
                "SCAN w VIRTUAL TABLE INDEX 1:",
                "SEARCH j USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)");
        plan("READ_RETENTION", "SCAN windrow_retention");
        plan("MARK_RECOUNT");
        plan("RETAIN");
        plan(
                "WRONG_SUMS",
                "SCAN b",
                "SCAN windrow_failures",
                "SCAN windrow_jobs USING COVERING INDEX windrow_jobs_failed_code",
                "SEARCH windrow_leaders USING PRIMARY KEY (name=?)");
        plan(
                "IDLE_LANES",
                "SEARCH c USING PRIMARY KEY (kind=? AND name=?)",
                "SEARCH c USING PRIMARY KEY (lane=?)",
                "SEARCH j USING COVERING INDEX windrow_jobs_lane (lane=?)",
                "SEARCH m USING COVERING INDEX windrow_throughput_lane (lane=?)",
                "SEARCH o USING COVERING INDEX windrow_lanes_type (type=?)",
                "SEARCH r USING PRIMARY KEY (lane=?)",
                "SEARCH windrow_lanes",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid>? AND rowid<?)");
        plan(
                "HAND_OVER_RETRIES",
                "SEARCH l USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH o USING COVERING INDEX windrow_lanes_type (type=?)",
                "SEARCH r USING PRIMARY KEY (lane=?)");
        plan("DELETE_RETRIES", "SEARCH windrow_retry_counters USING PRIMARY KEY (lane=?)");
        plan("DELETE_COUNTERS", "SEARCH windrow_counters USING PRIMARY KEY (lane=?)");
        plan(
                "DELETE_LANE",
                "SEARCH windrow_counters USING PRIMARY KEY (lane=?)",
                "SEARCH windrow_jobs USING COVERING INDEX windrow_jobs_lane (lane=?)",
                "SEARCH windrow_lanes USING INTEGER PRIMARY KEY (rowid=?)",
                "SEARCH windrow_throughput USING INDEX windrow_throughput_lane (lane=?)",
                "SEARCH windrow_retry_counters USING PRIMARY KEY (lane=?)");
        plan("COUNT_DELETED_LANES", "SEARCH windrow_ids USING INTEGER PRIMARY KEY (rowid=?)");
        plan("LEAD");
    }

    private static void plan(String constant, String... steps) {
        PLANS.put(constant, new TreeSet<>(Set.of(steps)));
    }

    @TempDir
    Path folder;

    @Test
    void everyStatementFindsItsRowsByItsIntendedIndex() throws Exception {
        Path file = folder.resolve("jobs.db");
        Stores.open(file).close();
        try (TestDatabase database = TestDatabase.open(file)) {
            assertThat(plans(database)).isEqualTo(PLANS);
            database.execute("""
                    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 100)
                    INSERT INTO windrow_lanes (id, queue, type) SELECT n, 'q' || n, 't' FROM n
                    """);
            database.execute("""
                    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 5000)
                    INSERT INTO windrow_jobs (id, lane, state, scheduled_at, max_attempts, created_at, created_by, finished_at)
                    SELECT n, 1, CASE n % 50 WHEN 0 THEN 'FAILED' WHEN 1 THEN 'CANCELLED' ELSE 'COMPLETED' END, n, 3, n, 1, n FROM n
                    """);
            database.execute(
                    "INSERT INTO windrow_edges (child, position, parent, policy, satisfied) SELECT id, 0, id - 1, 'WAIT', 1 FROM windrow_jobs WHERE id % 3 = 0");
            database.execute("ANALYZE");
            assertThat(plans(database)).as("full and analyzed").isEqualTo(PLANS);
        }
    }

    private static Map<String, Set<String>> plans(TestDatabase database) throws Exception {
        Map<String, Set<String>> plans = new TreeMap<>();
        for (Field field : RetentionSql.class.getDeclaredFields()) {
            if (field.getType() == String.class) {
                field.setAccessible(true);
                plans.put(field.getName(), SqlPlanTest.steps(database, (String) field.get(null)));
            }
        }
        return plans;
    }
}
