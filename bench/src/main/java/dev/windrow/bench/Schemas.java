package dev.windrow.bench;

import dev.windrow.sqlite.Durability;
import java.security.SecureRandom;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HexFormat;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** New schemas on a PostgreSQL server. They are dropped at the end, also when a signal ends the process. */
final class Schemas implements Databases {
    private static final String PREFIX = "windrow_bench_";

    private static final long LAST_MOMENT_NANOS = TimeUnit.MILLISECONDS.toNanos(500);

    private final String url;
    private final String mine = HexFormat.of().toHexDigits(new SecureRandom().nextInt());
    private final AtomicInteger made = new AtomicInteger();
    private final Set<SchemaDatabase> there = ConcurrentHashMap.newKeySet();
    private volatile boolean closed;

    Schemas(String url) {
        this.url = url;
        Runtime.getRuntime().addShutdownHook(new Thread(this::removeAfterSignal, "windrow-bench-schemas"));
    }

    @Override
    public Database next() throws SQLException {
        SchemaDatabase database = new SchemaDatabase(url, PREFIX + mine + "_" + made.incrementAndGet());
        database.make();
        // Not before it is made: what somebody else has made is not to be dropped.
        there.add(database);
        return database;
    }

    @Override
    public String version() throws SQLException {
        // With what a distribution adds to it left out.
        return "PostgreSQL " + show("server_version").replaceFirst(" .*", "");
    }

    /** The store waits for the server's disk whatever the server's default is, but not for one that does not sync. */
    @Override
    public Durability durability() throws SQLException {
        return show("fsync").equals("on") ? Durability.FULL : Durability.NORMAL;
    }

    private String show(String setting) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW " + setting)) {
            row.next();
            return row.getString(1);
        }
    }

    @Override
    public boolean hasBareLoop() {
        return false;
    }

    private void removeAll() {
        for (SchemaDatabase each : there) {
            try {
                each.remove();
            } catch (SQLException e) {
                // The server is gone, or others keep it busy; the name says whose the schema was.
            }
        }
    }

    /** Twice: whoever is opening a store at this moment, here or in another process, makes the schema that it misses. */
    private void removeAfterSignal() {
        if (!closed) {
            removeAll();
            Work.waitUntil(System.nanoTime() + LAST_MOMENT_NANOS);
            removeAll();
        }
    }

    @Override
    public void close() {
        removeAll();
        closed = true;
    }
}
