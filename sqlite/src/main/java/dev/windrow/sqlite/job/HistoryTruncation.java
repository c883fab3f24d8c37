package dev.windrow.sqlite.job;

import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Query;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * Keeps the history of a job bounded that snoozes for years. When the job has very many attempts, the attempts between the first and the last ones
 * are deleted, with all events under their tokens. One event takes their place.
 */
final class HistoryTruncation {
    /** The tokens between two truncations. The end of an attempt costs a comparison; one end in so many costs a few statements. */
    private static final int STEP = 16;

    private HistoryTruncation() {}

    /** Records the end of a claim of this job with this token, or an external end of the job. */
    static void ended(SqliteTransaction tx, long job, long token) throws SQLException {
        if (token % STEP == 0 && token > JobHistory.FIRST_ATTEMPTS + JobHistory.LAST_ATTEMPTS) {
            trim(tx, job, JobHistory.FIRST_ATTEMPTS + 1, token - JobHistory.LAST_ATTEMPTS);
        }
    }

    private static void trim(SqliteTransaction tx, long job, long first, long last) throws SQLException {
        long events;
        long place;
        long at;
        try (ResultSet row = bind(tx, JobSql.TRIMMED_EVENTS, job, first, last).rows()) {
            row.next();
            events = row.getLong(1);
            place = row.getLong(2);
            at = row.getLong(3);
        }
        if (events == 0) {
            return;
        }
        bind(tx, JobSql.TRIM_EVENTS, job, first, last).update();
        long attempts = bind(tx, JobSql.TRIM_ATTEMPTS, job, first, last).update();
        if (bind(tx, JobSql.GROW_TRIMMED, job, attempts, events).update() == 0) {
            tx.statements()
                    .get(JobSql.INSERT_EVENT)
                    .set(1, job)
                    .set(2, place)
                    .set(3, at)
                    .set(4, EventKind.TRIMMED.name())
                    .set(5, tx.names.actor("system"))
                    .set(6, 0)
                    .set(7, JsonText.object("attempts", attempts, "events", events))
                    .update();
        }
    }

    private static Query bind(SqliteTransaction tx, String sql, long first, long second, long third)
            throws SQLException {
        Query statement = tx.statements().get(sql);
        statement.set(1, first).set(2, second).set(3, third);
        return statement;
    }
}
