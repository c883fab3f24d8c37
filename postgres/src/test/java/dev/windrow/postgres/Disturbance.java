package dev.windrow.postgres;

import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.writer.Writer;
import dev.windrow.store.sql.writer.Batch;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** Disturbs the transactions of a store at the moments that matter, each disturbance once. */
public final class Disturbance implements Writer.Probe {
    /** What is done to a transaction. */
    public interface Action {
        void to(Session session) throws SQLException;
    }

    public final AtomicInteger transactions = new AtomicInteger();
    private volatile Predicate<Batch> which = batch -> true;
    private volatile Action atBegin = session -> {};
    private volatile Action beforeCommit = session -> {};
    private volatile Action afterCommit = session -> {};

    /** Only transactions with this kind of operation. */
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

    @Override
    public void began(Session session, Batch batch) throws SQLException {
        if (which.test(batch)) {
            transactions.incrementAndGet();
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
    public void committed(Session session, Batch batch) throws SQLException {
        if (which.test(batch)) {
            Action action = afterCommit;
            afterCommit = nothing -> {};
            action.to(session);
        }
    }

    /** The server ends the connection; the store finds out when it uses it next. */
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

    /** The server has done what it was told, and its answer is lost. */
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
