package dev.windrow.sqlite;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import dev.windrow.store.EnqueuedJob;
import dev.windrow.store.JobRow;
import java.sql.PreparedStatement;
import java.sql.SQLException;

/** An enqueue whose dedupe key a waiting job holds: that one takes over what is to be done, and when. */
final class Replaces {
    private Replaces() {}

    /** Changes the holder, which waits. Its tags are written by the next flush. */
    static EnqueuedJob replace(WriteTransaction tx, Keys.Held held, JobRow row, long runAt) throws SQLException {
        // What was added to this transaction before may be of this job.
        Enqueues.flush(tx, HandOff.NONE);
        long id = held.holder().job();
        JobState from = held.holder().toldState();
        boolean later = runAt > tx.now;
        JobState to = from == JobState.BLOCKED ? from : later ? JobState.SCHEDULED : JobState.PENDING;
        // One that is ready already keeps its place in the order.
        Long at = later
                ? Long.valueOf(runAt)
                : switch (from) {
                    case PENDING -> Long.valueOf(held.holder().scheduledAtMillis());
                    case BLOCKED -> null;
                    default -> Long.valueOf(tx.stamp());
                };
        PreparedStatement update = tx.statements.get(KeySql.REPLACE);
        update.setLong(1, id);
        update.setString(2, from.name());
        update.setString(3, to.name());
        update.setInt(4, row.priority());
        Statements.setLong(update, 5, at);
        update.setInt(6, row.maxAttempts());
        Statements.setLong(update, 7, row.timeoutMillis());
        update.setString(8, row.name());
        update.setString(9, row.retryPolicy());
        update.setString(10, row.traceparent());
        if (update.executeUpdate() != 1) {
            throw new SQLException("job " + id + " changed while it was changed");
        }
        payload(tx, id, row);
        PreparedStatement forget = tx.statements.get(KeySql.DELETE_TAGS);
        forget.setLong(1, id);
        forget.executeUpdate();
        Enqueues.addTags(tx, id, row);
        if (to != JobState.BLOCKED) {
            tx.left(held.lane(), from);
            if (row.concurrencyKey() != null && to == JobState.PENDING) {
                tx.enteredHeld(held.lane());
            } else {
                tx.entered(held.lane(), to);
            }
        }
        tx.turns.replaced(id, held.lane(), held.concurrencyKey(), row.concurrencyKey(), row.priority(), from, to);
        tx.event(
                id,
                tx.now,
                EventKind.REPLACED,
                tx.names.actor(row.actor()),
                held.token(),
                later ? JsonText.object("due", Settles.iso(runAt)) : null);
        return new EnqueuedJob(id, to, true);
    }

    private static void payload(WriteTransaction tx, long id, JobRow row) throws SQLException {
        // A long one goes in parts.
        PreparedStatement leave = tx.statements.get(Sql.LEAVE_LONG_BLOBS);
        leave.setLong(1, id);
        leave.executeUpdate();
        PreparedStatement before = tx.statements.get(BlobSql.DELETE_PAYLOAD_BLOB);
        before.setLong(1, id);
        before.executeUpdate();
        if (row.payload() == null) {
            PreparedStatement delete = tx.statements.get(KeySql.DELETE_PAYLOAD);
            delete.setLong(1, id);
            delete.executeUpdate();
        } else {
            PreparedStatement write = tx.statements.get(KeySql.REPLACE_PAYLOAD);
            write.setLong(1, id);
            write.setString(2, row.payload());
            write.executeUpdate();
            Blobs.adopt(tx, row.payload(), id, Blobs.Kind.PAYLOAD);
        }
    }
}
