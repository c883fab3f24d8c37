package dev.windrow.postgres.connection;

import dev.windrow.WindrowException;
import dev.windrow.store.sql.connection.InUse;
import dev.windrow.store.sql.connection.ReadPool;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/**
 * A few threads for reads, with a connection for each read. Reads run there and not on their callers, so
 * that they end in time whatever the server does, and never need more connections than there are threads.
 */
public final class Readers implements AutoCloseable, ReadPool.Connections<PostgresStatements, Session> {
    /**
     * One state of the database throughout, for a limited time. A plan that is made while a table is nearly empty, where
     * reading all of it is cheapest, is kept while it fills: it shall use an index all the same.
     */
    private static final String BEGIN_READ =
            "SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; SET LOCAL statement_timeout = %d; SET LOCAL enable_seqscan = off; SET LOCAL jit = off";

    private final Database database;
    private final long timeoutNanos;
    private final ReadPool<PostgresStatements, Session> pool;

    public Readers(Database database, long timeoutNanos, String name) {
        this.database = database;
        this.timeoutNanos = timeoutNanos;
        this.pool = new ReadPool<>(this, timeoutNanos, name);
    }

    /** Runs a read in a transaction of its own and waits for it. */
    public <T> T read(String what, ReadPool.Read<PostgresStatements, T> read) {
        return pool.read(what, read);
    }

    @Override
    public void stop(Session session) {
        session.abort();
    }

    @Override
    public WindrowException translate(SQLException e, String what) {
        return PostgresErrors.translate(e, what);
    }

    @Override
    public <T> T run(ReadPool.Read<PostgresStatements, T> read, InUse<Session> used) throws SQLException {
        try {
            return inTransaction(read, used);
        } catch (SQLException e) {
            // A pool may have kept a connection that is gone. Nothing was written: once more costs nothing.
            if (!PostgresErrors.isConnectionGone(e) && !database.losesStatements(e)) {
                throw e;
            }
            database.sessions().endFree();
            return inTransaction(read, used);
        }
    }

    private <T> T inTransaction(ReadPool.Read<PostgresStatements, T> read, InUse<Session> used) throws SQLException {
        Session session = database.sessions().take(this);
        if (!used.begin(session)) {
            database.sessions().giveBack(session, this);
            throw new SQLException("its time was over before it had a connection");
        }
        boolean healthy = false;
        try {
            try (Statement begin = session.connection().createStatement()) {
                begin.execute(BEGIN_READ.formatted(TimeUnit.NANOSECONDS.toMillis(timeoutNanos)));
            }
            T answer = read.run(session.statements());
            session.commit();
            healthy = true;
            return answer;
        } finally {
            used.end();
            if (healthy) {
                database.sessions().giveBack(session, this);
            } else {
                database.sessions().end(session);
            }
        }
    }

    @Override
    public void close() {
        pool.close();
    }
}
