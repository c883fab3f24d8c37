package dev.windrow.postgres.schema;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.postgres.TestTables;
import dev.windrow.postgres.job.JobSql;
import dev.windrow.postgres.job.SqlPlanTest;
import dev.windrow.testserver.PostgresServer;
import java.sql.SQLException;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The storage settings of the tables. */
class StorageTest {
    /** The tables from which a deletion of jobs deletes, and the tables that are as small as the number of unfinished jobs. */
    private static final Pattern DELETED = Pattern.compile("DELETE FROM (windrow_\\w+)");

    private static final Set<String> SMALL =
            Set.of("windrow_jobs", "windrow_permits", "windrow_progress", "windrow_releases", "windrow_dedupe");

    @Test
    void tablesOfRetentionAreVacuumedAtATwentiethOfDeadRows() throws SQLException {
        Set<String> deleted = new TreeSet<>();
        for (Matcher matcher = DELETED.matcher(JobSql.DELETE); matcher.find(); ) {
            deleted.add(matcher.group(1));
        }
        deleted.removeAll(SMALL);
        assertThat(deleted).hasSizeGreaterThan(8);
        TestTables tables = SqlPlanTest.tables(PostgresServer.shared());
        assertThat(tables.rows("SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = '"
                        + tables.tables().schema() + "'::regnamespace AND reloptions @> ARRAY["
                        + "'autovacuum_vacuum_scale_factor=0.05', 'autovacuum_vacuum_insert_scale_factor=0.05',"
                        + " 'autovacuum_vacuum_cost_delay=1']"))
                .containsExactlyInAnyOrderElementsOf(deleted);
        SqlPlanTest.drop(tables);
    }
}
