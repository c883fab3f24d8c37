package dev.windrow.postgres.monitor;

import static dev.windrow.store.sql.monitor.Check.rows;
import static dev.windrow.store.sql.monitor.Finding.bytes;

import dev.windrow.Durations;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.monitor.Check;
import dev.windrow.store.sql.monitor.Check.Reach;
import dev.windrow.store.sql.monitor.DataChecks;
import dev.windrow.store.sql.monitor.Finding;
import dev.windrow.store.sql.monitor.Findings;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The checks of a server, and the checks that not every store has: its settings, its indexes, the dead rows, and the transactions that block others.
 */
final class ServerChecks {
    /** The ratio of dead rows to live rows above which dead rows are many, if there are also more than {@code MANY_DEAD}. */
    private static final long DEAD_FOR_EACH_LIVING = 20;

    private static final long MANY_DEAD = 1_000_000;
    /** The number of deltas of counters and sums above which no process compacts them. They are compacted about once a second. */
    private static final long MANY_DELTAS = 200_000;

    private static final Duration OLD_TRANSACTION = Duration.ofMinutes(5);
    private static final Duration LONG_WAIT = Duration.ofSeconds(10);

    /** The checks of a server, in their order: fast ones first. In this store rows can refer to rows that do not exist. */
    static final List<Check<? super ExaminedTables>> ALL = List.of(
            Check.glance("settings", Reach.ENVIRONMENT, null, ServerChecks::settings),
            Check.glance(
                    "old-transactions",
                    Reach.ENVIRONMENT,
                    null,
                    statements -> oldTransactions(statements, OLD_TRANSACTION)),
            Check.glance("waiting-locks", Reach.GLANCE, null, statements -> waitingLocks(statements, LONG_WAIT)),
            Check.glance("bloat", Reach.GLANCE, null, ServerChecks::bloat),
            Check.glance(
                    "indexes",
                    Reach.GLANCE,
                    "build it again: REINDEX INDEX CONCURRENTLY, or as in the migrations",
                    ServerChecks::areThere),
            DataChecks.plans(
                    "'windrow vacuum', or ANALYZE of the tables, updates the statistics, as autovacuum does if it is on"),
            DataChecks.LEASES,
            DataChecks.QUEUES,
            DataChecks.HANDLERS,
            DataChecks.STUCK_SLOTS,
            DataChecks.schedules(rows(
                    CheckSql.ORPHANED_RUNS,
                    row -> "%,d runs of schedule number %d, which does not exist"
                            .formatted(row.getLong(2), row.getLong(1)))),
            // A database that was copied without its sequences assigns numbers that are in use.
            Check.failingIfAny(
                    "ids",
                    Reach.GLANCE,
                    "set the sequences beyond the largest numbers in use; rows were written by hand, or the sequences were not restored",
                    "no number in use will be assigned again",
                    rows(
                            CheckSql.NUMBERS,
                            row -> row.getLong(2) <= row.getLong(3)
                                    ? null
                                    : "there is %1$s %2$d, and no number after %3$d was given to a %1$s: set the sequence past it"
                                            .formatted(row.getString(1), row.getLong(2), row.getLong(3)))),
            DataChecks.integrity(Reach.ALL_ROWS, ServerChecks::integrity),
            DataChecks.orphans(
                    rows(CheckSql.WITHOUT_INPUT, row -> "job %s has no input".formatted(row.getString(1))),
                    rows(
                            CheckSql.UNKNOWN_NUMBERS,
                            row -> "%s names %s, which does not exist".formatted(row.getString(1), row.getString(2)))),
            DataChecks.COUNTERS,
            DataChecks.EDGES,
            DataChecks.states(rows(
                    CheckSql.TWO_LANES,
                    row -> "job %s is in lane %s and its input in lane %s"
                            .formatted(row.getString(1), row.getString(2), row.getString(3)))),
            DataChecks.LIMITS,
            DataChecks.ATTEMPTS);

    /**
     * An index of this store.
     *
     * @param oid its number
     * @param name its name, without the schema
     * @param usable true if it is valid, ready and live
     */
    record Index(long oid, String name, boolean usable) {}

    private ServerChecks() {}

    private static Finding settings(Statements statements) throws SQLException {
        Map<String, String> settings = new HashMap<>();
        try (ResultSet rows = statements.get(CheckSql.SETTINGS).rows()) {
            while (rows.next()) {
                settings.put(rows.getString(1), rows.getString(2));
            }
        }
        return settings(settings);
    }

