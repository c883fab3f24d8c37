package dev.windrow.sqlite.monitor;

import dev.windrow.StoreUnavailableException;
import dev.windrow.sqlite.connection.LibraryGuard;
import dev.windrow.sqlite.connection.SqliteErrors;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.connection.SqliteStatements;
import dev.windrow.sqlite.schema.Migrations;
import dev.windrow.sqlite.writer.TransactionSql;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.monitor.Diagnoses;
import dev.windrow.store.sql.monitor.Examination;
import dev.windrow.store.sql.monitor.Examined;
import dev.windrow.store.sql.monitor.Finding;
import dev.windrow.store.sql.monitor.OperationalQuery;
import dev.windrow.store.sql.transfer.MovedMarker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.sqlite.ProgressHandler;

/**
 * A file that is examined. Each check is a read transaction of its own. The log can be written back and truncated between two checks, and no writer
 * ever waits.
 */
public final class ExaminedFile implements Examined {
    /**
     * The steps of SQLite's virtual machine between two checks of the clock. They take a small part of a millisecond, unless SQLite waits for the
     * disk.
     */
    private static final int STEPS = 256;

    private static final Logger log = SafeLogger.of(ExaminedFile.class);

    private final Examination examination;
    private final SqliteFile file;
    private final Duration operationTimeout;
    private final SqliteFile.Opened database;
    private final SqliteStatements statements;

    private ExaminedFile(
            Examination examination, SqliteFile file, Duration operationTimeout, SqliteFile.Opened database)
            throws SQLException {
        this.examination = examination;
        this.file = file;
        this.operationTimeout = operationTimeout;
        this.database = database;
        this.statements = database.statements();
        // An end that comes between two statements stops the next one.
        ProgressHandler.setHandler(database.connection(), STEPS, new ProgressHandler() {
            @Override
            protected int progress() {
                return examination.isEnded() || examination.budget().isOver() ? 1 : 0;
            }
        });
    }

    /** Makes the diagnoses of a file. */
    public static Diagnoses diagnoses(SqliteFile file, Duration operationTimeout) {
        return new Diagnoses(
                file.name(),
                file.location(),
                FileChecks.ALL,
                examination -> open(examination, file, operationTimeout),
                SqliteErrors::translate);
    }

    private static ExaminedFile open(Examination examination, SqliteFile file, Duration operationTimeout)
            throws SQLException {
        if (!Files.exists(file.path())) {
            throw new StoreUnavailableException("examining %s failed: the file does not exist".formatted(file.path()));
        }
        file.checkReadable("examining " + file.path());
        LibraryGuard.check(file.realPath());
        SqliteFile.Opened database = file.openExaminer();
        try {
            return new ExaminedFile(examination, file, operationTimeout, database);
        } catch (SQLException e) {
            close(database);
            throw e;
        }
    }

    @Override
    public Examination examination() {
        return examination;
    }

    Path path() {
        return file.path();
    }

    SqliteFile file() {
        return file;
    }

    /** Returns the connection. */
    SqliteFile.Opened database() {
        return database;
    }

    /** Returns the longest time that a writer waits for the lock of the file. */
    Duration operationTimeout() {
        return operationTimeout;
    }

    @Override
    public long now() {
        return examination.request().time().now().toEpochMilli();
    }

    @Override
    public Schema schema() throws SQLException {
        // KiB when negative: 64 MiB. This is the first statement that reads the file.
        database.execute("PRAGMA cache_size = -65536");
        int version = Migrations.version(database, path().toString());
        return new Schema(
                /* version= */ version,
                /* minCompatible= */ version < Migrations.CURRENT ? 0 : Migrations.minCompatible(database),
                /* current= */ Migrations.CURRENT,
                /* marker= */ version == MovedMarker.VERSION ? Migrations.marker(database) : null,
                /* owner= */ "the file",
                /* absence= */ "the file has no schema of Windrow"
                        + database.tables().suffix());
    }

