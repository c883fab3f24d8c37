package dev.windrow.tests.engine.transfer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.store.transfer.CopyTable;
import dev.windrow.tests.stores.OnceOnEachStore;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import dev.windrow.transfer.QueueCopy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/**
 * A queue that was copied to a store of the other kind and back has the same rows in each table. The test reads the tables without the code that
 * copies them.
 */
@OnceOnEachStore
class CopyRoundTripTest {
    /** A number that a floating-point number cannot represent exactly. */
    private static final long FAR = 9_007_199_254_740_993L;

    /** The tables that belong to the store and not to the queue. {@code CopyTest} has the reasons for the other exclusions. */
    private static final Set<String> OF_THE_PLACE = Set.of("schema", "ids", "workers", "leaders");

    @Parameter
    StoreKind kind;

    @TempDir
    Path folder;

    private static void execute(Target target, String... statements) throws SQLException {
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }

    /** Sets large numbers, and texts and times at the edges of their ranges. */
    private static void toTheEdges(Target source) throws SQLException {
        execute(
                source,
                "UPDATE windrow_jobs SET scheduled_at = 253402300799999, token = " + (FAR + 2)
                        + " WHERE state = 'SCHEDULED'",
                "UPDATE windrow_jobs SET error_detail = '' WHERE state = 'CANCELLED'",
                "UPDATE windrow_progress SET fraction = 1.2345678901234567e-300",
                "UPDATE windrow_events SET detail = '' WHERE seq = (SELECT max(seq) FROM windrow_events)",
                "UPDATE windrow_audit SET detail = '\\\\N\\x' || chr(9) || chr(10) || chr(13) || '''\"' WHERE id = 1"
                        .replace("\\\\", "\\")
                        .replace("chr", source.isFile() ? "char" : "chr"),
                "UPDATE windrow_blobs SET file = 'ab/cd'",
                "UPDATE windrow_limits SET wakes_at = 253402300799999",
                "UPDATE windrow_dedupe SET expires_at = 253402300799999 WHERE key = 'unfinished'",
                "UPDATE windrow_schedules SET concurrency_key = 'k', concurrency_limit = 2, job_name = '', retry_policy = '{}', metadata = '{\"n\":1}', timeout_ms = 7 WHERE name = 'often'",
                "UPDATE windrow_schedules SET last_at = 1, fired_at = 9223372036854775806 WHERE name = 'daily'");
    }

    /** Reads all rows of all tables, each as a complete text. */
    private static Map<String, List<String>> raw(Target target) {
        Map<String, List<String>> all = new TreeMap<>();
        for (String table : target.rows(
                target.isFile()
                        ? "SELECT substr(name, 9) FROM sqlite_schema WHERE type = 'table' AND name LIKE 'windrow%'"
                        : "SELECT substr(tablename, 9) FROM pg_tables WHERE schemaname = current_schema() AND tablename LIKE 'windrow%'")) {
            if (!OF_THE_PLACE.contains(table)) {
                all.put(table, new ArrayList<>(target.rows(sql(target, table))));
            }
        }
        if (!target.isFile()) {
            // Counter compaction moves the deltas into the sums at times.
            all.remove("counter_deltas");
            all.remove("failure_deltas");
        }
        all.forEach((table, rows) -> {
            if (!table.equals("permits")) {
                rows.sort(null);
            }
        });
        return all;
    }

    private static String sql(Target target, String table) {
        if (table.equals("permits")) {
            // A file numbers the rows again. Only their order counts.
            return "SELECT job_id || ' ' || key || ' ' || priority || ' ' || coalesce(concurrency_limit, -1) || ' ' || granted FROM windrow_permits ORDER BY position";
        }
        if (target.isFile()) {
            List<String> columns = target.rows("SELECT name FROM pragma_table_info('windrow_%s')".formatted(table));
            if (table.equals("attempt_texts")) {
                columns.remove("id");
            }
            return "SELECT %s FROM windrow_%s%s"
                    .formatted(
                            columns.stream()
                                    .map(column -> "typeof(%s) || quote(%s)".formatted(column, column))
                                    .collect(Collectors.joining(" || '|' || ")),
                            table,
                            table.equals("counters") || table.equals("retry_counters") ? " WHERE n <> 0" : "");
        }
        return switch (table) {
            case "counters", "retry_counters" -> {
                String what = table.equals("counters") ? "state" : "attempt";
                yield "SELECT lane || ' ' || %s || ' ' || sum(n) FROM (SELECT lane, %s, n FROM windrow_%s UNION ALL SELECT lane, %s, n FROM windrow_counter_deltas WHERE %s IS NOT NULL) c GROUP BY lane, %s HAVING sum(n) <> 0"
                        .formatted(what, what, table, what, what, what);
            }
            case "failures" ->
                "SELECT error_code || ' ' || sum(n) || ' ' || min(first_at) || ' ' || max(last_at) FROM (SELECT error_code, n, first_at, last_at FROM windrow_failures UNION ALL SELECT error_code, n, first_at, last_at FROM windrow_failure_deltas) f GROUP BY error_code";
            // A lane counts as used since the copy.
            case "lanes" -> "SELECT (to_jsonb(t) - 'used_at')::text FROM windrow_lanes t";
            default -> "SELECT to_jsonb(t)::text FROM windrow_%s t".formatted(table);
        };
    }

