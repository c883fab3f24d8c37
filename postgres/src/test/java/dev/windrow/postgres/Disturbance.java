package dev.windrow.postgres;

import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.job.LoneEnqueue;
import dev.windrow.postgres.writer.Writer;
import dev.windrow.store.sql.writer.Batch;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** A probe that disturbs the transactions of a store at the important moments, each disturbance once. */
public final class Disturbance implements Writer.Probe {
    /** An action on a transaction. */
    public interface Action {
        void to(Session session) throws SQLException;
    }

    /** An action on a single job before it is sent in one message. */
    public interface LoneAction {
        void to(LoneEnqueue lone) throws SQLException;
    }

    public final AtomicInteger transactions = new AtomicInteger();
    /** The sessions of these transactions. */
    public final List<Session> sessions = new CopyOnWriteArrayList<>();
    /** The single jobs that were sent in one message each. */
    public final List<LoneEnqueue> sent = new CopyOnWriteArrayList<>();

    private volatile LoneAction whenSending = lone -> {};
    private volatile Predicate<Batch> which = batch -> true;
    private volatile Action atBegin = session -> {};
    private volatile Action beforeCommit = session -> {};
    private volatile Action afterCommit = session -> {};

    /** Limits the disturbances to transactions with this kind of command. */
    public Disturbance of(Class<?> kind) {
        which = batch -> batch.has(kind);
        return this;
    }

    public void atBegin(Action action) {
        atBegin = action;
    }

    public void beforeCommit(Action action) {
        beforeCommit = action;
    }

    public void afterCommit(Action action) {
        afterCommit = action;
    }

    /** Disturbs a single job that is sent in one message. */
    public void whenSending(LoneAction action) {
        whenSending = action;
    }

    /** A slow machine must not decide which way a job is written. */
    @Override
    public long aliveNanos() {
        return TimeUnit.HOURS.toNanos(1);
    }

    @Override
    public void began(Session session, Batch batch) throws SQLException {
        if (which.test(batch)) {
            transactions.incrementAndGet();
            sessions.add(session);
            Action action = atBegin;
            atBegin = nothing -> {};
            action.to(session);
        }
    }

    @Override
    public void committing(Session session, Batch batch) throws SQLException {
        if (which.test(batch)) {
            Action action = beforeCommit;
            beforeCommit = nothing -> {};
            action.to(session);
        }
    }

    @Override
    public void sending(LoneEnqueue lone) throws SQLException {
        sent.add(lone);
        LoneAction action = whenSending;
        whenSending = nothing -> {};
        action.to(lone);
    }

    @Override
    public void committed(Session session, Batch batch) throws SQLException {
        if (which.test(batch)) {
            Action action = afterCommit;
            afterCommit = nothing -> {};
            action.to(session);
        }
    }

    /** Returns an action by which the server ends the connection. The store notices at the next use. */
    public static Action terminatedBy(Connection administrator) {
        return session -> {
            int pid = pid(session);
            try (Statement statement = administrator.createStatement()) {
                statement.execute("SELECT pg_terminate_backend(" + pid + ", 10000)");
            }
        };
    }

    private static int pid(Session session) throws SQLException {
        return session.connection().unwrap(org.postgresql.PGConnection.class).getBackendPID();
    }

    /** Returns the error of a connection that breaks. */
    public static SQLException broken() {
        return new SQLException("the connection broke", "08006");
    }

    /** Loses the answer after the server has done the work. */
    public static void answerLost(Session session) throws SQLException {
        session.abort();
        throw new SQLException("the answer was lost", "08006");
    }

    public static void await(CountDownLatch latch) throws SQLException {
        try {
            if (!latch.await(60, TimeUnit.SECONDS)) {
                throw new SQLException("nobody opened the gate within a minute");
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted", e);
        }
    }
}
