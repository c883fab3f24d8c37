package dev.windrow.postgres.job;

import dev.windrow.JobState;
import dev.windrow.payload.BlobRef;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.schema.Migrations;
import dev.windrow.postgres.writer.PostgresTransaction;
import dev.windrow.postgres.writer.TransactionSql;
import dev.windrow.store.Command;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.JobRow;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The enqueue of one job that needs only the columns that most jobs need, as a whole transaction in one message. So a caller that enqueues one job
 * after the other waits for one round trip each time.
 *
 * <p>The number of the transaction is not known if its answer is lost. So {@link #isWritten} looks for the id. Before it looks, it waits for a message
 * that is under way, and makes the server refuse one that comes later. For that the id must belong to this message alone, also if the server crashes:
 * the taking of the id must be on disk before ({@code Ids}).
 *
 * @param id the id of the new job
 * @param limit the value of the sequence of ids from which on the server refuses the message
 * @param lock the number of the advisory lock that the message holds
 * @param lane the number of its lane
 * @param actor the number of its author
 * @param store the identity of the store
 * @param run the run of the server to which the id and the numbers belong
 * @param now the time; null for the server's
 * @param latest the latest time of a transaction of this process; the job is not scheduled before
 * @param until the time from which on the number of the lane may not be used
 * @param deadline the time by the server's clock from which on the server refuses the message
 * @param statementTimeout the time limit of a statement, in the duration format of PostgreSQL
 */
public record LoneEnqueue(
        long id,
        long limit,
        long lock,
        JobRow row,
        int lane,
        int actor,
        String store,
        long run,
        @Nullable Long now,
        long latest,
        long until,
        long deadline,
        String statementTimeout) {
    private static final List<String> MESSAGE = List.of(JobSql.BEGIN_ONE, JobSql.ENQUEUE_ONE);
    private static final List<String> LOOK =
            List.of(JobSql.BEGIN_ONE, JobSql.RAISE_IDS, JobSql.IS_ENQUEUED, TransactionSql.COMMIT);

    /**
     * The number of blocks that bring the sequence of ids to the limit of each id that was taken before. If all processes take more in a second, single
     * jobs go the usual way.
     */
    public static final int BLOCKS_TO_LIMIT = 1000;

    /**
     * The times of a written job.
     *
     * @param now the time of the transaction
     * @param stamp the scheduled time of the job
     * @param serverMillis the time of the transaction by the server's clock
     */
    public record Written(long now, long stamp, long serverMillis) {}

    /** Returns the new job of a command that enqueues one job, ready at once, without other tables and checks. Null for any other command. */
    public static @Nullable JobRow row(Command<?> command) {
        if (!(command instanceof Enqueue enqueue) || enqueue.jobs().size() != 1) {
            return null;
        }
        JobRow row = enqueue.jobs().get(0);
        return Enqueues.isPlain(row)
                        && row.parents().isEmpty()
                        && row.tags().isEmpty()
                        && row.metadata() == null
                        && row.runAtMillis() == null
                        && row.delayMillis() == null
                        && row.scheduled() == null
                        && BlobRef.of(row.payload()) == null
                ? row
                : null;
    }

    /** Returns the result for the caller. */
    public List<EnqueuedJob> answer() {
        return List.of(new EnqueuedJob(id, JobState.PENDING, false));
    }

    /** Writes the job and commits. Returns null if nothing was written because an assumption is wrong. */
    public @Nullable Written write(Session session) throws SQLException {
        try (Session.Message message = session.message(MESSAGE)) {
            PostgresQuery statements = message.statements();
            statements.set(1, statementTimeout).set(2, lock);
            int insert = PostgresQuery.NEXT;
            statements
                    .set(insert + 1, id)
                    .set(insert + 2, Integer.valueOf(lane))
                    .set(insert + 3, Integer.valueOf(row.priority()))
                    .set(insert + 4, Integer.valueOf(row.maxAttempts()))
                    .set(insert + 5, row.timeoutMillis())
                    .set(insert + 6, row.payload())
                    .set(insert + 7, Integer.valueOf(actor))
                    .set(insert + 8, latest)
                    .set(insert + 9, now)
                    .set(insert + 10, store)
                    .set(insert + 11, Integer.valueOf(Migrations.CURRENT))
                    .set(insert + 12, run)
                    .set(insert + 13, until)
                    .set(insert + 14, PostgresTransaction.CLOCK_STEP_MILLIS)
                    .set(insert + 15, deadline)
                    .set(insert + 16, limit);
            statements.first().close();
            try (ResultSet result = statements.next()) {
                return result.next() ? new Written(result.getLong(1), result.getLong(2), result.getLong(3)) : null;
            }
        }
    }

    /**
     * True if the job was written. False if it was not, and never will be. Null if the tables hold another store, so that this cannot be known.
     *
     * <p>First takes the lock of the message, and so waits until the message has ended if it is under way. Then brings the sequence of ids to the
     * limit, so that the server refuses the message if it comes later. The sequence, and a row that is found, are on disk before the answer counts.
     */
    public @Nullable Boolean isWritten(Session session) throws SQLException {
        PostgresQuery message = session.statements().together(LOOK);
        message.set(1, statementTimeout).set(2, lock);
        message.set(PostgresQuery.NEXT + 1, limit).set(PostgresQuery.NEXT + 2, Integer.valueOf(BLOCKS_TO_LIMIT));
        message.set(2 * PostgresQuery.NEXT + 1, id).set(2 * PostgresQuery.NEXT + 2, limit);
        message.first().close();
        message.next().close();
        Boolean is;
        try (ResultSet result = message.next()) {
            result.next();
            if (result.getLong(1) != session.run().started()) {
                throw PostgresErrors.anotherServer();
            }
            if (!result.getBoolean(4)) {
                throw new SQLException("the sequence of ids has not reached " + limit);
            }
            is = store.equals(result.getString(2)) ? Boolean.valueOf(result.getBoolean(3)) : null;
        }
        session.commit();
        return is;
    }

    /** Notes what {@link Enqueues} notes of a new job. */
    public void note(PostgresTransaction tx, long stamp) {
        tx.entered(lane, JobState.PENDING, new ClaimCursors.Place(-row.priority(), stamp, id));
    }
}
