package dev.windrow.sqlite.retention;

import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.sqlite.writer.Writer;
import dev.windrow.store.retention.Expire;
import dev.windrow.store.retention.Expiry;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.retention.Retentions;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The deletion of jobs that ended long ago, and of lanes that nothing uses. */
public final class Removals implements Retentions.Removal {
    private final SqliteTransaction tx;
    private final boolean durable;

    /**
     * The deletion of jobs in a transaction.
     *
     * @param durable true if the commit survives a power loss. If it may not, files are left to the sweep, which comes long after the commit
     */
    Removals(SqliteTransaction tx, boolean durable) {
        this.tx = tx;
        this.durable = durable;
    }

    @Override
    public Retentions.Gone delete(List<Retentions.Going> jobs) throws SQLException {
        Retentions.Gone blobs = leaveBlobs(
                JsonText.array(jobs.stream().map(Retentions.Going::id).toList()));
        Query delete = tx.statements().get(RetentionSql.EXPIRE);
        for (Retentions.Going job : jobs) {
            delete.set(1, job.id()).set(2, job.state().name()).set(3, job.finishedAt());
            if (delete.update() != 1) {
                throw new SQLException("job " + job.id() + " has changed since it was read");
            }
        }
        return blobs;
    }

    /** Detaches long blobs from their jobs, so that the jobs are deleted without them. */
    private Retentions.Gone leaveBlobs(String ids) throws SQLException {
        List<String> files = new ArrayList<>();
        long inParts = 0;
        try (ResultSet found =
                tx.statements().get(RetentionSql.EXPIRING_BLOBS).set(1, ids).rows()) {
            while (found.next()) {
                String file = found.getString(1);
                if (file == null) {
                    inParts += found.getLong(2);
                } else {
                    files.add(file);
                }
            }
        }
        boolean parts = inParts > Expiry.BLOB_PARTS;
        if (parts) {
            tx.statements().get(RetentionSql.LEAVE_BLOBS).set(1, ids).update();
        }
        return new Retentions.Gone(durable ? files : List.of(), parts);
    }

    public static Expiry.Done expire(SqliteTransaction tx, Expire batch) throws SQLException {
        return tx.log.isLong()
                ? Expiry.Done.later(batch, Writer.LOG_PAUSE_NANOS)
                : Retentions.expire(tx, new Removals(tx, tx.log.isDurable()), batch);
    }

    /** Returns the lanes after this one that nothing uses, at most {@code limit}. */
    public static List<Long> idleLanes(Statements statements, int limit, long after) throws SQLException {
        return idleLanes(statements, limit, after, Long.MAX_VALUE);
    }

    private static List<Long> idleLanes(Statements statements, int limit, long after, long last) throws SQLException {
        return statements
                .get(RetentionSql.IDLE_LANES)
                .set(1, limit)
                .set(2, after)
                .set(3, last)
                .longs();
    }

    /** Deletes the lanes among these that nothing uses now. Returns their number. */
    public static long deleteLanes(SqliteTransaction tx, List<Long> lanes) throws SQLException {
        long deleted = 0;
        for (long lane : lanes) {
            if (!idleLanes(tx.statements(), 1, lane - 1, lane).isEmpty() && !tx.hasCounted(lane)) {
                for (String sql : List.of(
                        RetentionSql.HAND_OVER_RETRIES,
                        RetentionSql.DELETE_RETRIES,
                        RetentionSql.DELETE_COUNTERS,
                        RetentionSql.DELETE_LANE)) {
                    tx.statements().get(sql).set(1, lane).update();
                }
                deleted++;
            }
        }
        if (deleted > 0) {
            tx.lanesDeleted(tx.statements()
                    .get(RetentionSql.COUNT_DELETED_LANES)
                    .set(1, deleted)
                    .one());
        }
        return deleted;
    }
}
