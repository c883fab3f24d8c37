package dev.windrow.sqlite.job;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.sqlite.payload.BlobSql;
import dev.windrow.sqlite.payload.MetadataSql;
import dev.windrow.sqlite.writer.SqliteTransaction;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.sql.connection.JsonText;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.payload.Blobs;
import java.sql.SQLException;

/** An enqueue whose dedupe key a waiting job holds: the waiting job takes over the new work and its time. */
final class Replaces {
    private Replaces() {}

    /** Changes the holder, which waits. The next flush writes its tags and metadata. */
    static EnqueuedJob replace(SqliteTransaction tx, Keys.Held held, JobRow row, long runAt) throws SQLException {
        // Rows that were added to this transaction before may belong to this job.
        Enqueues.flush(tx, DirectDispatch.NONE);
        long id = held.holder().job();
        JobState from = held.holder().reportedState();
        boolean later = runAt > tx.now();
        JobState to = from == JobState.BLOCKED ? from : later ? JobState.SCHEDULED : JobState.PENDING;
        // A job that is ready already keeps its place in the order.
        Long at = later
                ? Long.valueOf(runAt)
                : switch (from) {
                    case PENDING -> Long.valueOf(held.holder().scheduledAtMillis());
                    case BLOCKED -> null;
                    default -> Long.valueOf(tx.stamp());
                };
        Query update = tx.statements().get(DedupeSql.REPLACE);
        update.set(1, id)
                .set(2, from.name())
                .set(3, to.name())
                .set(4, row.priority())
                .set(5, at)
                .set(6, row.maxAttempts())
                .set(7, row.timeoutMillis())
                .set(8, row.name())
                .set(9, row.retryPolicy())
                .set(10, row.traceparent());
        if (update.update() != 1) {
            throw new SQLException("job " + id + " has changed since it was read");
        }
        payload(tx, id, row);
        tx.statements().get(DedupeSql.DELETE_TAGS).set(1, id).update();
        tx.statements().get(MetadataSql.DELETE_METADATA).set(1, id).update();
        Enqueues.addTagsAndMetadata(tx, id, row);
        if (to != JobState.BLOCKED) {
            tx.left(held.lane(), from);
            if (row.concurrencyKey() != null && to == JobState.PENDING) {
                tx.enteredHeld(held.lane());
            } else {
                tx.entered(held.lane(), to);
            }
        }
        tx.permits.replaced(id, held.lane(), held.concurrencyKey(), row.concurrencyKey(), row.priority(), from, to);
        tx.event(
                id,
                tx.now(),
                EventKind.REPLACED,
                tx.names.actor(row.actor()),
                held.token(),
                later ? JsonText.object("due", JsonText.time(runAt)) : null);
        return new EnqueuedJob(id, to, true);
    }

    private static void payload(SqliteTransaction tx, long id, JobRow row) throws SQLException {
        // A long payload is deleted in batches.
        tx.statements().get(JobSql.LEAVE_LONG_BLOBS).set(1, id).update();
        tx.statements().get(BlobSql.DELETE_PAYLOAD_BLOB).set(1, id).update();
        if (row.payload() == null) {
            tx.statements().get(DedupeSql.DELETE_PAYLOAD).set(1, id).update();
        } else {
            tx.statements()
                    .get(DedupeSql.REPLACE_PAYLOAD)
                    .set(1, id)
                    .set(2, row.payload())
                    .update();
            Blobs.adopt(tx, row.payload(), id, Blobs.Kind.PAYLOAD);
        }
    }
}