    /** Returns the finding about these settings. */
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
            findings.add(
                    "default_transaction_isolation is %s: transactions that change the same row fail instead of waiting"
                            .formatted(isolation));
        }
        if (isOff(settings, "autovacuum") || isOff(settings, "track_counts")) {
            findings.add("autovacuum or track_counts is off: dead rows stay and claims get slower; turn both on");
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

    static List<Index> indexes(Statements statements) throws SQLException {
        return statements
                .get(CheckSql.INDEXES)
                .list(rows -> new Index(rows.getLong(1), rows.getString(2), rows.getBoolean(3)));
    }

    /** Checks that all indexes exist and are valid. An index whose concurrent build did not finish is updated but not used, or neither. */
    private static Finding areThere(Statements statements) throws SQLException {
        Findings findings = new Findings();
        try (ResultSet rows = statements.get(CheckSql.MISSING_INDEXES).rows()) {
            while (rows.next()) {
                findings.add(rows.getString(1) + " is missing");
            }
        }
        List<Index> indexes = indexes(statements);
        for (Index index : indexes) {
            if (!index.usable()) {
                findings.add("%s is not valid: REINDEX INDEX CONCURRENTLY rebuilds it".formatted(index.name()));
            }
        }
        return Finding.failedIfAny(findings, "%d indexes exist and are valid".formatted(indexes.size()));
    }

    /** Checks the numbers of dead rows and deltas. The counts of the server are approximate, and only after it has analyzed the tables. */
    private static Finding bloat(Statements statements) throws SQLException {
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
                    findings.add(
                            table
                                    + ": vacuum cannot remove them, or does not finish; check 'old-transactions' and autovacuum");
                }
                if (rows.getBoolean(5) && living > MANY_DELTAS) {
                    findings.add(
                            table
                                    + ": they are not compacted; no process is running, or its log and 'windrow health' show why it cannot");
                }
            }
        }
        return Finding.noteIfAny(findings, String.join("; ", seen));
    }

    static boolean areMany(long dead, long living) {
        return dead > MANY_DEAD && dead > DEAD_FOR_EACH_LIVING * living;
    }

    static Finding oldTransactions(Statements statements, Duration limit) throws SQLException {
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

    static Finding waitingLocks(Statements statements, Duration limit) throws SQLException {
        Findings findings = new Findings();
        try (ResultSet rows =
                statements.get(CheckSql.WAITING_LOCKS).set(1, limit.toMillis()).rows()) {
            while (rows.next()) {
                findings.add("session %s (%s) has waited for %s for session %s"
                        .formatted(rows.getString(1), rows.getString(2), seconds(rows.getLong(3)), rows.getString(4)));
            }
        }
        return Finding.noteIfAny(findings, "no session has waited for a lock for more than " + Durations.text(limit));
    }

    private static String seconds(long millis) {
        return Durations.text(Duration.ofSeconds(Math.max(1, millis / 1000)));
    }

    /** Checks each index in its own transaction, because the first damaged index ends its transaction. */
    private static Finding integrity(ExaminedTables store, Findings findings) throws SQLException {
        boolean quick = store.examination().request().quick();
        String pages = store.inSnapshot(ServerChecks::pages);
        if (!store.inSnapshot(ServerChecks::useAmcheck)) {
            return whole(
                    pages,
                    "PostgreSQL checks its pages; indexes were not compared with tables, because the extension amcheck is not installed");
        }
        List<Index> indexes = store.inSnapshot(ServerChecks::indexes).stream()
                .filter(Index::usable)
                .toList();
        int looked = 0;
        for (Index index : indexes) {
            findings.reached("%d of %d indexes were checked".formatted(looked++, indexes.size()));
            try {
                store.look(statements -> useAmcheck(statements)
                        && statements
                                .get(CheckSql.CHECK_INDEX)
                                .set(1, index.oid())
                                .set(2, !quick)
                                .exists());
            } catch (SQLException e) {
                if (store.isStopped(e)) {
                    throw e;
                }
                if (PostgresErrors.NO_PRIVILEGE.equals(e.getSQLState())) {
                    return Finding.note(
                            "indexes were not checked, because this user may not run amcheck: " + e.getMessage());
                }
                findings.add("%s: %s".formatted(index.name(), e.getMessage()));
            }
        }
        return findings.isEmpty()
                ? whole(
                        pages,
                        (quick
                                        ? "%d indexes are intact (quick: they were not compared with tables)"
                                        : "%d indexes are intact and have every row")
                                .formatted(indexes.size()))
                : Finding.failed(findings.toString());
    }

    /** Returns a remark about damaged pages, or an empty text. */
    private static String pages(Statements statements) throws SQLException {
        Long failures = statements.get(CheckSql.CHECKSUM_FAILURES).oneOrNull();
        return failures == null || failures == 0
                ? ""
                : "the server has met %,d pages with a wrong checksum in this database; ".formatted(failures);
    }

    /** Returns a note if there is a remark about the pages, and ok if there is none. */
    private static Finding whole(String pages, String seen) {
        return pages.isEmpty() ? Finding.ok(seen) : Finding.note(pages + seen);
    }

    private static boolean useAmcheck(Statements statements) throws SQLException {
        return statements.get(CheckSql.USE_AMCHECK).exists();
    }
}
