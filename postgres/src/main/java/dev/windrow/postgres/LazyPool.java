package dev.windrow.postgres;

import com.zaxxer.hikari.HikariDataSource;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A pool that is made when the first connection is wanted: a store that is built and never started starts no thread. */
final class LazyPool implements DataSource, AutoCloseable {
    /** Makes the pool, or says why the server refuses. */
    interface Maker {
        HikariDataSource make() throws SQLException;
    }

    private final Maker maker;
    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by lock.
    private @Nullable HikariDataSource pool;
    private boolean closed;

    LazyPool(Maker maker) {
        this.maker = maker;
    }

    private HikariDataSource pool() throws SQLException {
        lock.lock();
        try {
            if (closed) {
                throw new SQLException("the pool of connections is closed", "08003");
            }
            if (pool == null) {
                pool = maker.make();
            }
            return pool;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public Connection getConnection() throws SQLException {
        return pool().getConnection();
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("the pool has one user");
    }

    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            if (pool != null) {
                pool.close();
            }
        } finally {
            lock.unlock();
        }
    }

    @Override
    public PrintWriter getLogWriter() throws SQLException {
        return pool().getLogWriter();
    }

    @Override
    public void setLogWriter(PrintWriter out) throws SQLException {
        pool().setLogWriter(out);
    }

    @Override
    public void setLoginTimeout(int seconds) throws SQLException {
        pool().setLoginTimeout(seconds);
    }

    @Override
    public int getLoginTimeout() throws SQLException {
        return pool().getLoginTimeout();
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        throw new SQLFeatureNotSupportedException("it logs by SLF4J");
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        return pool().unwrap(type);
    }

    @Override
    public boolean isWrapperFor(Class<?> type) throws SQLException {
        return pool().isWrapperFor(type);
    }
}
