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
     * @param plain the columns that are not read, because each read is a call into the driver. 0: none. Not 0: the time limit, and all texts but the
     *     payload, which are null. More than 0: also the numbers of a first claim; it is the number of attempts at most
     */
    public static ClaimedJob read(WriteTransaction tx, ResultSet row, long lane, String queue, String type, int plain)
            throws SQLException {
        boolean first = plain > 0;
        boolean without = plain != 0;
        return new ClaimedJob(
                /* id= */ row.getLong(1),
                /* token= */ first ? 1 : row.getLong(2),
                /* lane= */ lane,
                /* queue= */ queue,
                /* type= */ type,
                /* name= */ without ? null : row.getString(9),
                /* payload= */ row.getString(12),
                /* run= */ first ? 1 : row.getInt(16),
                /* used= */ first ? 0 : row.getInt(6),
                /* maxAttempts= */ first ? plain : row.getInt(7),
                /* timeoutMillis= */ without ? null : Rows.longOrNull(row, 8),
                /* retryPolicy= */ without ? null : row.getString(10),
                /* traceparent= */ without ? null : row.getString(11),
                /* dedupeKey= */ without ? null : row.getString(13),
                /* dedupeType= */ without ? null : row.getString(15),
                /* concurrencyKey= */ without ? null : row.getString(14),
                /* scheduledAtMillis= */ tx.localTime(row.getLong(5)),
                /* claimedAtMillis= */ tx.localTime(tx.now()));
    }
}
