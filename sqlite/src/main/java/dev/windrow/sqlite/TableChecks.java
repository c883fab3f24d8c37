package dev.windrow.sqlite;

import dev.windrow.JobState;
import dev.windrow.store.sql.DataChecks;
import dev.windrow.store.sql.Finding;
import dev.windrow.store.sql.Findings;
import dev.windrow.store.sql.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The checks of what is in the tables, as far as they are not those of every store. */
final class TableChecks {
    /** The states in the order of the columns of {@link CheckSql#COUNT_JOBS}. */
    private static final List<JobState> COUNTED = List.of(
            JobState.BLOCKED,
            JobState.SCHEDULED,
            JobState.PENDING,
            JobState.RUNNING,
            JobState.COMPLETED,
            JobState.FAILED,
            JobState.CANCELLED);

    private TableChecks() {}

    static Finding integrity(Statements statements, Findings findings, boolean quick) throws SQLException {
        String sql = quick ? CheckSql.CHECK_INTEGRITY_QUICKLY : CheckSql.CHECK_INTEGRITY;
        try (ResultSet rows = statements.get(sql).rows()) {
            while (rows.next()) {
                String said = rows.getString(1);
                if (!said.equals("ok")) {
                    findings.add(said.strip().replaceAll("\\s*\n\\s*", ", "));
                }
            }
        }
        return Finding.failedIfAny(
                findings,
                quick
                        ? "pages and rows are whole (quick: indexes were not compared with tables)"
                        : "the file is whole");
    }

    static Finding foreignKeys(Statements statements, Findings findings) throws SQLException {
        try (ResultSet rows = statements.get(CheckSql.CHECK_FOREIGN_KEYS).rows()) {
            while (rows.next()) {
                String row = rows.getString(2);
                findings.add("a row of %s%s refers to none of %s"
                        .formatted(rows.getString(1), row == null ? "" : " (" + row + ")", rows.getString(3)));
            }
        }
        return Finding.failedIfAny(findings, "every row refers to one that is there");
    }

    static Finding counters(Statements statements, Findings findings) throws SQLException {
        Map<Long, Map<JobState, Long>> counts = new HashMap<>();
        try (ResultSet rows = statements.get(CheckSql.COUNT_JOBS).rows()) {
            while (rows.next()) {
                Map<JobState, Long> ofLane = new EnumMap<>(JobState.class);
                for (int i = 0; i < COUNTED.size(); i++) {
                    ofLane.put(COUNTED.get(i), rows.getLong(i + 2));
                }
                counts.put(rows.getLong(1), ofLane);
            }
        }
        return DataChecks.counters(statements, findings, counts);
    }
}
