package dev.windrow.postgres;

import dev.windrow.Diagnosis;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.store.CheckBudget;
import dev.windrow.store.DiagnoseRequest;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.DataChecks;
import dev.windrow.store.sql.Finding;
import dev.windrow.store.sql.Findings;
import dev.windrow.store.sql.Mark;
import dev.windrow.store.sql.PlanChecks;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Examines a store over one connection, for as long as that takes or may. Each check is a transaction of its own that may not write
 * and sees one snapshot, so that vacuum waits for one check at most. Times are judged by the time source of the request, or by
 * the server's clock if that is the machine's.
 */
final class Examination {
    private static final Duration OLD_TRANSACTION = Duration.ofMinutes(5);
    private static final Duration LONG_WAIT = Duration.ofSeconds(10);

    /** How long a statement waits for a lock that another session holds, as PostgreSQL writes durations. */
    static final String LOCK_WAIT = "5s";

    /** What the server says of a statement that was stopped. */
    private static final String STOPPED = "57014";

    /** The checks that read everything of what they check. */
    private static final List<String> LONG = List.of("integrity", "orphans", "counters", "edges", "states", "attempts");

    private static final Logger log = SafeLogger.of(Examination.class);

    private final Connection connection;
    private final Tables tables;
    private final DiagnoseRequest request;
    private final String location;
    private final String lockWait;
    private final CheckBudget budget;
    private final List<Diagnosis.Check> checks = new ArrayList<>();
    private List<Diagnosis.Query> queries = List.of();
    /** How many of the checks that read everything are still to come. */
    private int longOnes;
    /** How far the check that is under way has come, for people; null: nobody knows. */
    private @Nullable String reached;
    /** Why the tables cannot be read, or null. */
    private @Nullable String unreadable;

    /** One look. */
    private interface Look<T> {
        T look(PostgresStatements statements) throws SQLException;
    }

    /** One look at everything; what it finds before it is stopped counts. */
    private interface LongLook {
        Finding look(PostgresStatements statements, Findings findings) throws SQLException;
    }

    /** There is no time left for what is under way. */
    private static final class OutOfTime extends RuntimeException {
        private static final long serialVersionUID = 1;

        OutOfTime() {
            super("no time is left", null, false, false);
        }
    }

    /**
     * Of one use.
     *
     * @param connection not in a transaction, and of nobody else meanwhile
     * @param location the store, for people
     * @param lockWait how long a statement waits for a lock at most, as PostgreSQL writes durations
     */
    Examination(Connection connection, Tables tables, DiagnoseRequest request, String location, String lockWait) {
        this.connection = connection;
        this.tables = tables;
        this.request = request;
        this.location = location;
        this.lockWait = lockWait;
        this.budget = new CheckBudget(request.time(), request.budget());
        this.longOnes = (int) LONG.stream().filter(request::wants).count();
    }

    /**
     * What takes a moment first, what reads everything last.
     *
     * @throws StoreUnavailableException if the thread is interrupted; looked for between checks
     * @throws SQLException if the connection cannot be used at all
     */
    Diagnosis run() throws SQLException {
        boolean autoCommit = connection.getAutoCommit();
        connection.setAutoCommit(false);
        try (PostgresStatements settings = new PostgresStatements(connection, tables);
                PostgresStatements statements = new PostgresStatements(connection, tables, () -> bound(settings))) {
            examine(statements);
        } finally {
            connection.setAutoCommit(autoCommit);
        }
        return new Diagnosis(checks, queries, budget.spent());
    }

    private void examine(PostgresStatements statements) {
        check("schema", statements, inSnapshot(this::schema));
        check("settings", statements, inSnapshot(ServerChecks::settings));
        check("old-transactions", statements, inSnapshot(s -> ServerChecks.oldTransactions(s, OLD_TRANSACTION)));
        ofTables("waiting-locks", statements, inSnapshot(s -> ServerChecks.waitingLocks(s, LONG_WAIT)));
        ofTables("bloat", statements, inSnapshot(ServerChecks::bloat));
        ofTables("indexes", statements, inSnapshot(ServerChecks::areThere));
        ofTables("plans", statements, this::plans);
        ofTables("leases", statements, s -> {
            long now = now(s);
            return inSnapshot(t -> DataChecks.leases(t, now)).look(s);
        });
        ofTables("queues", statements, s -> {
            long now = now(s);
            return inSnapshot(t -> DataChecks.queues(t, now)).look(s);
        });
        ofTables("handlers", statements, s -> {
            long now = now(s);
            return inSnapshot(t -> DataChecks.handlers(t, now)).look(s);
        });
        ofTables("stuck-slots", statements, s -> {
            long now = now(s);
            return inSnapshot(t -> DataChecks.stuckSlots(t, now)).look(s);
        });
        ofTables("schedules", statements, s -> {
            long now = now(s);
            return inSnapshot(t -> TableChecks.schedules(t, now)).look(s);
        });
        ofTables("ids", statements, inSnapshot(TableChecks::ids));
        ofAll("integrity", statements, this::integrity);
        ofAll("orphans", statements, inSnapshot(TableChecks::orphans));
        ofAll("counters", statements, inSnapshot(TableChecks::counters));
        ofAll("edges", statements, inSnapshot(DataChecks::edges));
        ofAll("states", statements, inSnapshot(TableChecks::states));
        ofTables("controls", statements, inSnapshot(DataChecks::controls));
        ofAll("attempts", statements, inSnapshot(DataChecks::attempts));
    }