    @Override
    public @Nullable Finding foreign(SQLException e) {
        return SqliteErrors.isNoDatabase(e)
                ? Finding.failed(
                                path()
                                        + " is not a SQLite database: its header is wrong, or it is encrypted; nothing was changed")
                        .remedy(
                                "name the file of the queue with --db; if this is the file, keep a copy of it and restore a backup")
                : null;
    }

    @Override
    public <T extends @Nullable Object> T inSnapshot(Work<T> work) throws SQLException {
        statements.run(TransactionSql.BEGIN_READ);
        boolean done = false;
        try {
            T answer = work.on(statements);
            done = true;
            return answer;
        } finally {
            if (done) {
                statements.run(TransactionSql.COMMIT);
            } else {
                rollback();
            }
        }
    }

    /** Ends a read that has failed. After some errors SQLite has rolled back by itself, and the driver has closed the statement that failed. */
    private void rollback() {
        statements.forget();
        try {
            statements.run(TransactionSql.ROLLBACK);
        } catch (SQLException e) {
            log.debug("Ending a read that has failed: {}", e.getMessage());
        }
    }

    @Override
    public boolean isStopped(Exception e) {
        return examination.budget().isOver() && SqliteErrors.isInterrupt(e);
    }

    @Override
    public List<OperationalQuery> queries() {
        return OperationalQueries.ALL;
    }

    @Override
    public <T extends @Nullable Object> T planning(Work<T> work) throws SQLException {
        return inSnapshot(work);
    }

    /** Does nothing: the snapshot has begun. */
    @Override
    public void begin(@Nullable OperationalQuery query) {}

    /** Returns a line for each step of the plan, indented by two characters more than the step to which it belongs. */
    @Override
    public String plan(OperationalQuery query) throws SQLException {
        StringBuilder plan = new StringBuilder();
        Map<Integer, Integer> depths = new HashMap<>();
        try (Statement statement = database.connection().createStatement();
                ResultSet steps =
                        statement.executeQuery(database.tables().translate("EXPLAIN QUERY PLAN " + query.sql()))) {
            while (steps.next()) {
                int depth = depths.getOrDefault(steps.getInt(2), -1) + 1;
                depths.put(steps.getInt(1), depth);
                plan.append(plan.isEmpty() ? "" : "\n")
                        .append("  ".repeat(depth))
                        .append(steps.getString(4));
            }
        }
        return plan.toString();
    }

    /**
     * Returns the first index that the plan should use and does not, or null. The cause is a dropped index, or statistics that mislead the planner.
     */
    @Override
    public @Nullable String missing(OperationalQuery query, String plan) {
        for (String index : query.indexes()) {
            String ours = database.tables().translate(index);
            if (!plan.contains(ours)) {
                return ours.replaceFirst(" \\(.*", "");
            }
        }
        return null;
    }

    @Override
    public boolean isOfAll(SQLException e) {
        return SqliteErrors.isStoreWide(e);
    }

    /**
     * Begins another snapshot. After some errors the first one cannot be ended in another way, and the driver has closed statements. A caller that
     * stops the examination interrupts one statement. Then this method throws, so that the other statements are not tried.
     */
    @Override
    public void recover(Exception e) throws SQLException {
        statements.forget();
        if (Thread.currentThread().isInterrupted()) {
            throw new SQLException("interrupted", e);
        }
        statements.run(TransactionSql.ROLLBACK);
        statements.run(TransactionSql.BEGIN_READ);
    }

    @Override
    public void interrupt() {
        database.interrupt();
    }

    @Override
    public void requireUnchanged() {
        database.requireUnchanged();
    }

    @Override
    public void close() {
        try {
            ProgressHandler.clearHandler(database.connection());
        } catch (SQLException e) {
            log.debug("The progress handler of a diagnosis could not be removed: {}", e.getMessage());
        }
        close(database);
    }

    /** Closes the connection, which closes its statements. A statement that failed repeats its error then. */
    private static void close(SqliteFile.Opened database) {
        try {
            database.close();
        } catch (SQLException e) {
            log.debug("The connection of a diagnosis could not be closed: {}", e.getMessage());
        }
    }
}
