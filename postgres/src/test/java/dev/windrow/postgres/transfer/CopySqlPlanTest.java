package dev.windrow.postgres.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.postgres.TestTables;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.job.SqlPlanTest;
import dev.windrow.store.transfer.CopyTable;
import dev.windrow.testserver.PostgresServer;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** Copies read each table once, in the order of its key and without sorting. They find each row that they remove by its key. */
class CopySqlPlanTest {
    /** The statements that are not made for each table, and their plans. Tables that do not grow with the jobs are left out. */
    private static final Map<String, Set<String>> PLANS = new TreeMap<>();

    /** The statements that find no rows. */
    private static final Set<String> NO_PLAN = Set.of(
            "ADD_INPUTS",
            "ALLOW_WRITING",
            "ANALYZE_INPUTS",
            "BOUND_WAITS",
            "COMMIT_LATER",
            "COMMIT_NOW",
            "LOCK",
            "LOCK_SCHEMA",
            "READ_IN_ORDER",
            "REFUSAL");

    /** The tables that are summed before they are read. They have as many rows as there are queues, types, attempts and error codes. */
    private static final Set<CopyTable> SUMS = Set.of(CopyTable.COUNTERS, CopyTable.RETRY_COUNTERS, CopyTable.FAILURES);

    private static final Pattern SMALL = Pattern.compile(
            "(all of )?windrow_(schema|workers|lanes|actors|permits|audit|schedules|limits|ids|permit_numbers)(_\\w+)?( .*)?");

    static {
        plan("ALIVE_WORKERS");
        plan("CHANGE_IDENTITY");
        plan("CLEAR_DELTAS", "all of windrow_counter_deltas");
        plan("CLEAR_FAILURE_DELTAS", "all of windrow_failure_deltas");
        plan("CLEAR_INPUTS", "all of windrow_inputs");
        plan("CLEAR_WORKERS");
        plan("IS_BEING_WRITTEN");
        plan("IS_USED", "all of windrow_dedupe", "all of windrow_jobs");
        plan("COUNTS", "all of windrow_counter_deltas", "all of windrow_counters");
        plan("LAST_EVENT");
        plan("LAST_STAMP", "all of windrow_jobs");
        plan("NEXT_NUMBER");
        plan("RAISE_NUMBERS");
        plan("READ_IDENTITY");
        plan("READ_MOVED_MARKER");
        plan("REMOVE_CHUNKS", "windrow_blob_chunks_pkey (blob_id)");
        plan("REMOVE_COMPARED");
        plan("SET_COMPARED");
        plan("REMOVE_INPUT", "windrow_inputs_pkey (job_id)");
        plan("REMOVE_MOVED_MARKER");
        plan("SET_MOVED_MARKER");
        plan("VERSION_BEHIND_MARKER");
    }

    private static void plan(String constant, String... steps) {
        PLANS.put(constant, new TreeSet<>(Set.of(steps)));
    }

    private static List<String> lines(TestTables tables, String sql) throws SQLException {
        try (PostgresStatements settings = new PostgresStatements(tables.connection(), tables.tables())) {
            settings.get(CopySql.READ_IN_ORDER).rows().close();
        }
        try {
            return SqlPlanTest.generic(tables, sql).stream()
                    .filter(line -> !line.contains(" pg_"))
                    .toList();
        } finally {
            tables.connection().rollback();
        }
    }

    private static void assertReads(TestTables tables, CopyTable table, String sql) throws SQLException {
        List<String> lines = lines(tables, sql);
        String plan = String.join("\n", lines);
        if (!SUMS.contains(table)) {
            assertThat(plan).as("reading %s", table).doesNotContain("Sort", "Hash", "Seq Scan");
        }
        assertThat(SqlPlanTest.steps(lines))
                .as("reading %s: %s", table, plan)
                .filteredOn(step -> step.startsWith("all of "))
                .filteredOn(step -> !SUMS.contains(table))
                .allMatch(step -> step.matches("all of windrow_(" + table.table()
                        + (table == CopyTable.JOBS ? "|inputs" : "") + ")_(pkey|\\w+_key)"));
    }

    @Test
    void aCopyReadsInKeyOrderWithoutASort() throws Exception {
        try (PostgresServer server = SqlPlanTest.startServer();
                TestTables tables = SqlPlanTest.tables(server)) {
            SqlPlanTest.fill(tables, 40_000);
            tables.connection().setAutoCommit(false);
            Map<String, String> statements = SqlPlanTest.constants(CopySql.class);
            assertThat(statements.keySet()).containsAll(NO_PLAN);
            statements.keySet().removeAll(NO_PLAN);
            Map<String, Set<String>> plans = new TreeMap<>();
            for (Map.Entry<String, String> statement : statements.entrySet()) {
                Set<String> steps = SqlPlanTest.steps(lines(tables, statement.getValue()));
                steps.removeIf(step -> SMALL.matcher(step).matches());
                plans.put(statement.getKey(), steps);
            }
            SqlPlanTest.assertPlans(plans, PLANS);
            for (CopyTable table : CopyTable.values()) {
                assertReads(tables, table, CopySql.READ.get(table));
                assertReads(tables, table, CopySql.READ_FINISHED.get(table));
                tables.execute("SET LOCAL enable_seqscan = off");
                assertThat(SqlPlanTest.steps(SqlPlanTest.generic(tables, CopySql.REMOVE.get(table))))
                        .as("removing from %s", table)
                        .singleElement()
                        .asString()
                        .matches("windrow_\\w+ \\(.*\\)")
                        .contains(table.keys().get(0).name());
                tables.connection().rollback();
            }
        }
    }
}