    /** The server ends the next statement when the time of what is under way is over. Set for each, because it begins anew with each. */
    private void bound(PostgresStatements settings) throws SQLException {
        long millis = budget.leftMillis();
        if (millis == 0) {
            throw new OutOfTime();
        }
        if (millis <= Integer.MAX_VALUE) {
            try (ResultSet row =
                    settings.get(CheckSql.BOUND).set(1, millis + "ms").rows()) {
                row.next();
            }
        }
    }

    /** Whether this is what comes of a time that is over. */
    static boolean isStopped(Exception e) {
        return e instanceof OutOfTime || (e instanceof SQLException sql && STOPPED.equals(sql.getSQLState()));
    }

    /** In a transaction of its own: what is seen in the next one is not older. */
    private long now(PostgresStatements statements) throws SQLException {
        return request.time().equals(TimeSource.system())
                ? inTransaction(
                        CheckSql.BEGIN_LOOK, statements, s -> s.get(Sql.NOW).one())
                : request.time().now().toEpochMilli();
    }

    private Finding schema(PostgresStatements statements) throws SQLException {
        unreadable = "the schema could not be read";
        int version = 0;
        int minCompatible = 0;
        if (isTrue(statements.get(CheckSql.HAS_TABLES))) {
            try (ResultSet row = statements.get(Sql.MIN_COMPATIBLE).rows()) {
                if (row.next()) {
                    minCompatible = row.getInt(1);
                    version = row.getInt(2);
                }
            }
        }
        Mark mark = version == Mark.VERSION ? Migrations.mark(statements) : null;
        if (mark != null) {
            unreadable = mark.explanation(location);
        } else if (version == 0) {
            unreadable =
                    "there are no tables of Windrow named %s in schema %s".formatted(tables.name("*"), tables.schema());
        } else if (version < Migrations.CURRENT) {
            unreadable =
                    "the database has schema %d; this program knows %d, and migrates it when a worker or a command that changes something opens it"
                            .formatted(version, Migrations.CURRENT);
        } else if (minCompatible > Migrations.CURRENT) {
            unreadable = "the database has schema %d, which needs a newer Windrow: this one knows schema %d"
                    .formatted(version, Migrations.CURRENT);
        } else {
            unreadable = null;
        }
        if (unreadable != null) {
            return Finding.failed(unreadable);
        }
        return version == Migrations.CURRENT
                ? Finding.ok("schema %d, which is current".formatted(version))
                : Finding.note("schema %d, newer than this program's %d and compatible with it"
                        .formatted(version, Migrations.CURRENT));
    }

    private Finding plans(PostgresStatements statements) throws SQLException {
        PlanChecks plans = new PlanChecks(
                new Plans(connection, tables, statements, budget, lockWait), statements, budget, request.time());
        long now = now(statements);
        try {
            return plans.plans(OperationalQueries.ALL, now);
        } finally {
            rollback();
            queries = plans.queries();
        }
    }

    /** Index after index, because the first one that is not whole ends its transaction. */
    private Finding integrity(PostgresStatements statements, Findings findings) throws SQLException {
        Optional<String> pages = inSnapshot(Examination::pages).look(statements);
        if (!inSnapshot(Examination::useAmcheck).look(statements)) {
            return finding(
                    pages,
                    "PostgreSQL looks after its pages; indexes were not compared with tables, because the extension amcheck is not installed");
        }
        List<ServerChecks.Index> indexes = inSnapshot(ServerChecks::indexes).look(statements).stream()
                .filter(ServerChecks.Index::usable)
                .toList();
        int looked = 0;
        for (ServerChecks.Index index : indexes) {
            goOn();
            reached = "%d of %d indexes were looked at".formatted(looked++, indexes.size());
            try {
                inTransaction(CheckSql.BEGIN_LOOK, statements, s -> checkIndex(s, index.oid()));
            } catch (SQLException e) {
                if (isStopped(e)) {
                    throw e;
                }
                if (PostgresErrors.NO_PRIVILEGE.equals(e.getSQLState())) {
                    return Finding.note("indexes were not looked at, this user may not run amcheck: " + e.getMessage());
                }
                findings.add("%s: %s".formatted(index.name(), e.getMessage()));
            }
        }
        return findings.isEmpty()
                ? finding(
                        pages,
                        request.quick()
                                ? "%d indexes are whole (quick: they were not compared with tables)"
                                        .formatted(indexes.size())
                                : "%d indexes are whole and have every row".formatted(indexes.size()))
                : Finding.failed(findings.toString());
    }

