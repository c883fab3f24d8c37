package dev.windrow.postgres.job;

import dev.windrow.JobHistory;
import dev.windrow.postgres.writer.PostgresTransaction;
import java.sql.SQLException;

/**
 * What keeps the history of a job bounded that snoozes for years: when it has very many attempts, those between the first and the
 * last go, with everything that was said under their tokens. In their place stands one event.
 */
final class HistoryTruncation {
    /** How many go at once. An end of an attempt costs a comparison; one in so many costs a statement. */
    private static final int STEP = 16;

    private HistoryTruncation() {}

    /** A claim of this job, or an end from outside, that had this token is over. */
    static void ended(PostgresTransaction tx, long job, long token) throws SQLException {
        if (token % STEP == 0 && token > JobHistory.FIRST_ATTEMPTS + JobHistory.LAST_ATTEMPTS) {
            tx.statements()
                    .get(JobSql.TRIM_HISTORY)
                    .set(1, job)
                    .set(2, JobHistory.FIRST_ATTEMPTS + 1L)
                    .set(3, token - JobHistory.LAST_ATTEMPTS)
                    .set(4, tx.actor("system"))
                    .update();
        }
    }
}
