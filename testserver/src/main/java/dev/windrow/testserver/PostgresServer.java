package dev.windrow.testserver;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * A PostgreSQL server for tests: {@linkplain #shared() one for all of a JVM}, or {@linkplain #start one of a test's own}, which the test may stop and
 * kill.
 *
 * <p>A server listens on the loopback address alone, on a port that was free. It accepts every connection from there, as superuser. Its locale is
 * {@code C}. A server of a test's own syncs its commits, as the servers of users do. The shared one does not. Its data is in a folder of the temp
 * directory. The folder is removed when the server is closed, and when the JVM ends in any way. It is an error if a server does not start or end
 * within 60 s.
 *
 * <p>Every method may be called by many threads, except {@link #kill()}, {@link #stop()}, {@link #startAgain()} and {@link #close()}. These may be
 * called by one thread at a time.
 */
public final class PostgresServer implements AutoCloseable {
    /** The environment variable that names the server to be shared, as a JDBC URL with user and password. */
    public static final String VARIABLE = "WINDROW_TEST_POSTGRES";

    /** The settings of the shared server. No test of it cuts the power, so that it need not wait for a disk. */
    private static final List<String> UNSYNCED = List.of(
            "fsync=off",
            "full_page_writes=off",
            // Autovacuum between two tests would make the planner treat the tables as empty, just before a test fills
            // them.
            "autovacuum_naptime=1h");

    private static final ReentrantLock SHARING = new ReentrantLock();

    @Nullable private static PostgresServer shared;

    /** The text that distinguishes the schemas of this JVM from the schemas of other JVMs on the same server. */
    private static final String PROCESS = HexFormat.of().toHexDigits(new SecureRandom().nextInt());

    private static final AtomicInteger SCHEMAS = new AtomicInteger();

    private final String url;

    /** Null for a server that was not started by this class. */
    @Nullable private final Cluster cluster;

    private final boolean own;
    private final String version;

    private PostgresServer(String url, @Nullable Cluster cluster, boolean own) {
        this.url = url;
        this.cluster = cluster;
        this.own = own;
        this.version = askVersion();
    }

    /**
     * Returns the server of this JVM. It is the server that the environment variable {@value #VARIABLE} names. Without the variable the first call
     * starts one, which ends with the JVM. It can be neither stopped nor killed, and closing it does nothing.
     *
     * @throws IllegalStateException if it does not start or accepts no connection
     */
    public static PostgresServer shared() {
        SHARING.lock();
        try {
            if (shared == null) {
                String named = System.getenv(VARIABLE);
                shared = named == null || named.isBlank() ? start(UNSYNCED, false) : at(named);
            }
            return shared;
        } finally {
            SHARING.unlock();
        }
    }

    /** Returns a server that runs already. */
    static PostgresServer at(String url) {
        if (!url.startsWith("jdbc:postgresql:")) {
            // Without the value, which may have a password in it.
            throw new IllegalArgumentException(VARIABLE + " must begin with jdbc:postgresql:");
        }
        return new PostgresServer(url, null, false);
    }

    /**
     * Starts a new server that belongs to the caller, who closes it. The variable {@value #VARIABLE} has no effect on it.
     *
     * @param settings in the form {@code name=value}, in addition to the usual ones or instead of them
     * @throws IllegalArgumentException if a setting has another form
     * @throws IllegalStateException if the server does not start; the message has its output
     */
    public static PostgresServer start(String... settings) {
        return start(List.of(settings), true);
    }

    /**
     * Starts a standby that streams from this server without delaying its commits. It belongs to the caller, who closes it. This server is stopped
     * for that and started again.
     *
     * @throws IllegalStateException if this is not a server of the test's own, or if one of the two does not start
     */
    public PostgresServer startStandby() {
        Cluster primary = own();
        return start(() -> Cluster.standby(primary), true);
    }

    private static PostgresServer start(List<String> settings, boolean own) {
        return start(() -> Cluster.start(settings), own);
    }

    private interface Beginning {
        Cluster start() throws IOException, InterruptedException;
    }

    private static PostgresServer start(Beginning beginning, boolean own) {
        Cluster cluster;
        try {
            cluster = beginning.start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
        try {
            return new PostgresServer(cluster.url(), cluster, own);
        } catch (RuntimeException e) {
            cluster.close();
            throw e;
        }
    }

    /** Returns the JDBC URL of its database, with the user and, if it needs one, the password. It stays the same. */
    public String url() {
        return url;
    }

    /** Returns a new source of connections, without a pool. */
    public DataSource dataSource() {
        return source();
    }

    private PGSimpleDataSource source() {
        PGSimpleDataSource source = new PGSimpleDataSource();
        source.setUrl(url);
        return source;
    }

    /**
     * Returns a name for a schema that is unique on every server, for example {@code t_000123_4f5a6b7c}. It needs no quotes. The schema is not
     * created. If the server lives longer than the test, the creator of the schema also drops it.
     */
    public String newSchema() {
        return "t_%06d_%s".formatted(SCHEMAS.incrementAndGet(), PROCESS);
    }

    /** Returns the TCP port; it stays the same. */
    public int port() {
        return source().getPortNumbers()[0];
    }

    /** Returns the version as the server reports it, for example {@code 14.23}, possibly with more words after it. */
    public String version() {
        return version;
    }

    private String askVersion() {
        try (Connection connection = source().getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW server_version")) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException("the PostgreSQL server of the tests does not answer", e);
        }
    }

    /**
     * Ends the server and all of its processes by SIGKILL, as a crash would; returns when they have ended. Committed data exists after {@link
     * #startAgain()}. Does nothing if it does not run.
     *
     * @throws IllegalStateException if this is not a server of the test's own
     */
    public void kill() {
        Cluster mine = own();
        run(mine::kill);
    }

    /**
     * Stops the server without waiting for its clients, whose connections break (PostgreSQL's fast shutdown); returns when
     * it has ended. Does nothing if it does not run.
     *
     * @throws IllegalStateException if this is not a server of the test's own
     */
    public void stop() {
        Cluster mine = own();
        run(mine::stop);
    }

    /**
     * Starts the server that was stopped or killed on the same data and port; returns when it takes connections.
     *
     * @throws IllegalStateException if this is not a server of the test's own, if it is running, or if it does not start
     */
    public void startAgain() {
        Cluster mine = own();
        run(mine::start);
    }

    private Cluster own() {
        if (cluster == null || !own) {
            throw new IllegalStateException("a shared server cannot be stopped: start one");
        }
        return cluster;
    }

    /** Returns the lines of its log about the first crash by itself; no lines without a crash. */
    List<String> crash() {
        try {
            return cluster == null ? List.of() : cluster.crash();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Returns the folder of its data, if it was started here. */
    Optional<Path> folder() {
        return Optional.ofNullable(cluster).map(Cluster::folder);
    }

    /** Ends a server of the test's own and removes its data; returns when all of it is deleted. */
    @Override
    public void close() {
        if (cluster != null && own) {
            cluster.close();
        }
    }

    private interface Step {
        void run() throws IOException, InterruptedException;
    }

    private static void run(Step step) {
        try {
            step.run();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (InterruptedException e) {
            throw interrupted(e);
        }
    }

    private static IllegalStateException interrupted(InterruptedException cause) {
        Thread.currentThread().interrupt();
        return new IllegalStateException("interrupted while waiting for the PostgreSQL server of the tests", cause);
    }
}
