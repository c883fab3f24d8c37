package dev.windrow.postgres;

import dev.windrow.Durations;
import dev.windrow.store.sql.Finding;
import dev.windrow.store.sql.Findings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The checks around the tables: the server's settings, the indexes, what vacuum leaves, who is in the way. */
final class ServerChecks {
    private static final long MIB = 1 << 20;
    /** Dead rows are many when there are this many times as many as living ones, and more than this. */
    private static final long DEAD_FOR_EACH_LIVING = 20;

    private static final long MANY_DEAD = 1_000_000;
    /** What transactions add to counters and sums is folded about once a second: more rows than this, and nobody folds them. */
    private static final long MANY_DELTAS = 200_000;

    /**
     * An index of this store.
     *
     * @param oid its number
     * @param name its name, without the schema
     * @param usable whether it is used and kept
     */
    record Index(long oid, String name, boolean usable) {}

    private ServerChecks() {}

    static Finding settings(PostgresStatements statements) throws SQLException {
        Map<String, String> settings = new HashMap<>();
        try (ResultSet rows = statements.get(CheckSql.SETTINGS).rows()) {
            while (rows.next()) {
                settings.put(rows.getString(1), rows.getString(2));
            }
        }
        return settings(settings);
    }

    /** What is to be said of these. */
    static Finding settings(Map<String, String> settings) {
        Findings findings = new Findings();
        if (isOff(settings, "fsync")) {
            findings.add("fsync is off: a crash of the machine can damage the database");
        }
        if (isOff(settings, "full_page_writes")) {
            findings.add("full_page_writes is off: a crash of the machine can damage pages");
        }
        if (isOff(settings, "synchronous_commit")) {
            findings.add(
                    "synchronous_commit is off: a job that an application enqueues in a transaction of its own can be lost with the machine");
        }
        String isolation = settings.getOrDefault("default_transaction_isolation", "read committed");
        if (!isolation.equals("read committed")) {
            findings.add("default_transaction_isolation is %s: transactions that meet at a row fail instead of waiting"
                    .formatted(isolation));
        }
        if (isOff(settings, "autovacuum") || isOff(settings, "track_counts")) {
            findings.add("autovacuum or track_counts is off: nobody takes dead rows away, and claims get slower");
        }
        if ("on".equals(settings.get("in_recovery"))) {
            findings.add("the server is a standby: nothing can be written here");
        }
        return Finding.noteIfAny(
                findings,
                "PostgreSQL %s, fsync %s, full_page_writes %s, synchronous_commit %s"
                        .formatted(
                                settings.get("server_version"),
                                settings.get("fsync"),
                                settings.get("full_page_writes"),
                                settings.get("synchronous_commit")));
    }

    private static boolean isOff(Map<String, String> settings, String name) {
        return "off".equals(settings.get(name));
    }

    static List<Index> indexes(PostgresStatements statements) throws SQLException {
        return statements
                .get(CheckSql.INDEXES)
                .list(rows -> new Index(rows.getLong(1), rows.getString(2), rows.getBoolean(3)));
    }

    /** One that was built while others wrote, and not to its end, is kept up and not used, or neither. */
    static Finding areThere(PostgresStatements statements) throws SQLException {
        Findings findings = new Findings();
        try (ResultSet rows = statements.get(CheckSql.MISSING_INDEXES).rows()) {
            while (rows.next()) {
                findings.add(rows.getString(1) + " is missing");
            }
        }
        List<Index> indexes = indexes(statements);
        for (Index index : indexes) {
            if (!index.usable()) {
                findings.add("%s is not valid: REINDEX INDEX CONCURRENTLY builds it anew".formatted(index.name()));
            }
        }
        return Finding.failedIfAny(findings, "%d indexes are there and valid".formatted(indexes.size()));
    }

    /** What the server counts is about right, and only so after it has looked. */
    static Finding bloat(PostgresStatements statements) throws SQLException {
        Findings findings = new Findings();
        List<String> seen = new ArrayList<>();
        try (ResultSet rows = statements.get(CheckSql.HOT_TABLES).rows()) {
            while (rows.next()) {
                long living = rows.getLong(2);
                long dead = rows.getLong(3);
                String table = "%s %s, about %,d rows and %,d dead"
                        .formatted(rows.getString(1), bytes(rows.getLong(4)), living, dead);
                seen.add(table);
                if (areMany(dead, living)) {
                    findings.add(table + ": vacuum does not get at them, or does not get done");
                }
                if (rows.getBoolean(5) && living > MANY_DELTAS) {
                    findings.add(
                            table
                                    + ": they are not folded; no process is alive, or its log and 'windrow health' say why it cannot");
                }
            }
        }
        return Finding.noteIfAny(findings, String.join("; ", seen));
    }

    static boolean areMany(long dead, long living) {
        return dead > MANY_DEAD && dead > DEAD_FOR_EACH_LIVING * living;
    }

    static Finding oldTransactions(PostgresStatements statements, Duration limit) throws SQLException {
        Findings findings = new Findings();
        try (ResultSet rows = statements
                .get(CheckSql.OLD_TRANSACTIONS)
                .set(1, limit.toMillis())
                .rows()) {
            while (rows.next()) {
                findings.add("%s (%s, %s) for %s"
                        .formatted(rows.getString(1), rows.getString(2), rows.getString(3), seconds(rows.getLong(4))));
            }
        }
        return findings.isEmpty()
                ? Finding.ok("no transaction is known to be open for more than " + Durations.text(limit))
                : Finding.note("open: " + findings + "; vacuum cannot clean behind them, and claims get slower");
    }

    static Finding waitingLocks(PostgresStatements statements, Duration limit) throws SQLException {
        Findings findings = new Findings();
        try (ResultSet rows =
                statements.get(CheckSql.WAITING_LOCKS).set(1, limit.toMillis()).rows()) {
            while (rows.next()) {
                findings.add("session %s (%s) has waited for %s for session %s"
                        .formatted(rows.getString(1), rows.getString(2), seconds(rows.getLong(3)), rows.getString(4)));
            }
        }
        return Finding.noteIfAny(findings, "nobody has waited for a lock for more than " + Durations.text(limit));
    }

    private static String seconds(long millis) {
        return Durations.text(Duration.ofSeconds(Math.max(1, millis / 1000)));
    }

    private static String bytes(long bytes) {
        if (bytes < 10 * MIB) {
            return "%d KiB".formatted(bytes / 1024);
        }
        return bytes < 10 * 1024 * MIB
                ? "%d MiB".formatted(bytes / MIB)
                : String.format(Locale.ROOT, "%.1f GiB", (double) bytes / (1024 * MIB));
    }
}
