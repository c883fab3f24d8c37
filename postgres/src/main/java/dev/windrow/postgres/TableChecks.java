package dev.windrow.postgres;

import dev.windrow.JobState;
import dev.windrow.store.sql.DataChecks;
import dev.windrow.store.sql.Finding;
import dev.windrow.store.sql.Findings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Map;

/** The checks of what is in the tables, as far as they are not those of every store: here rows may refer to rows that are not there. */
final class TableChecks {
    private TableChecks() {}

    static Finding orphans(PostgresStatements statements, Findings findings) throws SQLException {
        Finding common = DataChecks.orphans(statements, findings);
        try (ResultSet rows = statements.get(CheckSql.WITHOUT_INPUT).manyRows()) {
            while (rows.next()) {
                findings.add("job %s has no input".formatted(rows.getString(1)));
            }
        }
        try (ResultSet rows = statements.get(CheckSql.UNKNOWN_NUMBERS).manyRows()) {
            while (rows.next()) {
                findings.add("%s names %s, which is not there".formatted(rows.getString(1), rows.getString(2)));
            }
        }
        return common.unlessAny(findings);
    }

    /** As {@link DataChecks#schedules}. */
    static Finding schedules(PostgresStatements statements, long now) throws SQLException {
        Findings bad = new Findings();
        Finding common = DataChecks.schedules(statements, bad, now);
        try (ResultSet rows = statements.get(CheckSql.ORPHANED_RUNS).rows()) {
            while (rows.next()) {
                bad.add("%,d runs of schedule number %d, which is not there"
                        .formatted(rows.getLong(2), rows.getLong(1)));
            }
        }
        return common.unlessAny(bad);
    }

    static Finding counters(PostgresStatements statements, Findings findings) throws SQLException {
        Map<Long, Map<JobState, Long>> counts = new HashMap<>();
        try (ResultSet rows = statements.get(CheckSql.COUNT_JOBS).rows()) {
            while (rows.next()) {
                counts.computeIfAbsent(rows.getLong(1), lane -> new EnumMap<>(JobState.class))
                        .put(JobState.valueOf(rows.getString(2)), rows.getLong(3));
            }
        }
        return DataChecks.counters(statements, findings, counts);
    }

    static Finding states(PostgresStatements statements, Findings findings) throws SQLException {
        Finding common = DataChecks.states(statements, findings);
        try (ResultSet rows = statements.get(CheckSql.TWO_LANES).manyRows()) {
            while (rows.next()) {
                findings.add("job %s is in lane %s and its input in lane %s"
                        .formatted(rows.getString(1), rows.getString(2), rows.getString(3)));
            }
        }
        return common.unlessAny(findings);
    }

    /** A database that was copied without its sequences gives out numbers that are in use. */
    static Finding ids(PostgresStatements statements) throws SQLException {
        Findings findings = new Findings();
        try (ResultSet rows = statements.get(CheckSql.NUMBERS).rows()) {
            while (rows.next()) {
                if (rows.getLong(2) > rows.getLong(3)) {
                    findings.add(
                            "there is %1$s %2$d, and no number after %3$d was given to a %1$s: set the sequence past it"
                                    .formatted(rows.getString(1), rows.getLong(2), rows.getLong(3)));
                }
            }
        }
        return Finding.failedIfAny(findings, "no number that is in use will be given out again");
    }
}
