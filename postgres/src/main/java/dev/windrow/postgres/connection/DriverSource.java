package dev.windrow.postgres.connection;

import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.Driver;

/**
 * Where our own pool has its connections from: the driver. The first one can be made before there is a pool, so that a server
 * that refuses, or is not there, is heard at once: a pool would ask it again and again until the time is over, and then say
 * that the time is over.
 */
public final class DriverSource implements DataSource {
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Driver driver = new Driver();
    private final String url;
    private final Properties properties;
    private final int timeoutSeconds;
    private final AtomicReference<@Nullable Connection> first = new AtomicReference<>();
    /** The time for which a connection is waited for while the server has none left, or is about to be ready. */
    private final long patienceNanos;

    /**
     * Connects nowhere yet.
     *
     * @param properties for what the URL does not say
     * @param timeoutSeconds how long connecting may take
     * @param patienceNanos how long to wait for a server that is too busy, or about to be ready; 0 if a pool does
     */
    public DriverSource(String url, Properties properties, int timeoutSeconds, long patienceNanos) {
        this.url = url;
        this.properties = new Properties();
        this.properties.putAll(properties);
        this.properties.setProperty("loginTimeout", Integer.toString(timeoutSeconds));
        this.timeoutSeconds = timeoutSeconds;
        this.patienceNanos = patienceNanos;
    }

    /** Makes the first connection; not to a server that is about to be ready, or too busy, which is worth a wait. */
    public void connectFirst() throws SQLException {
        try {
            first.set(connect());
        } catch (SQLException e) {
            if (!PostgresErrors.isBusy(e)) {
                throw e;
            }
        }
    }

    private Connection connect() throws SQLException {
        Connection connection = driver.connect(url, properties);
        if (connection == null) {
            throw new SQLException("the driver cannot read the URL " + Locations.withoutSecrets(url), "08001");
        }
        return connection;
    }

    @Override
    public Connection getConnection() throws SQLException {
        Connection made = first.getAndSet(null);
        long begin = System.nanoTime();
        while (made == null) {
            try {
                made = connect();
            } catch (SQLException e) {
                if (!PostgresErrors.isBusy(e)
                        || System.nanoTime() - begin >= patienceNanos
                        || Thread.currentThread().isInterrupted()) {
                    throw e;
                }
                LockSupport.parkNanos(AGAIN_NANOS);
            }
        }
        return made;
    }

    @Override
    public Connection getConnection(String user, String password) throws SQLException {
        throw new SQLFeatureNotSupportedException("it has one user");
    }

    @Override
    public @Nullable PrintWriter getLogWriter() {
        return null;
    }

    @Override
    public void setLogWriter(PrintWriter out) {
        // The driver does not write there.
    }

    @Override
    public void setLoginTimeout(int seconds) {
        // It was given at the beginning.
    }

    /** A pool that is closed waits so long for a connection that is being made. */
    @Override
    public int getLoginTimeout() {
        return timeoutSeconds;
    }

    @Override
    public Logger getParentLogger() throws SQLFeatureNotSupportedException {
        return driver.getParentLogger();
    }

    @Override
    public <T> T unwrap(Class<T> type) throws SQLException {
        throw new SQLException("it wraps nothing");
    }

    @Override
    public boolean isWrapperFor(Class<?> type) {
        return false;
    }
}
