package dev.windrow.sqlite;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Whether the statements by which jobs move and are found still use their indexes: one that was dropped, or statistics
 * that mislead SQLite, make a claim read the whole table.
 */
final class PlanChecks {
    /** A statement and the index without which it reads everything. */
    private record Planned(String name, String sql, String index) {}

    private static final List<Planned> OPERATIONS = List.of(
            new Planned("claim", Sql.CLAIM, "windrow_jobs_claim (lane=?)"),
            new Planned("promotion", Sql.DUE_JOBS, "windrow_jobs_due (scheduled_at<?)"),
            new Planned("next due time", Sql.NEXT_DUE, "windrow_jobs_due"),
            new Planned("waits that run out of time", Sql.DUE_WAITS, "windrow_jobs_wake (wake_at<?)"),
            new Planned("schedules that are due", Sql.DUE_SCHEDULES, "windrow_schedules_next (next_at"),
            new Planned("ready lanes", Sql.READY_LANES, "windrow_jobs_claim (lane=?)"),
            new Planned("requests to cancel", Sql.CANCEL_REQUESTS, "windrow_jobs_cancel"),
            new Planned("settlement", Sql.SETTLE_COMPLETED, "INTEGER PRIMARY KEY (rowid=?)"),
            new Planned("renewal", Sql.RENEW, "INTEGER PRIMARY KEY (rowid=?)"),
            new Planned("expired leases", Sql.SUSPECTS, "windrow_jobs_lease"),
            new Planned("release of children", Sql.OPEN_EDGES, "windrow_edges_parent (parent=?)"),
            new Planned("statistics: lag", Sql.LANE_LAG, "windrow_jobs_claim (lane=?"),
            new Planned("statistics: failures", StatisticsSql.FAILURES, "windrow_jobs_failed_code (error_code=?)"),
            new Planned("statistics: times", StatisticsSql.MINUTES, "PRIMARY KEY (minute>? AND minute<?)"),
            new Planned("statistics: throughput", StatisticsSql.ENDED, "PRIMARY KEY (minute>? AND minute<?)"),
            new Planned("listing by lane", Sql.LIST_LANE, "windrow_jobs_lane (lane=?"),
            new Planned("listing by tag", Sql.LIST_TAG, "windrow_tags_tag (tag=?"),
            new Planned("listing of failed jobs", Sql.LIST_FAILED, "windrow_jobs_failed (id<?)"),
            new Planned("listing of blocked jobs", Sql.LIST_BLOCKED, "windrow_jobs_blocked (id<?)"),
            new Planned("listing of cancelled jobs", Sql.LIST_CANCELLED, "windrow_jobs_cancelled (id<?)"));

    private PlanChecks() {}

    static Finding plans(SqliteFile.Opened database) throws SQLException {
        Findings findings = new Findings();
        for (Planned operation : OPERATIONS) {
            String problem = problem(database, operation);
            if (problem != null) {
                findings.add(operation.name + ": " + problem);
            }
        }
        return Finding.failedIfAny(findings, "%d statements use their indexes".formatted(OPERATIONS.size()));
    }

    private static @Nullable String problem(SqliteFile.Opened database, Planned operation) throws SQLException {
        StringBuilder plan = new StringBuilder();
        try (Statement statement = database.connection().createStatement();
                ResultSet steps = statement.executeQuery("EXPLAIN QUERY PLAN " + operation.sql)) {
            while (steps.next()) {
                plan.append(steps.getString(4)).append('\n');
            }
        } catch (SQLException e) {
            // A statement that names its index cannot be prepared without it.
            if (SqliteErrors.isStoreWide(e)) {
                throw e;
            }
            return String.valueOf(e.getMessage());
        }
        return plan.indexOf(operation.index) >= 0 ? null : "does not use " + operation.index.replaceFirst(" \\(.*", "");
    }
}
