package dev.windrow.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.postgres.TestTables;
import dev.windrow.postgres.job.SqlPlanTest;
import dev.windrow.testserver.PostgresServer;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every index serves a statement that finds its rows by it, or guards a constraint. No index burdens completed jobs. */
class IndexInventoryTest {
    /** The indexes that serve no statement, and their reasons. */
    private static final Map<String, String> CONSTRAINTS = Map.ofEntries(
            Map.entry("windrow_schema_pkey", "a migration runs once"),
            Map.entry("windrow_inputs_chain", "one job at each place of a chain"),
            Map.entry("windrow_dedupe_pkey", "one holder of a key"));

    /** The tables that are as small as there are queues, types and workers. The planner chooses whether to use their indexes. */
    private static final Set<String> SMALL_TABLES = Set.of(
            "windrow_actors",
            "windrow_lanes",
            "windrow_limits",
            "windrow_leaders",
            "windrow_retention",
            "windrow_audit",
            "windrow_counters",
            "windrow_retry_counters",
            "windrow_failures",
            "windrow_throughput",
            "windrow_releases",
            "windrow_schedules",
            "windrow_workers");

    /** The columns of a job that no statement changes. */
    private static final Set<String> IMMUTABLE = Set.of("id");

    private TestTables tables;

    @BeforeEach
    void makeTables() throws SQLException {
        tables = SqlPlanTest.tables(PostgresServer.shared());
    }

    @AfterEach
    void dropTables() throws SQLException {
        SqlPlanTest.drop(tables);
    }

    /** Returns this column of each index, after the name of its table. */
    private List<String> indexes(String column) throws SQLException {
        return tables.rows("SELECT tablename, " + column + " FROM pg_indexes WHERE schemaname = '"
                + tables.tables().schema() + "'");
    }

    private List<String> definitionsOfJobs() throws SQLException {
        String jobs = "windrow_jobs|";
        return indexes("indexdef").stream()
                .filter(row -> row.startsWith(jobs))
                .map(row -> row.substring(jobs.length()))
                .toList();
    }

    @Test
    void everyIndexIsNeededByAStatementOrAConstraint() throws SQLException {
        Set<String> found = new TreeSet<>();
        for (String row : indexes("indexname")) {
            String[] tableAndIndex = row.split("\\|", 2);
            if (!SMALL_TABLES.contains(tableAndIndex[0])) {
                found.add(tableAndIndex[1]);
            }
        }
        Set<String> needed = new TreeSet<>(CONSTRAINTS.keySet());
        SqlPlanTest.steps()
                .forEach(step -> needed.add(step.replaceFirst("^all of ", "").replaceFirst(" .*", "")));
        assertThat(found).isSubsetOf(needed);
        assertThat(CONSTRAINTS.keySet()).isSubsetOf(found);
    }

    @Test
    void completedJobsAreIndexedOnlyByImmutableColumns() throws SQLException {
        List<String> definitions = definitionsOfJobs();
        assertThat(definitions).hasSizeGreaterThan(5);
        for (String definition : definitions) {
            boolean otherState = definition.matches("(?s).* WHERE \\(+state = '(?!COMPLETED)[A-Z]+'::text\\).*");
            String columns = definition.replaceFirst(".*USING btree \\((.*?)\\).*", "$1");
            // Only waiting jobs have a timeout. The diagnosis finds others.
            boolean waits = definition.endsWith("(wake_at) WHERE (wake_at IS NOT NULL)");
            boolean unfinished = definition.endsWith("AND (finished_at IS NULL))");
            assertThat(otherState || waits || unfinished || IMMUTABLE.contains(columns))
                    .as(definition)
                    .isTrue();
        }
    }

    @Test
    void noIndexContainsAColumnThatARenewalChanges() throws SQLException {
        assertThat(definitionsOfJobs())
                .noneMatch(definition -> definition.contains("lease_until") || definition.contains("started_at"));
    }
}
