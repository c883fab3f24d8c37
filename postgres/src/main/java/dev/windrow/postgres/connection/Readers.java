package dev.windrow.postgres.connection;

import dev.windrow.WindrowException;
import dev.windrow.store.sql.connection.InUse;
import dev.windrow.store.sql.connection.ReadPool;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;

/**
 * A few threads for reads, with a connection for each read. Reads run there and not on the threads of their callers. So they end in time even if the
 * server does not answer, and never need more connections than there are threads.
 */
public final class Readers implements AutoCloseable, ReadPool.Connections<PostgresStatements, Session> {
    /**
     * The first statement of a read: one snapshot for a limited time. It disables scans. A plan that is made while a table is nearly empty, where a
     * scan is cheapest, is kept while the table fills. It must use an index in any case.
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

    /** Runs a read in a separate transaction and waits for it. */
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
            // A pool may have kept a connection that is lost. Nothing was written, so that another try costs nothing.
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
            throw new SQLException("no connection was free within its time limit");
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