    private static void copy(Target from, Target to) {
        Store here = from.newStore();
        Store there = to.newStore();

        QueueCopy.from(here).to(there).run();
    }

    @Test
    void copyingThereAndBackKeepsEachRowOfEachTable() throws Exception {
        StoreKind other = kind == StoreKind.SQLITE ? StoreKind.POSTGRES : StoreKind.SQLITE;
        try (Target source = kind.newTarget(Files.createDirectory(folder.resolve("source")));
                Target there = other.newTarget(Files.createDirectory(folder.resolve("there")));
                Target back = kind.newTarget(Files.createDirectory(folder.resolve("back")))) {
            Windrow.open(source.newStore()).close();
            if (source.isFile()) {
                execute(source, "UPDATE windrow_ids SET next = " + FAR);
            } else {
                source.rows("SELECT setval('windrow_ids', %d)".formatted(FAR));
                source.rows("SELECT setval(pg_get_serial_sequence('windrow_events', 'seq'), %d)".formatted(FAR));
            }
            RichQueue.fill(source);
            toTheEdges(source);
            assertThat(neverSet(source)).as("columns that no row has").isEmpty();
            Map<String, List<String>> before = raw(source);
            assertThat(before).hasSizeGreaterThan(20);
            copy(source, there);
            copy(there, back);
            Map<String, List<String>> after = raw(back);
            assertThat(after.keySet()).isEqualTo(before.keySet());
            before.forEach((table, rows) ->
                    assertThat(after.get(table)).as("%s", table).isEqualTo(rows));
            try (Windrow windrow = Windrow.open(back.newStore())) {
                assertThat(windrow.enqueue(RichQueue.LATE, RichQueue.INPUT).id())
                        .as("numbers go on")
                        .isGreaterThan(FAR);
            }
        }
    }

    /** Returns the columns that are null in all rows of this queue. The test compares no value of such columns. */
    private static Set<String> neverSet(Target source) {
        Set<String> unset = new TreeSet<>();
        for (CopyTable table : CopyTable.values()) {
            for (CopyTable.Column column : table.columns()) {
                String place = table.table() + "." + column.name();
                if (!isSet(source, table, column.name()) && !RARE.contains(place)) {
                    unset.add(place);
                }
            }
        }
        return unset;
    }

    /** The columns of rows that exist only for a moment, such as children of an ended job that are left to the next transaction. */
    private static final Set<String> RARE =
            Set.of("releases.parent", "releases.state", "releases.after", "releases.actor", "releases.reason");

    private static boolean isSet(Target source, CopyTable table, String column) {
        String of = "windrow_" + table.table();
        if (table == CopyTable.JOBS) {
            of = source.isFile()
                    ? "(SELECT j.*, p.payload FROM windrow_jobs j LEFT JOIN windrow_payloads p ON p.job_id = j.id)"
                    : "(SELECT * FROM windrow_jobs j JOIN windrow_inputs i ON i.job_id = j.id)";
        }
        if (table == CopyTable.FAILURES && !source.isFile()) {
            of =
                    "(SELECT error_code, n, first_at, last_at FROM windrow_failures UNION ALL SELECT error_code, n, first_at, last_at FROM windrow_failure_deltas)";
        }
        if (table == CopyTable.RETRY_COUNTERS && !source.isFile()) {
            of =
                    "(SELECT lane, attempt, n FROM windrow_retry_counters UNION ALL SELECT lane, attempt, n FROM windrow_counter_deltas WHERE attempt IS NOT NULL)";
        }
        if (table == CopyTable.COUNTERS && !source.isFile()) {
            of =
                    "(SELECT lane, state, n FROM windrow_counters UNION ALL SELECT lane, state, n FROM windrow_counter_deltas WHERE state IS NOT NULL)";
        }
        // Each job has a lane in one of its rows.
        String value = column.equals("lane") ? "1" : "x." + column;
        return source.rows("SELECT count(*) FROM %s x WHERE %s IS NOT NULL".formatted(of, value)).stream()
                .noneMatch("0"::equals);
    }
}
