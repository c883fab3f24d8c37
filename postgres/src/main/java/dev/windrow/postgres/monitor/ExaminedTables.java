package dev.windrow.postgres.monitor;

import dev.windrow.TimeSource;
import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.PostgresQuery;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.connection.Tables;
import dev.windrow.postgres.schema.Migrations;
import dev.windrow.postgres.writer.TransactionSql;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.monitor.Diagnoses;
import dev.windrow.store.sql.monitor.Examination;
import dev.windrow.store.sql.monitor.Examined;
import dev.windrow.store.sql.monitor.OperationalQuery;
import dev.windrow.store.sql.transfer.MovedMarker;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * The tables of an examination over one connection. Each check is a separate transaction that may not write and sees one snapshot. So vacuum waits
 * for one check at most. Times are compared with the time source of the request, or with the server's clock if that source is the system clock.
 */
public final class ExaminedTables implements Examined {
    /** The longest wait of a statement for a lock that another session holds, in the duration format of PostgreSQL. */
    public static final String LOCK_WAIT = "5s";

    /** The SQL state of a statement that was stopped. */
    private static final String STOPPED = "57014";

    /** The SQL state of a lock timeout. */
    private static final String LOCKED = "55P03";

    private static final Logger log = SafeLogger.of(ExaminedTables.class);

    private final Examination examination;
    private final Connection connection;
    private final boolean autoCommit;
    private final Runnable end;
    private final Tables tables;
    private final String lockWait;
    private final PostgresStatements settings;
    private final PostgresStatements statements;
    /**
     * The settings of the open transaction of a check of plans. True for the settings of working statements, false for the settings of reads, null
     * without a transaction.
     */
    private @Nullable Boolean works;
    /** The lock timeout of a check of plans, for a transaction that has locked a table exclusively. */
    private String lockTimeout;

    /**
     * Begins one examination.
     *
     * @param connection a connection outside of a transaction, which no other thread uses during the examination
     * @param lockWait the longest wait of a statement for a lock, in the duration format of PostgreSQL
     * @param end gives the connection back
     */
    ExaminedTables(Examination examination, Connection connection, Tables tables, String lockWait, Runnable end)
            throws SQLException {
        this.examination = examination;
        this.connection = connection;
        this.autoCommit = connection.getAutoCommit();
        this.end = end;
        this.tables = tables;
        this.lockWait = lockWait;
        this.lockTimeout = examination.budget().isLimited() ? "200ms" : lockWait;
        this.settings = new PostgresStatements(connection, tables);
        this.statements = new PostgresStatements(connection, tables, this::bound);
        connection.setAutoCommit(false);
    }

    /** Returns the diagnoses of these tables. */
    public static Diagnoses diagnoses(Database database, String location) {
        return new Diagnoses(
                database.tables().schema(),
                location,
                ServerChecks.ALL,
                examination -> {
                    Session session = database.borrowPatient();
                    boolean opened = false;
                    try {
                        ExaminedTables tables = new ExaminedTables(
                                examination, session.connection(), database.tables(), LOCK_WAIT, session::close);
                        opened = true;
                        return tables;
                    } finally {
                        if (!opened) {
                            session.close();
                        }
                    }
                },
                PostgresErrors::translate);
    }

    /**
     * Sets the deadline of the next statement: the server stops it when the time of the current check is over. It is set for each statement, because
     * the server starts the timeout again with each.
     */
    private void bound() throws SQLException {
        examination.requireTime();
        long millis = examination.budget().leftMillis();
        if (millis <= Integer.MAX_VALUE) {
            try (ResultSet row = settings.get(CheckSql.BOUND)
                    .set(1, Math.max(1, millis) + "ms")
                    .rows()) {
                row.next();
            }
        }
    }

    @Override
    public Examination examination() {
        return examination;
    }

    /** Reads the time in a separate transaction, so that the snapshot of the next transaction is not older. */
    @Override
    public long now() throws SQLException {
        TimeSource time = examination.request().time();
        return time.equals(TimeSource.system())
                ? look(statements -> statements.get(TransactionSql.NOW).one())
                : time.now().toEpochMilli();
    }

    @Override
    public Schema schema() throws SQLException {
        return inSnapshot(unused -> {
            int version = Migrations.version(connection, tables);
            return new Schema(
                    /* version= */ version,
                    /* minCompatible= */ version == 0 ? 0 : Migrations.minCompatible(connection, tables),
                    /* current= */ Migrations.CURRENT,
                    /* marker= */ version == MovedMarker.VERSION ? Migrations.marker(statements) : null,
                    /* owner= */ "the database",
                    /* absence= */ "there are no tables of Windrow named %s in schema %s"
                            .formatted(tables.name("*"), tables.schema()));
        });
    }

