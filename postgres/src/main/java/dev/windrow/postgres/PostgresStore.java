package dev.windrow.postgres;

import com.google.errorprone.annotations.CheckReturnValue;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.windrow.Durations;
import dev.windrow.InvalidRequestException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.DriverSource;
import dev.windrow.postgres.connection.Locations;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.connection.Tables;
import dev.windrow.postgres.monitor.ExaminedTables;
import dev.windrow.postgres.schema.Migrations;
import dev.windrow.postgres.transfer.Moves;
import dev.windrow.postgres.writer.ManagedTransactions;
import dev.windrow.postgres.writer.Writer;
import dev.windrow.store.OpenStore;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.store.sql.connection.TablePrefix;
import dev.windrow.store.sql.monitor.Diagnoses;
import dev.windrow.store.transfer.CopyPlace;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The description of a store in a PostgreSQL database, version 14 or newer. The number of processes and machines is limited by the server only.
 * Immutable, safe for use by many threads.
 *
 * <p>The store is given a {@link DataSource}, or a URL for a small pool of its own. When it is open and busy it holds four connections. It holds more
 * only while transactions wait for locks or read for long, and up to five for callers' transactions. An idle store holds one connection, which
 * listens for notifications.
 *
 * <p>No setting of the store outlives a transaction, so a proxy may use another server connection for each transaction. Behind such a proxy the store
 * gets no notifications, and polls once a second.
 *
 * <p>A commit is on the server's disk when it is acknowledged, even if the server's default is weaker.
 */
@SuppressWarnings("exports") // the members for the engine are protected, and their types are not exported
public final class PostgresStore extends StoreProvider {
    private static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(10);
    /**
     * The maximum number of connections of the store's own pool: five writers, notifier, listener, three readers, a diagnosis, and managed
     * transactions.
     */
    private static final int CONNECTIONS = 11 + ManagedTransactions.MOST;

    /** Makes the connections of one use. */
    private interface Connections {
        Database make() throws SQLException;
    }

    private final String location;
    private final Writer.Probe probe;
    /** The connections of an open store. */
    private final Connections pooled;
    /** The connections of a diagnosis, a check or a copy, which holds one or two and closes them. */
    private final Connections single;

    private PostgresStore(String location, Writer.Probe probe, Connections pooled, Connections single) {
        this.location = location;
        this.probe = probe;
        this.pooled = pooled;
        this.single = single;
    }

    /** Returns a store in the schema {@code public} of the database of the URL, with a pool of its own. See {@link #configure(String)}. */
    @CheckReturnValue
    public static PostgresStore at(String url) {
        return configure(url).build();
    }

    /** Returns a store in the schema {@code public} of the database of the data source. The caller closes the data source. */
    @CheckReturnValue
    public static PostgresStore at(DataSource source) {
        return configure(source).build();
    }

    /**
     * Returns a builder for a store with a pool of its own.
     *
     * @param url {@code jdbc:postgresql:...}, with the driver's parameters
     * @throws InvalidRequestException if the URL begins differently
     */
    @CheckReturnValue
    public static Builder configure(String url) {
        if (!url.startsWith("jdbc:postgresql:")) {
            throw new InvalidRequestException("the URL '%s' is not allowed: it must begin with jdbc:postgresql:"
                    .formatted(Locations.withoutSecrets(url)));
        }
        return new Builder(url, null);
    }

    /** Returns a builder for a store on connections of this data source. The caller closes the data source. */
    @CheckReturnValue
    public static Builder configure(DataSource source) {
        return new Builder(null, source);
    }

    /** The settings of a store. Not safe for use by many threads. */
    public static final class Builder {
        private final @Nullable String url;
        private final @Nullable DataSource source;
        private @Nullable String user;
        private @Nullable String password;
        private String schema = Tables.DEFAULT_SCHEMA;
        private String prefix = TablePrefix.DEFAULT;
        private Duration operationTimeout = OPERATION_TIMEOUT;
        private Writer.Probe probe = Writer.Probe.NONE;
        private Duration leastConnectionWait = Duration.ofSeconds(1);
        private Duration sessionPatience = Duration.ofMillis(50);

        private Builder(@Nullable String url, @Nullable DataSource source) {
            this.url = url;
            this.source = source;
        }

        /** Sets the database user, if the URL does not contain one. */
        public Builder user(String user) {
            this.user = user;
            return this;
        }

        /** Sets the user's password, if the URL does not contain one. */
        public Builder password(String password) {
            this.password = password;
            return this;
        }

        /**
         * Sets the schema of the tables: 1 to 50 of {@code a-z 0-9 _}, not beginning with a digit; default {@code public}. Opening the store creates
         * a schema that does not exist.
         */
        public Builder schema(String schema) {
            this.schema = schema;
            return this;
        }

        /**
         * Sets the prefix of the names of all tables: 1 to 30 of {@code a-z 0-9 _}, not beginning with a digit or {@code sqlite_}; default {@code
         * windrow_}.
         */
        public Builder tablePrefix(String prefix) {
            this.prefix = prefix;
            return this;
        }

