package dev.windrow.postgres.job;

import dev.windrow.JobHistory;
import dev.windrow.postgres.writer.PostgresTransaction;
import java.sql.SQLException;

/**
 * The truncation that bounds the history of a job, for example of a job that snoozes for years. If a job has very many attempts, it deletes the
 * attempts between the first and the last, with all rows under their tokens. One event replaces them.
 */
final class HistoryTruncation {
    /** The number of attempts that are deleted at once. The end of an attempt costs a comparison, and one end in this many costs a statement. */
    private static final int STEP = 16;

    private HistoryTruncation() {}

    /** Truncates the history after the end of a claim of this job, or after an end from outside, that had this token. */
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
