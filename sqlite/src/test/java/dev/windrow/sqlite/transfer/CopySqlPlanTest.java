package dev.windrow.sqlite.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.TestDatabase;
import dev.windrow.store.transfer.CopyTable;
import java.lang.reflect.Field;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The query plans of copies. Each table is read once, in the order of its key and without sorting. Each deleted row is found by the key. */
@Tag("once") // on one JDK: SQLite makes the plans
class CopySqlPlanTest {
    /** The statements that are not made for each table. */
    private static final Map<String, Set<String>> PLANS = new TreeMap<>();

    static {
        String schema = "SEARCH windrow_schema USING INTEGER PRIMARY KEY (rowid=?)";
        plan("REMOVE_PAYLOAD", "SEARCH windrow_payloads USING INTEGER PRIMARY KEY (rowid=?)");
        plan("ADD_PAYLOAD");
        plan("CLEAR_PAYLOADS", "SCAN windrow_payloads");
        plan("CLEAR_WORKERS", "SCAN windrow_workers");
        plan("COUNTS", "SCAN (subquery-1)", "SCAN windrow_counters");
        plan("NUMBERS", "SEARCH windrow_ids USING INTEGER PRIMARY KEY (rowid=?)");
        plan("RAISE_NUMBERS", "SEARCH windrow_ids USING INTEGER PRIMARY KEY (rowid=?)");
        plan(
                "NUMBER_PERMITS",
                "SCAN (subquery-3)",
                "SCAN t",
                "SCAN windrow_permits",
                "SEARCH windrow_permits USING INTEGER PRIMARY KEY (rowid=?)",
                "USE TEMP B-TREE FOR ORDER BY");
        plan("ALIVE_WORKERS", "SCAN windrow_workers", "USE TEMP B-TREE FOR ORDER BY");
        plan(
                "IS_USED",
                "SCAN windrow_audit",
                "SCAN windrow_limits",
                "SCAN windrow_dedupe",
                "SCAN windrow_jobs",
                "SCAN windrow_schedules");
        plan("FOREIGN_KEYS", "SCAN t", "SCAN q", "SCAN c VIRTUAL TABLE INDEX 0:");
        plan("READ_MOVED_MARKER", schema);
        plan("SET_MOVED_MARKER");
        plan("REMOVE_MOVED_MARKER", "SEARCH windrow_schema USING INTEGER PRIMARY KEY (rowid>?)");
        plan("SET_COMPARED");
        plan("REMOVE_COMPARED", schema);
        plan(
                "REMOVE_CHUNKS",
                "SEARCH windrow_blob_chunks USING COVERING INDEX sqlite_autoindex_windrow_blob_chunks_1 (blob_id=?)");
        plan("READ_FILLING", schema);
        plan("SET_FILLING");
    }

    private static void plan(String constant, String... steps) {
        PLANS.put(constant, new TreeSet<>(Set.of(steps)));
    }

    @TempDir
    Path folder;

    private static List<String> lines(TestDatabase database, String sql) throws SQLException {
        return database.rows("EXPLAIN QUERY PLAN " + sql).stream()
                .map(row -> row.split("[|]", 4)[3])
                .toList();
    }

    private static Set<String> steps(List<String> lines) {
        Set<String> steps = new TreeSet<>();
        for (String line : lines) {
            if (line.startsWith("SEARCH") || line.startsWith("USE") || line.startsWith("SCAN")) {
                steps.add(line.replaceFirst("^(SCAN \\w+) USING (COVERING )?INDEX .*", "$1"));
            }
        }
        steps.remove("SCAN CONSTANT ROW");
        return steps;
    }

    private static void assertPlans(TestDatabase database) throws Exception {
        Map<String, Set<String>> plans = new TreeMap<>();
        for (Field field : CopySql.class.getDeclaredFields()) {
            if (field.getType() == String.class) {
                field.setAccessible(true);
                plans.put(field.getName(), steps(lines(database, (String) field.get(null))));
            }
        }
        assertThat(plans).isEqualTo(PLANS);
        for (CopyTable table : CopyTable.values()) {
            for (Map<CopyTable, String> read : List.of(CopySql.READ, CopySql.READ_FINISHED)) {
                List<String> lines = lines(database, read.get(table));
                assertThat(lines)
                        .as("reading %s: %s", table, lines)
                        .allSatisfy(line -> assertThat(line).doesNotContain("TEMP B-TREE"));
                assertThat(lines.get(0)).as("the table itself, in order").startsWith("SCAN t");
                assertThat(lines.stream().skip(1).filter(line -> line.startsWith("SCAN")))
                        .as("whatever else is found by its key")
                        .isEmpty();
            }
            List<String> removal = lines(database, CopySql.REMOVE.get(table));
            assertThat(removal.get(0))
                    .as("removing from %s", table)
                    .startsWith("SEARCH windrow_" + table.table() + " USING ")
                    .matches(line -> table.keys().stream()
                            .allMatch(key -> line.contains("rowid=?") || line.contains(key.name() + "=?")));
        }
    }

    @Test
    void aCopyReadsInKeyOrderWithoutASortUnderAnyStatistics() throws Exception {
        Path file = folder.resolve("jobs.db");
        Stores.open(file).close();
        try (TestDatabase database = TestDatabase.open(file)) {
            assertPlans(database);
            database.execute("INSERT INTO windrow_lanes (id, queue, type) VALUES (1, 'q', 't')");
            database.execute("""
                    WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 5000)
                    INSERT INTO windrow_jobs (id, lane, state, scheduled_at, max_attempts, created_at, created_by, finished_at)
                    SELECT n, 1, CASE n % 50 WHEN 0 THEN 'FAILED' WHEN 1 THEN 'CANCELLED' ELSE 'COMPLETED' END, n, 3, n, 1, n FROM n
                    """);
            database.execute("INSERT INTO windrow_tags (job_id, tag) SELECT id, 'x' FROM windrow_jobs");
            // As after some migrations: a table of one row is always scanned.
            database.execute("INSERT INTO windrow_schema VALUES (3, 2, 'b', 0), (4, 2, 'c', 0), (5, 2, 'd', 0)");
            database.execute("ANALYZE");
            assertPlans(database);
        }
    }
}
