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
 * Jobs in a PostgreSQL database, version 14 or newer, for as many processes on as many machines as the server bears.
 *
 * <p>It is given a {@link DataSource}, or a URL and makes a small pool of its own. It holds four connections while there is work, more only while
 * transactions wait for locks or read for long, as many as five for callers' transactions, and one when it is idle, which listens. Nothing that it sets itself outlives a
 * transaction, so a proxy may give each transaction another server connection; behind such a proxy it hears no notifications and
 * looks each second.
 *
 * <p>Commits are on the server's disk when they are acknowledged, even where the server's default says otherwise.
 */
@SuppressWarnings("exports") // what the engine alone sees is protected, and its types are not exported
public final class PostgresStore extends StoreProvider {
    private static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(10);
    /** The most connections of a pool of our own: five writers, notifier, listener, three readers, a diagnosis, and managed transactions. */
    private static final int CONNECTIONS = 11 + ManagedTransactions.MOST;

    /** Makes the connections of one use. */
    private interface Connections {
        Database make() throws SQLException;
    }

    private final String location;
    private final Writer.Probe probe;
    /** Those of a store that is open. */
    private final Connections pooled;
    /** Those of a look or a copy, which holds one or two and closes them. */
    private final Connections single;

    private PostgresStore(String location, Writer.Probe probe, Connections pooled, Connections single) {
        this.location = location;
        this.probe = probe;
        this.pooled = pooled;
        this.single = single;
    }

    /** A store in the schema {@code public} of the database that the URL names, with a pool of its own. */
    @CheckReturnValue
    public static PostgresStore at(String url) {
        return configure(url).build();
    }

    /** A store in the schema {@code public} of the database that the data source leads to, which stays its owner's to close. */
    @CheckReturnValue
    public static PostgresStore at(DataSource source) {
        return configure(source).build();
    }

    /**
     * A store with settings and a pool of its own.
     *
     * @param url {@code jdbc:postgresql:...}, with the driver's parameters
     */
    @CheckReturnValue
    public static Builder configure(String url) {
        if (!url.startsWith("jdbc:postgresql:")) {
            throw new InvalidRequestException("the URL '%s' is not allowed: it has to begin with jdbc:postgresql:"
                    .formatted(Locations.withoutSecrets(url)));
        }
        return new Builder(url, null);
    }

    /** A store with settings, on connections of this data source. */
    @CheckReturnValue
    public static Builder configure(DataSource source) {
        return new Builder(null, source);
    }

    /** Settings of a store. */
    public static final class Builder {
        private final @Nullable String url;
        private final @Nullable DataSource source;
        private @Nullable String user;
        private @Nullable String password;
        private String schema = Tables.DEFAULT_SCHEMA;
        private String prefix = Tables.DEFAULT_PREFIX;
        private Duration operationTimeout = OPERATION_TIMEOUT;
        private Writer.Probe probe = Writer.Probe.NONE;
        private Duration leastConnectionWait = Duration.ofSeconds(1);
        private Duration sessionPatience = Duration.ofMillis(50);

        private Builder(@Nullable String url, @Nullable DataSource source) {
            this.url = url;
            this.source = source;
        }

        /** The database user, if the URL does not name one. */
        public Builder user(String user) {
            this.user = user;
            return this;
        }

        /** The user's password, if the URL does not hold one. */
        public Builder password(String password) {
            this.password = password;
            return this;
        }

        /**
         * The schema that the tables are in, 1 to 50 of {@code a-z 0-9 _}; {@code public} by default. Made if it is not
         * there.
         */
        public Builder schema(String schema) {
            this.schema = schema;
            return this;
        }

        /** The beginning of the names of all tables, 1 to 30 of {@code a-z 0-9 _}; {@code windrow_} by default. */
        public Builder tablePrefix(String prefix) {
            this.prefix = prefix;
            return this;
        }

        /** The time for which a write may wait for the server, or for locks, before it fails, 100 ms to 5 minutes; 10 s by default. */
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

        /** For tests: how long a thread of the store waits for a connection that another one uses. */
        Builder sessionPatience(Duration patience) {
            this.sessionPatience = patience;
            return this;
        }

        /** For tests: how long the store's own pool waits for a connection if an operation may not take as long; 250 ms or more. */
        Builder leastConnectionWait(Duration wait) {
            this.leastConnectionWait = wait;
            return this;
        }

        /** The store, not yet opened. */
        public PostgresStore build() {
            Tables tables = new Tables(schema, prefix);
            long nanos = operationTimeout.toNanos();
            long patience = sessionPatience.toNanos();
            DataSource given = source;
            if (given != null) {
                // Looked at now, so that a pool that is too small is refused here.
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
            // The first connection is asked for by those who can say what for.
            config.setInitializationFailTimeout(-1);
            return new HikariDataSource(config);
        }

        /** Properties for the driver; the URL's own go before them. */
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
     * True if there is a store in these tables, of any version. Writes nothing, while {@link #open} makes what is missing.
     *
     * @throws StoreUnavailableException if the server cannot be asked
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
