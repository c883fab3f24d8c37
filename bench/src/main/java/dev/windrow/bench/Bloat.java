package dev.windrow.bench;

import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.bench.BenchReport.IndexSize;
import dev.windrow.bench.BenchReport.TableSize;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Renew;
import java.io.IOException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** The space that ended jobs use on a server: bytes by table and index, and dead rows before and after a vacuum. */
final class Bloat {
    private static final Duration PATIENCE = Duration.ofHours(2);
    /** The number of jobs that the measurement claims itself, and the number of their renewals. */
    private static final int HELD = 2000;

    private static final int RENEWALS = 10;
    private static final long LEASE_MILLIS = 60_000;
    /** The delay of the server's statistics. */
    private static final long STATISTICS_NANOS = TimeUnit.MILLISECONDS.toNanos(1500);

    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** The time to wait for a vacuum by the server, which searches for work each minute. */
    private static final long VACUUM_NANOS = TimeUnit.SECONDS.toNanos(130);
    /** The number of dead rows from which the server vacuums the jobs. */
    private static final long VACUUMED_FROM = 20_000;

    private static final String TABLES = """
            SELECT c.relname, pg_table_size(c.oid), s.n_dead_tup
              FROM pg_class c
              JOIN pg_namespace n ON n.oid = c.relnamespace
              JOIN pg_stat_user_tables s ON s.relid = c.oid
             WHERE n.nspname = current_schema() AND c.relkind = 'r'
             ORDER BY pg_total_relation_size(c.oid) DESC, c.relname
            """;

    private static final String INDEXES = """
            SELECT t.relname, i.relname, pg_relation_size(i.oid)
              FROM pg_index x
              JOIN pg_class t ON t.oid = x.indrelid
              JOIN pg_class i ON i.oid = x.indexrelid
              JOIN pg_namespace n ON n.oid = t.relnamespace
             WHERE n.nspname = current_schema()
             ORDER BY pg_relation_size(i.oid) DESC, i.relname
            """;

    private static final String ON_JOBS = """
            SELECT coalesce(%s, 0) FROM pg_stat_user_tables WHERE schemaname = current_schema() AND relname = 'windrow_jobs'
            """;

    private static final String DEAD = ON_JOBS.formatted("n_dead_tup");
    private static final String VACUUMS = ON_JOBS.formatted("autovacuum_count");
    private static final String UPDATES = ON_JOBS.formatted("n_tup_upd");
    private static final String HOT_UPDATES = ON_JOBS.formatted("n_tup_hot_upd");

    private final Ground ground;
    private final BenchSettings settings;

    Bloat(Ground ground) {
        this.ground = ground;
        this.settings = ground.settings();
    }

    /** The size and the dead rows of a table at one time. */
    private record Seen(String name, long bytes, long dead) {}

    BenchReport.Left run() throws SQLException, IOException, InterruptedException {
        ground.progress().accept("renewals");
        double renewals = hotRenewals();
        Database database = ground.databases().next();
        ground.progress().accept("%,d jobs to be run".formatted(settings.jobs()));
        try (Windrow windrow = database.open()) {
            Work.enqueue(windrow, settings.jobs(), settings.payload());
            try (Worker worker = Work.start(windrow, settings.slots())) {
                if (!worker.awaitIdle(PATIENCE)) {
                    throw new BenchException("the jobs did not end within %d hours".formatted(PATIENCE.toHours()));
                }
            }
        }
        BenchReport.Left left;
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            Work.waitUntil(System.nanoTime() + STATISTICS_NANOS);
            double hot = share(statement, 0);
            List<Seen> before = tables(statement);
            ground.progress().accept("waiting for the server to vacuum");
            boolean byServer = awaitVacuum(statement);
            if (!byServer) {
                for (Seen table : before) {
                    statement.execute("VACUUM " + table.name);
                }
            }
            Work.waitUntil(System.nanoTime() + STATISTICS_NANOS);
            left = left(before, tables(statement), indexes(statement), renewals, hot, byServer);
        }
        Audit.completed(database, settings.jobs());
        database.remove();
        return left;
    }

    /** Returns the share of the renewals that touched no index. */
    private double hotRenewals() throws SQLException, IOException {
        Database database = ground.databases().next();
        OpenedStore store = new OpenedStore(database.store());
        try (Windrow windrow = Windrow.open(store)) {
            Work.enqueue(windrow, HELD, settings.payload());
            List<LeaseToken> leaseTokens = new ArrayList<>();
            for (ClaimedJob job : ByHand.claim(store.verbs(), Set.of(Work.QUEUE), HELD)) {
                leaseTokens.add(job.leaseToken());
            }
            for (int i = 0; i < RENEWALS; i++) {
                if (!store.verbs()
                        .submit(new Renew(leaseTokens, LEASE_MILLIS))
                        .join()
                        .isEmpty()) {
                    throw new BenchException("a lease was lost that no other worker could take");
                }
            }
        }
        double hot;
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            Work.waitUntil(System.nanoTime() + STATISTICS_NANOS);
            // A claim changes an indexed column, so each claim is an update that is not hot.
            hot = share(statement, HELD);
        }
        database.remove();
        return hot;
    }

    private static double share(Statement statement, long claims) throws SQLException {
        return (double) Audit.number(statement, HOT_UPDATES) / (Audit.number(statement, UPDATES) - claims);
    }

    /** Waits for a vacuum; returns true if the server ran one by itself. */
    private static boolean awaitVacuum(Statement statement) throws SQLException {
        if (Audit.number(statement, DEAD) < VACUUMED_FROM) {
            return false;
        }
        long vacuums = Audit.number(statement, VACUUMS);
        long deadline = System.nanoTime() + VACUUM_NANOS;
        while (System.nanoTime() - deadline < 0) {
            if (Audit.number(statement, VACUUMS) > vacuums) {
                return true;
            }
            Work.waitUntil(System.nanoTime() + LOOK_NANOS);
        }
        return false;
    }

    private static List<Seen> tables(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery(TABLES)) {
            List<Seen> tables = new ArrayList<>();
            while (rows.next()) {
                tables.add(new Seen(rows.getString(1), rows.getLong(2), rows.getLong(3)));
            }
            return tables;
        }
    }

    private static List<IndexSize> indexes(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery(INDEXES)) {
            List<IndexSize> indexes = new ArrayList<>();
            while (rows.next()) {
                indexes.add(new IndexSize(rows.getString(1), rows.getString(2), rows.getLong(3)));
            }
            return indexes;
        }
    }

    private BenchReport.Left left(
            List<Seen> before,
            List<Seen> after,
            List<IndexSize> indexes,
            double renewals,
            double updates,
            boolean byServer) {
        List<TableSize> tables = new ArrayList<>();
        long bytes = 0;
        for (Seen table : after) {
            long dead = before.stream()
                    .filter(each -> each.name.equals(table.name))
                    .mapToLong(Seen::dead)
                    .sum();
            tables.add(new TableSize(table.name, table.bytes, dead, table.dead));
            bytes += table.bytes;
        }
        for (IndexSize index : indexes) {
            bytes += index.bytes();
        }
        return new BenchReport.Left(
                /* jobs= */ settings.jobs(),
                /* bytesPerJob= */ (double) bytes / settings.jobs(),
                /* renewalHotShare= */ renewals,
                /* updateHotShare= */ updates,
                /* vacuumedByServer= */ byServer,
                /* tables= */ List.copyOf(tables),
                /* indexes= */ List.copyOf(indexes));
    }
}
