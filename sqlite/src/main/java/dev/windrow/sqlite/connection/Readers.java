package dev.windrow.sqlite.connection;

import dev.windrow.WindrowException;
import dev.windrow.sqlite.writer.TransactionSql;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.connection.InUse;
import dev.windrow.store.sql.connection.ReadPool;
import dev.windrow.store.sql.connection.Statements;
import java.sql.SQLException;
import java.util.concurrent.ArrayBlockingQueue;
import org.slf4j.Logger;

/**
 * A few threads with a read-only connection each. Reads run there and not on the threads of their callers. A caller may be a virtual thread, and
 * SQLite's native code would pin its carrier.
 */
public final class Readers implements AutoCloseable, ReadPool.Connections<Statements, SqliteFile.Opened> {
    private static final Logger log = SafeLogger.of(Readers.class);

    private static final class Reader {
        final SqliteFile.Opened database;
        final SqliteStatements statements;

        Reader(SqliteFile.Opened database) {
            this.database = database;
            this.statements = database.statements();
        }
    }

    /** The mode of a connection. */
    public interface Opening {
        SqliteFile.Opened open() throws SQLException;
    }

    private final SqliteFile file;
    private final Opening opening;
    private final ReadPool<Statements, SqliteFile.Opened> pool;
    /** Connections that are not in use. They are opened when needed, at most one for each thread. */
    private final ArrayBlockingQueue<Reader> idle = new ArrayBlockingQueue<>(ReadPool.THREADS);

    public Readers(SqliteFile file, Opening opening, long timeoutNanos, String name) {
        this.file = file;
        this.opening = opening;
        this.pool = new ReadPool<>(this, timeoutNanos, name);
    }

    /** Runs a read in a transaction of its own and waits for it. */
    public <T> T read(String what, ReadPool.Read<Statements, T> read) {
        return pool.read(what, read);
    }

    @Override
    public void stop(SqliteFile.Opened connection) {
        connection.interrupt();
    }

    @Override
    public WindrowException translate(SQLException e, String what) {
        return SqliteErrors.translate(e, what);
    }

    @Override
    public <T> T run(ReadPool.Read<Statements, T> read, InUse<SqliteFile.Opened> used) throws SQLException {
        file.requireSame();
        Reader reader = idle.poll();
        while (reader != null && reader.database.hasChanged()) {
            close(reader);
            reader = idle.poll();
        }
        if (reader == null) {
            reader = new Reader(opening.open());
        }
        boolean healthy = false;
        try {
            if (!used.begin(reader.database)) {
                throw new SQLException("the caller no longer waits for the result");
            }
            reader.statements.run(TransactionSql.BEGIN_READ);
            T answer = read.run(reader.statements);
            reader.statements.run(TransactionSql.COMMIT);
            reader.database.requireUnchanged();
            // Not after a failure: the driver may have closed the statement that failed.
            healthy = true;
            return answer;
        } catch (SQLException e) {
            reader.database.requireUnchanged(); // SQLite reports the writes of another process as damage
            throw e;
        } finally {
            used.end();
            if (!healthy || pool.isClosed() || !idle.offer(reader)) {
                close(reader);
            }
        }
    }

    private static void close(Reader reader) {
        try {
            reader.statements.close();
            reader.database.close();
        } catch (SQLException e) {
            log.warn(
                    "A read connection could not be closed, and stays open until the process ends: {}", e.getMessage());
        }
    }

    @Override
    public void close() {
        pool.close();
        // The connections are closed in order even if this thread was interrupted.
        boolean interrupted = Thread.interrupted();
        Reader reader;
        while ((reader = idle.poll()) != null) {
            close(reader);
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
