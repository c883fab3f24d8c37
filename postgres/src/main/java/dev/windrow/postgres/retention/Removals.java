package dev.windrow.postgres.retention;

import dev.windrow.postgres.writer.Names;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.store.retention.Expiry;
import dev.windrow.store.sql.retention.Retentions;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** The deletion of jobs that ended long ago, and of unused lanes. */
public final class Removals implements Retentions.Removal {
    private final PostgresTransaction tx;

    /** Makes the deletion for a transaction that has locked the jobs. */
    public Removals(PostgresTransaction tx) {
        this.tx = tx;
    }

    @Override
    public Retentions.Gone delete(List<Retentions.Going> jobs) throws SQLException {
        List<Long> ids = jobs.stream().map(Retentions.Going::id).toList();
        boolean parts = leaveBlobs(ids);
        try (ResultSet row = tx.statements()
                .get(RetentionSql.EXPIRE)
                .ids(1, ids)
                .texts(2, jobs.stream().map(job -> job.state().name()).toList())
                .array(
                        3,
                        "int8",
                        jobs.stream().map(Retentions.Going::finishedAt).toArray())
                .rows()) {
            long gone = row.next() ? row.getLong(1) : 0;
            if (gone != jobs.size()) {
                throw new SQLException(
                        "%d of %d jobs changed while they were deleted".formatted(jobs.size() - gone, jobs.size()));
            }
            Array files = row.getArray(2);
            return new Retentions.Gone(files == null ? List.of() : List.of((String[]) files.getArray()), parts);
        }
    }

    /** Takes long blobs away from their jobs, so that the jobs are deleted without them. Returns false if the jobs have no long blobs. */
    private boolean leaveBlobs(List<Long> ids) throws SQLException {
        boolean parts =
                tx.statements().get(RetentionSql.COUNT_PARTS).ids(1, ids).one() > Expiry.BLOB_PARTS;
        if (parts) {
            tx.statements().get(RetentionSql.LEAVE_BLOBS).ids(1, ids).update();
        }
        return parts;
    }

    /** Deletes old rows that belong to no job, and unused lanes, at most {@code limit} of each kind. Returns the number of deleted rows. */
    public static long prune(PostgresTransaction tx, int limit, long asOfMillis) throws SQLException {
        return Retentions.prune(tx, limit, asOfMillis)
                + tx.statements()
                        .get(RetentionSql.DELETE_LANES)
                        .set(1, asOfMillis - Names.KEPT.toMillis())
                        .set(2, Integer.valueOf(limit))
                        .one();
    }
}
