package dev.windrow.postgres.retention;

import dev.windrow.postgres.TestTables;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.job.SqlPlanTest;
import dev.windrow.postgres.writer.TransactionSql;
import dev.windrow.testserver.PostgresServer;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Every statement of retention finds its rows as its comment says. */
class RetentionSqlPlanTest {
    private static final Map<String, Set<String>> PLANS = new TreeMap<>();

    static {
        plan("CHAINS", "windrow_inputs_chain (chain_id, chain_index)", "windrow_jobs_pkey (id)");
        plan("COUNT_EDGES", "windrow_edges_parent (parent)", "windrow_edges_pkey (child)");
        plan("COUNT_PARTS", "windrow_blobs_job (job_id)");
        plan("LEAVE_BLOBS", "windrow_blobs_job (job_id)");
        plan("EDGES_TO_CHILDREN", "windrow_edges_parent (parent, parent, child)", "windrow_jobs_pkey (id)");
        plan("EDGES_TO_PARENTS", "windrow_edges_pkey (child)");
        plan("RESIGN");
        plan("END_TASK");
        plan(
                "EXPIRE",
                "windrow_attempt_texts_pkey (job_id)",
                "windrow_attempts_pkey (job_id)",
                "windrow_blob_chunks_pkey (blob_id)",
                "windrow_blobs_job (job_id)",
                "windrow_edges_parent (parent)",
                "windrow_edges_pkey (child)",
                "windrow_events_pkey (job_id)",
                "windrow_inputs_pkey (job_id)",
                "windrow_jobs_pkey (id)",
                "windrow_log_lines_pkey (job_id)",
                "windrow_progress_pkey (job_id)",
                "windrow_results_pkey (job_id)",
                "windrow_steps_pkey (job_id)",
                "windrow_tags_pkey (job_id)",
                "windrow_metadata_pkey (job_id)",
                "windrow_permits_pkey (job_id)");
        plan("EXPIRE_AUDIT", "windrow_audit_jobs_pkey (audit_id)");
        plan("EXPIRE_KEYS", "windrow_dedupe_pkey (type, key)");
        plan("EXPIRE_THROUGHPUT");
        plan("EXPIRE_WORKERS");
        plan("FAILED_WITHOUT_CODE", "windrow_jobs_failed (error_code IS NULL)");
        plan("FAILED_WITH_CODE", "windrow_jobs_failed (error_code)");
        plan("FORGET_EDGES", "windrow_edges_pkey (child, \"position\")");
        plan("FORGET_OPEN_EDGES", "windrow_jobs_pkey (id)");
        plan("FORGET_RETENTION");
        plan("GROW_PASS");
        plan("INSERT_PASS");
        plan("LOCK_EXPIRING", "windrow_inputs_pkey (job_id)", "windrow_jobs_pkey (id)");
        plan("LOCK_RETENTION");
        plan("NEEDED", "windrow_edges_parent (parent)", "windrow_edges_pkey (child)", "windrow_jobs_pkey (id)");
        plan("CHILDREN", "windrow_edges_parent (parent)");
        plan("NEXT_CANCELLED", "windrow_inputs_pkey (job_id)", "windrow_jobs_cancelled (id)");
        plan("NEXT_FAILED", "windrow_inputs_pkey (job_id)", "windrow_jobs_failed_id (id)");
        plan("NEXT_OF_LANE", "windrow_inputs_lane (lane, job_id)", "windrow_jobs_pkey (id)");
        plan("READ_TASK");
        plan("READ_RETENTION");
        plan("MARK_RECOUNT");
        plan("RETAIN");
        plan(
                "WRONG_SUMS",
                "all of windrow_failure_deltas",
                "all of windrow_failures_pkey",
                "all of windrow_jobs_failed");
        plan(
                "DELETE_LANES",
                "all of windrow_counter_deltas",
                "all of windrow_lanes",
                "all of windrow_retry_counters_pkey",
                "all of windrow_schedules",
                "windrow_limits_pkey (kind, name)",
                "windrow_counters_pkey (lane)",
                "windrow_inputs_lane (lane)",
                "windrow_lanes_pkey (id)",
                "windrow_lanes_queue_type_key (type)",
                "windrow_retry_counters_pkey (lane)");
        plan("TABLE_SIZES");
        plan("LEAD");
    }

    /** The tables that are as small as there are rules, background tasks, workers, minutes and audit entries. */
    private static final Pattern SMALL =
            Pattern.compile("(all of )?windrow_(leaders|audit|throughput|workers|retention|releases)(_pkey)?( .*)?");

    private static void plan(String constant, String... steps) {
        PLANS.put(constant, new TreeSet<>(Set.of(steps)));
    }

    @Test
    void everyStatementFindsItsRowsByItsIntendedIndex() throws Exception {
        try (PostgresServer server = SqlPlanTest.startServer();
                TestTables tables = SqlPlanTest.tables(server)) {
            SqlPlanTest.fill(tables, 40_000);
            tables.connection().setAutoCommit(false);
            Map<String, Set<String>> plans = new TreeMap<>();
            for (Map.Entry<String, String> statement :
                    SqlPlanTest.constants(RetentionSql.class).entrySet()) {
                try {
                    plans.put(statement.getKey(), steps(tables, statement.getValue()));
                } finally {
                    tables.connection().rollback();
                }
            }
            SqlPlanTest.assertPlans(plans, PLANS);
        }
    }

    /** Returns how a statement finds rows, for statements that write and for statements that only read. */
    private static Set<String> steps(TestTables tables, String sql) throws SQLException {
        try (PostgresStatements begin = new PostgresStatements(tables.connection(), tables.tables())) {
            begin.get(TransactionSql.BEGIN_WORK)
                    .set(1, "0")
                    .set(2, "0")
                    .set(3, false)
                    .rows()
                    .close();
        }
        List<String> plan = SqlPlanTest.generic(tables, sql);
        Set<String> steps = SqlPlanTest.steps(
                plan.stream().filter(line -> !line.contains(" pg_")).toList());
        steps.removeIf(step -> SMALL.matcher(step).matches());
        // These indexes have the same rows, and a scan of each costs the same.
        if (steps.removeAll(Set.of("all of windrow_jobs_failed_id", "all of windrow_jobs_failed_at"))) {
            steps.add("all of windrow_jobs_failed");
        }
        return steps;
    }
}