    @Override
    public <T extends @Nullable Object> T inSnapshot(Work<T> work) throws SQLException {
        return inTransaction(CheckSql.BEGIN_SNAPSHOT, work);
    }

    /** Runs the work in a transaction whose statements need not be consistent. */
    <T extends @Nullable Object> T look(Work<T> work) throws SQLException {
        return inTransaction(CheckSql.BEGIN_LOOK, work);
    }

    private <T extends @Nullable Object> T inTransaction(String begin, Work<T> work) throws SQLException {
        try {
            start(begin);
            return work.on(statements);
        } finally {
            rollback();
        }
    }

    private void start(String sql) throws SQLException {
        try (Statement first = connection.createStatement()) {
            first.execute(sql);
        }
        try (ResultSet row =
                statements.get(CheckSql.NO_DEADLINE).set(1, lockWait).rows()) {
            row.next();
        }
    }

    /** Rolls back, because the transaction has written nothing. */
    private void rollback() {
        try {
            connection.rollback();
        } catch (SQLException e) {
            log.debug("Ending a check: {}", e.getMessage());
        }
    }

    @Override
    public boolean isStopped(Exception e) {
        return e instanceof SQLException sql && STOPPED.equals(sql.getSQLState());
    }

    @Override
    public List<OperationalQuery> queries() {
        return OperationalQueries.ALL;
    }

    @Override
    public <T extends @Nullable Object> T planning(Work<T> work) throws SQLException {
        try {
            return work.on(statements);
        } finally {
            works = null;
            rollback();
        }
    }

    /**
     * Begins a transaction that may not write, with the settings that the statement has in operation, independent of the statistics. Does nothing if
     * such a transaction is open.
     */
    @Override
    public void begin(@Nullable OperationalQuery query) throws SQLException {
        boolean work = query != null && OperationalQueries.works(query);
        if (works != null && works == work) {
            return;
        }
        connection.rollback();
        start(CheckSql.BEGIN_SNAPSHOT);
        PostgresQuery first = work
                ? statements
                        .get(TransactionSql.BEGIN_WORK)
                        .set(1, lockTimeout)
                        .set(2, "0")
                        .set(3, false)
                : statements.get(CheckSql.BEGIN_READ).set(1, lockTimeout);
        try (ResultSet row = first.rows()) {
            row.next();
        }
        works = work;
    }

    @Override
    public String plan(OperationalQuery query) throws SQLException {
        begin(query);
        return String.join("\n", Plans.plan(connection, tables, query.sql()));
    }

    /**
     * Returns the index that a plan should use and does not. An index that was dropped, or is invalid, is in no plan. The access path of a listing of
     * jobs is left to the server, which may read a small table by any index.
     */
    @Override
    public @Nullable String missing(OperationalQuery query, String plan) throws SQLException {
        List<String> indexes = query.indexes();
        return indexes.isEmpty()
                        || indexes.stream().anyMatch(index -> isIn(plan, tables.name(index)))
                        || isOfLittle(indexes.get(0))
                ? null
                : tables.name(indexes.get(0));
    }

    /** True if the server was free to choose another index: there is little to read, or nothing as far as the server knows. */
    private boolean isOfLittle(String index) throws SQLException {
        return statements
                .get(CheckSql.IS_INDEX_OF_LITTLE)
                .set(1, tables.inSchema("windrow_" + index))
                .exists();
    }

    private static boolean isIn(String plan, String index) {
        return Pattern.compile("\\b" + index + "\\b").matcher(plan).find();
    }

    @Override
    public boolean isOfAll(SQLException e) {
        return LOCKED.equals(e.getSQLState());
    }

    /**
     * Forgets the transaction, which is of no more use. Throws if the caller ends the examination, so that the remaining statements are not tried.
     */
    @Override
    public void recover(Exception e) throws SQLException {
        works = null;
        if (e instanceof SQLException sql && LOCKED.equals(sql.getSQLState())) {
            // The lock is already known to be held. Further statements on the same table need not wait as long.
            lockTimeout = "10ms";
        }
        if (Thread.currentThread().isInterrupted()) {
            throw new SQLException("interrupted", e);
        }
    }

    @Override
    public void interrupt() {
        Session.abort(connection);
    }

    @Override
    public void close() {
        statements.close();
        settings.close();
        try {
            connection.setAutoCommit(autoCommit);
        } catch (SQLException e) {
            log.debug("A connection could not be restored after a diagnosis: {}", e.getMessage());
        }
        end.run();
    }
}