        /**
         * Sets the time for which a write may wait for the server, or for locks, before it fails: 100 ms to 5 minutes, default 10 s.
         *
         * @throws InvalidRequestException if the time is out of range
         */
        public Builder operationTimeout(Duration timeout) {
            if (timeout.toMillis() < 100 || timeout.toMinutes() > 5) {
                throw new InvalidRequestException(
                        "operation timeout %s is not allowed: 100ms to 5m".formatted(Durations.text(timeout)));
            }
            this.operationTimeout = timeout;
            return this;
        }

        /** For tests. */
        Builder probe(Writer.Probe probe) {
            this.probe = probe;
            return this;
        }

        /** For tests: the time for which a thread of the store waits for a connection that another thread uses. */
        Builder sessionPatience(Duration patience) {
            this.sessionPatience = patience;
            return this;
        }

        /** For tests: the minimum time for which the store's own pool waits for a connection, if the operation timeout is shorter; 250 ms or more. */
        Builder leastConnectionWait(Duration wait) {
            this.leastConnectionWait = wait;
            return this;
        }

        /**
         * Returns the store, not opened yet.
         *
         * @throws InvalidRequestException if the schema or the prefix is not allowed, or the pool of the data source is too small
         */
        public PostgresStore build() {
            Tables tables = new Tables(schema, prefix);
            long nanos = operationTimeout.toNanos();
            long patience = sessionPatience.toNanos();
            DataSource given = source;
            if (given != null) {
                // Made now, so that a pool that is too small is refused here.
                Database database = new Database(given, null, tables, nanos, patience);
                return new PostgresStore(
                        Locations.of(given, tables),
                        probe,
                        () -> new Database(given, null, tables, nanos, patience),
                        () -> database);
            }
            String target = Objects.requireNonNull(url);
            return new PostgresStore(
                    Locations.of(target, tables),
                    probe,
                    () -> {
                        HikariDataSource pool = pool(target);
                        return new Database(pool, pool, tables, nanos, patience);
                    },
                    () -> new Database(driver(target, nanos), null, tables, nanos, patience));
        }

        private DriverSource driver(String target, long patienceNanos) {
            int seconds = (int) TimeUnit.MILLISECONDS.toSeconds(timeoutMillis() + 999);
            return new DriverSource(target, properties(), seconds, patienceNanos);
        }

        private long timeoutMillis() {
            return Math.max(leastConnectionWait.toMillis(), operationTimeout.toMillis());
        }

        private HikariDataSource pool(String target) throws SQLException {
            DriverSource driver = driver(target, 0);
            driver.connectFirst();
            HikariConfig config = new HikariConfig();
            config.setDataSource(driver);
            config.setPoolName("windrow");
            config.setMaximumPoolSize(CONNECTIONS);
            config.setMinimumIdle(0);
            config.setIdleTimeout(TimeUnit.SECONDS.toMillis(30));
            config.setConnectionTimeout(timeoutMillis());
            // The caller of the first connection reports its failure, because that caller knows the purpose.
            config.setInitializationFailTimeout(-1);
            return new HikariDataSource(config);
        }

        /** Returns properties for the driver. The properties of the URL take precedence. */
        private Properties properties() {
            Properties properties = new Properties();
            if (user != null) {
                properties.setProperty("user", user);
            }
            if (password != null) {
                properties.setProperty("password", password);
            }
            properties.setProperty("tcpKeepAlive", "true");
            properties.setProperty("ApplicationName", "windrow");
            return properties;
        }
    }

    @Override
    public String location() {
        return location;
    }

    @Override
    protected OpenStore open(StoreEnvironment environment) {
        Database database = make(pooled, "opening " + location);
        boolean opened = false;
        try {
            OpenStore store = new PostgresOpenStore(database, location, environment, probe);
            opened = true;
            return store;
        } finally {
            if (!opened) {
                database.close();
            }
        }
    }

    private static Database make(Connections connections, String what) {
        try {
            return connections.make();
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, what);
        }
    }

    @Override
    protected Diagnosis diagnose(DiagnoseRequest request) {
        try (Diagnoses diagnoses = ExaminedTables.diagnoses(make(single, "examining " + location), location)) {
            return diagnoses.diagnose(request);
        }
    }

    /**
     * True if there is a store in these tables, of any version. Writes nothing, while opening a store creates it.
     *
     * @throws StoreUnavailableException if the server cannot be reached
     */
    public boolean exists() {
        try {
            Database database = single.make();
            try (Session session = database.borrowOnce()) {
                return Migrations.version(session.connection(), database.tables()) != 0;
            }
        } catch (SQLException e) {
            throw PostgresErrors.translate(e, "opening " + location);
        }
    }

    @Override
    protected CopyPlace copyPlace() {
        return new Moves(make(single, "opening " + location), location);
    }
}
