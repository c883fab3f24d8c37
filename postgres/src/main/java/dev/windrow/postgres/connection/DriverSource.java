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
 * The driver as the source of the connections of the store's own pool. The first connection can be made before the pool. So an error of a server that
 * refuses, or does not exist, is seen at once. A pool would try again until the time is over, and then report only the timeout.
 */
public final class DriverSource implements DataSource {
    private static final long AGAIN_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Driver driver = new Driver();
    private final String url;
    private final Properties properties;
    private final int timeoutSeconds;
    private final AtomicReference<@Nullable Connection> first = new AtomicReference<>();
    /** The time to wait for a connection while the server has none left, or is about to be ready. */
    private final long patienceNanos;

    /**
     * Makes a source that is not connected yet.
     *
     * @param properties the properties that the URL does not have
     * @param timeoutSeconds the time limit of connecting
     * @param patienceNanos how long to wait for a server that is too busy, or about to be ready; 0 if a pool waits
     */
    public DriverSource(String url, Properties properties, int timeoutSeconds, long patienceNanos) {
        this.url = url;
        this.properties = new Properties();
        this.properties.putAll(properties);
        this.properties.setProperty("loginTimeout", Integer.toString(timeoutSeconds));
        this.timeoutSeconds = timeoutSeconds;
        this.patienceNanos = patienceNanos;
    }

    /** Makes the first connection. Makes none to a server that is about to be ready, or too busy, which is worth a wait. */
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
        // The timeout was set at the beginning.
    }

    /** Returns how long a closing pool waits for a connection that is being made. */
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
