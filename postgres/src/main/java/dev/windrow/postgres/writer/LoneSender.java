package dev.windrow.postgres.writer;

import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.ServerClock;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.job.LoneEnqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.sql.writer.Batch;
import dev.windrow.store.sql.writer.Submission;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Sends single new jobs in one message each ({@link LoneEnqueue}), for a writer. Used by the writer's thread only. */
final class LoneSender {
    private final Database database;
    private final Shared shared;
    private final Writer.Probe probe;

    /** The time of the last refusal of the server, by {@link System#nanoTime}; null if jobs are sent alone. */
    private @Nullable Long refusedNanos;

    /**
     * A job that is sent alone.
     *
     * @param session the session on which it is sent
     * @param batch its submission
     * @param beginNanos when this began, by {@link System#nanoTime}
     */
    record Sending(
            Session session, Batch batch, LoneEnqueue message, Learned learned, Names.Used used, long beginNanos) {}

    /** The answer to a message was lost. The job may have been written. */
    static final class AnswerLost extends Exception {
        private static final long serialVersionUID = 1L;

        final transient Throwable why;

        private AnswerLost(Throwable why) {
            super(why);
            this.why = why;
        }
    }

    LoneSender(Database database, Shared shared, Writer.Probe probe) {
        this.database = database;
        this.shared = shared;
        this.probe = probe;
    }

    /**
     * True if this session can send transactions in one message and has committed a moment ago, and the server has refused no single job. An idle
     * connection may be dead, which only its next answer shows. If that were the answer to a commit, the outcome would be unknown without need.
     */
    boolean maySend(Session session) {
        Session.Answer last = session.lastAnswer();
        Long refused = refusedNanos;
        long now = System.nanoTime();
        return last != null
                && session.hasMessages()
                && now - last.nanos() < probe.aliveNanos()
                && (refused == null || now - refused >= probe.aliveNanos());
    }

    /**
     * Makes the message of a job. The names of its lane and author are known.
     *
     * @return null if no id is known to be safe
     */
    @SuppressWarnings("unchecked") // the result of an enqueue
    @Nullable Sending sending(Session session, Batch batch, JobRow row, Learned learned, Names.Used used) throws SQLException {
        long beginNanos = System.nanoTime();
        Ids.Safe id = learned.ids().takeSafe(probe.aliveNanos());
        if (id == null) {
            return null;
        }
        // Read before the number. If the lane is deleted and added again in between, the new number gets an old time,
        // which is safe.
        long until = learned.names().freshUntil(row.queue(), row.type());
        Session.Answer last = Objects.requireNonNull(session.lastAnswer());
        // The server's clock shows at least this. The time since the answer is by this process's clock.
        long serverMillis = last.serverMillis() + TimeUnit.NANOSECONDS.toMillis(beginNanos - last.nanos());
        ServerClock clock = shared.clock();
        LoneEnqueue message = new LoneEnqueue(
                /* id= */ id.id(),
                /* limit= */ id.limit(),
                /* lock= */ shared.enqueueLock(id.id()),
                /* row= */ row,
                /* lane= */ learned.names().lane(row.queue(), row.type()),
                /* actor= */ used.number(row.actor()),
                /* store= */ shared.guard().identity(),
                /* run= */ learned.run(),
                /* now= */ clock.isServers() ? null : Long.valueOf(clock.now()),
                /* latest= */ shared.stamps().get(),
                /* until= */ until,
                /* deadline= */ serverMillis + 2 * TimeUnit.NANOSECONDS.toMillis(database.operationNanos()),
                /* statementTimeout= */ database.statementTimeout());
        for (Submission<?> submission : batch.submissions()) {
            // Before the commit, so that an unknown outcome can name the id.
            ((Submission<List<EnqueuedJob>>) submission).answer(message.answer());
        }
        probe.began(session, batch);
        probe.committing(session, batch);
        return new Sending(
                /* session= */ session,
                /* batch= */ batch,
                /* message= */ message,
                /* learned= */ learned,
                /* used= */ used,
                /* beginNanos= */ beginNanos);
    }

    /**
     * Sends a job. Nothing was written if this returns null or throws an {@link SQLException}.
     *
     * @return null if the server has refused it, so that it must be written in the usual way
     */
    LoneEnqueue.@Nullable Written send(Sending sending) throws SQLException, AnswerLost {
        Session session = sending.session;
        LoneEnqueue.Written written;
        try {
            probe.sending(sending.message);
            written = sending.message.write(session);
            if (written != null) {
                session.answered(written.serverMillis());
            }
            probe.committed(session, sending.batch);
        } catch (SQLException e) {
            if (!PostgresErrors.isRefusal(e) || isClosed(session)) {
                throw new AnswerLost(e);
            }
            session.rollback();
            if (!database.isOfStatement(e)) {
                throw e;
            }
            written = null;
        } catch (RuntimeException | Error e) {
            throw new AnswerLost(e);
        }
        if (written == null) {
            refused(sending.learned);
        }
        return written;
    }

    /**
     * Notes that the server has refused a job. It may refuse the next one, too. Each refusal costs a message and a block of ids, so jobs are written in
     * the usual way for a while.
     */
    private void refused(Learned learned) {
        refusedNanos = System.nanoTime();
        // The sequence may be at the limit of the other ids, too.
        learned.ids().drop();
    }

    /** True if a session can still be used after this error. */
    boolean isUsableAfter(Session session, Throwable error) {
        return error instanceof SQLException e
                && PostgresErrors.isOfTheServer(e)
                && !database.losesStatements(e)
                && !PostgresErrors.isConnectionGone(e)
                && !isClosed(session);
    }

    private static boolean isClosed(Session session) {
        try {
            return session.isClosed();
        } catch (SQLException | RuntimeException e) {
            return true;
        }
    }
}