    private static Finding finding(Optional<String> note, String seen) {
        return note.map(said -> Finding.note(said + "; " + seen)).orElseGet(() -> Finding.ok(seen));
    }

    /** What is to be said of the pages. */
    private static Optional<String> pages(PostgresStatements statements) throws SQLException {
        Long failures = statements.get(CheckSql.CHECKSUM_FAILURES).oneOrNull();
        return failures == null || failures == 0
                ? Optional.empty()
                : Optional.of(
                        "the server has met %,d pages with a wrong checksum in this database".formatted(failures));
    }

    private static boolean useAmcheck(PostgresStatements statements) throws SQLException {
        return statements.get(CheckSql.USE_AMCHECK).exists();
    }

    private boolean checkIndex(PostgresStatements statements, long oid) throws SQLException {
        useAmcheck(statements);
        return statements
                .get(CheckSql.CHECK_INDEX)
                .set(1, oid)
                .set(2, !request.quick())
                .exists();
    }

    private static boolean isTrue(PostgresQuery query) throws SQLException {
        try (ResultSet row = query.rows()) {
            return row.next() && row.getBoolean(1);
        }
    }

    private void ofTables(String name, PostgresStatements statements, Look<Finding> look) {
        if (!isRefused(name)) {
            check(name, statements, look);
        }
    }

    private boolean isRefused(String name) {
        if (unreadable == null) {
            return false;
        }
        checks.add(new Diagnosis.Check(name, Diagnosis.Result.FAILED, "not checked: " + unreadable));
        return true;
    }

    private void check(String name, PostgresStatements statements, Look<Finding> look) {
        if (request.wants(name)) {
            budget.begin();
            add(name, statements, look, new Findings());
        }
    }

    /** Within its share of the time that is left. */
    private void ofAll(String name, PostgresStatements statements, LongLook look) {
        if (!isRefused(name) && request.wants(name)) {
            budget.beginShare(longOnes--);
            reached = null;
            Findings findings = new Findings(this::refuseToGoOn);
            add(
                    name,
                    statements,
                    s -> budget.isOver()
                            ? Finding.unfinished(findings, budget.unfinished(false))
                            : look.look(s, findings),
                    findings);
        }
    }

    /** What the server finds comes in parts, each of which it may take its time for. */
    private void refuseToGoOn() {
        if (budget.isOver()) {
            throw new OutOfTime();
        }
    }

    /** What is in damaged tables may be anything, and surprise any code: that, too, is a check that failed. */
    private void add(String name, PostgresStatements statements, Look<Finding> look, Findings findings) {
        goOn();
        request.begins().accept(name);
        Finding finding;
        try {
            finding = look.look(statements);
        } catch (SQLException | RuntimeException e) {
            goOn();
            log.debug("The check {} of {} could not be made", name, location, e);
            finding = budget.isLimited() && isStopped(e)
                    ? unfinished(findings)
                    : Finding.failed("could not be checked: " + e.getMessage());
        } finally {
            budget.end();
        }
        checks.add(new Diagnosis.Check(name, finding.result(), finding.detail(), finding.finished()));
    }

    private Finding unfinished(Findings findings) {
        String explanation = budget.unfinished(true) + (reached == null ? "" : " (" + reached + ")");
        return Finding.unfinished(findings, explanation);
    }

    private void goOn() {
        if (Thread.currentThread().isInterrupted()) {
            throw new StoreUnavailableException("examining " + location + " was interrupted");
        }
    }

    private <T extends @Nullable Object> Look<T> inSnapshot(Look<T> look) {
        return statements -> inTransaction(CheckSql.BEGIN_SNAPSHOT, statements, look);
    }

    private LongLook inSnapshot(LongLook look) {
        return (statements, findings) ->
                inTransaction(CheckSql.BEGIN_SNAPSHOT, statements, s -> look.look(s, findings));
    }

    /** Nothing was written, so that nothing is committed. */
    private <T extends @Nullable Object> T inTransaction(String begin, PostgresStatements statements, Look<T> look)
            throws SQLException {
        try {
            try (Statement first = connection.createStatement()) {
                first.execute(begin);
            }
            try (ResultSet row =
                    statements.get(CheckSql.NO_DEADLINE).set(1, lockWait).rows()) {
                row.next();
            }
            return look.look(statements);
        } finally {
            rollback();
        }
    }

    private void rollback() {
        try {
            connection.rollback();
        } catch (SQLException e) {
            log.debug("Ending a check of {}: {}", location, e.getMessage());
        }
    }
}
