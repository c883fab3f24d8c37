package dev.windrow.store.sql.job;

import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.writer.WriteTransaction;
import java.sql.ResultSet;
import java.sql.SQLException;

/** The reader of jobs that a claim has taken. */
public final class ClaimedJobs {
    private ClaimedJobs() {}

    /** Reads a job without optional values at its first claim; its columns are those of {@link #read}. */
    public static ClaimedJob first(
            WriteTransaction tx, ResultSet row, long lane, String queue, String type, int maxAttempts)
            throws SQLException {
        return new ClaimedJob(
                /* id= */ row.getLong(1),
                /* token= */ 1,
                /* lane= */ lane,
                /* queue= */ queue,
                /* type= */ type,
                /* name= */ null,
                /* payload= */ row.getString(12),
                /* run= */ 1,
                /* used= */ 0,
                /* maxAttempts= */ maxAttempts,
                /* timeoutMillis= */ null,
                /* retryPolicy= */ null,
                /* traceparent= */ null,
                /* dedupeKey= */ null,
                /* dedupeType= */ null,
                /* concurrencyKey= */ null,
                /* scheduledAtMillis= */ tx.localTime(row.getLong(5)),
                /* claimedAtMillis= */ tx.localTime(tx.now()));
    }

    /**
     * Reads a claimed job.
     *
     * @param row id, token, lane, priority, due time, attempts used and at most, time limit, name, retry policy, traceparent, payload, dedupe key,
     *     concurrency key, type of the dedupe key, run
     * @param plain true if the time limit and all texts but the payload are null. Then they are not read, because each read of a column is a call into the driver.
     */
    public static ClaimedJob read(
            WriteTransaction tx, ResultSet row, long lane, String queue, String type, boolean plain)
            throws SQLException {
        return new ClaimedJob(
                /* id= */ row.getLong(1),
                /* token= */ row.getLong(2),
                /* lane= */ lane,
                /* queue= */ queue,
                /* type= */ type,
                /* name= */ plain ? null : row.getString(9),
                /* payload= */ row.getString(12),
                /* run= */ row.getInt(16),
                /* used= */ row.getInt(6),
                /* maxAttempts= */ row.getInt(7),
                /* timeoutMillis= */ plain ? null : Rows.longOrNull(row, 8),
                /* retryPolicy= */ plain ? null : row.getString(10),
                /* traceparent= */ plain ? null : row.getString(11),
                /* dedupeKey= */ plain ? null : row.getString(13),
                /* dedupeType= */ plain ? null : row.getString(15),
                /* concurrencyKey= */ plain ? null : row.getString(14),
                /* scheduledAtMillis= */ tx.localTime(row.getLong(5)),
                /* claimedAtMillis= */ tx.localTime(tx.now()));
    }
}
