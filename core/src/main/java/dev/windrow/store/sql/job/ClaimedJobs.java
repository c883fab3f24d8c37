package dev.windrow.store.sql.job;

import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The reader of jobs that a claim has taken. */
public final class ClaimedJobs {
    private ClaimedJobs() {}

    /**
     * Reads a claimed job.
     *
     * @param row id, token, lane, priority, due time, attempts used and at most, time limit, name, retry policy, traceparent, payload, dedupe key,
     *     concurrency key, type of the dedupe key, run
     */
    public static ClaimedJob read(WriteTransaction tx, ResultSet row, String queue, String type) throws SQLException {
        return new ClaimedJob(
                /* id= */ row.getLong(1),
                /* token= */ row.getLong(2),
                /* lane= */ row.getLong(3),
                /* queue= */ queue,
                /* type= */ type,
                /* name= */ row.getString(9),
                /* payload= */ row.getString(12),
                /* run= */ row.getInt(16),
                /* used= */ row.getInt(6),
                /* maxAttempts= */ row.getInt(7),
                /* timeoutMillis= */ Rows.longOrNull(row, 8),
                /* retryPolicy= */ row.getString(10),
                /* traceparent= */ row.getString(11),
                /* dedupeKey= */ row.getString(13),
                /* dedupeType= */ row.getString(15),
                /* concurrencyKey= */ row.getString(14),
                /* scheduledAtMillis= */ tx.localTime(row.getLong(5)),
                /* claimedAtMillis= */ tx.localTime(tx.now()));
    }
}
