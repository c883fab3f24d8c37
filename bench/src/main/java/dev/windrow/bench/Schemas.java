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

/** New schemas on a PostgreSQL server. They are dropped at the end, even if a signal ends the process. */
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
        // The schema is added after its creation, so that a schema of another program is never dropped.
        there.add(database);
        return database;
    }

    @Override
    public String version() throws SQLException {
        // The replacement removes the additions of a distribution.
        return "PostgreSQL " + show("server_version").replaceFirst(" .*", "");
    }

    /**
     * Returns FULL if the server syncs. The store waits for the server's disk regardless of the server's default, but a
     * server without fsync does not sync.
     */
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
                // The server has ended, or other programs keep it busy. The name shows which program created the
                // schema.
            }
        }
    }

    /**
     * Removes the schemas twice. A store that another thread or process is opening at this moment creates its missing
     * schema again.
     */
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
