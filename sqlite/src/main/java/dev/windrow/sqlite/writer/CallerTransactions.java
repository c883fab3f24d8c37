package dev.windrow.sqlite.writer;

import dev.windrow.EventLevel;
import dev.windrow.InvalidRequestException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.sqlite.connection.SqliteErrors;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.sqlite.connection.SqliteStatements;
import dev.windrow.sqlite.schema.SchemaGuard;
import dev.windrow.store.Command;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.job.Change;
import dev.windrow.store.sql.writer.Refused;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.sqlite.SQLiteConnection;

/** The same verbs inside a transaction of the caller. The connection is borrowed for the call, and none of its state is kept. */
public final class CallerTransactions {
    private static final Logger log = SafeLogger.of(CallerTransactions.class);

    private final SqliteFile file;
    private final SchemaGuard guard;
    private final Names names;
    private final IdFloor idFloor;
    private final TimeSource time;
    private final EventLevel level;

    public CallerTransactions(
            SqliteFile file, SchemaGuard guard, Names names, IdFloor idFloor, StoreEnvironment environment) {
        this.file = file;
        this.idFloor = idFloor;
        this.guard = guard;
        this.names = names;
        this.time = environment.time();
        this.level = environment.events();
    }

    /**
     * The result of a command in a transaction that has not committed.
     *
     * @param answer the result
     * @param aftermath the work that is left for after the commit
     */
    public record Applied<T extends @Nullable Object>(T answer, SqliteTransaction.Aftermath aftermath) {}

    public <T extends @Nullable Object> Applied<T> apply(Connection connection, Command<T> command) {
        String what = command.what();
        try {
            check(connection);
            // The driver may wrap statements of a pooled connection. These are closed at the end of the call.
            try (SqliteStatements statements = new SqliteStatements(connection, file.tables())) {
                return inKnownSchema(statements, () -> inSavepoint(statements, command));
            }
        } catch (Refused e) {
            throw e.reason();
        } catch (SQLException e) {
            if (SqliteErrors.isStaleSnapshot(e)) {
                throw new StoreUnavailableException(
                        what
                                + " failed: this transaction began with a read, and another connection has written since; use"
                                + " Windrow.inTransaction, begin it with BEGIN IMMEDIATE, or repeat it",
                        e);
            }
            throw SqliteErrors.translate(e, what);
        }
    }

    private interface Call<T> {
        T run() throws SQLException;
    }

    /** Runs a verb. In a schema that this code does not know, the verb may fail for any reason. Then the schema is reported first. */
    private <T> T inKnownSchema(SqliteStatements statements, Call<T> call) throws SQLException {
        try {
            return call.run();
        } catch (SQLException e) {
            // A caller that did not get the lock may retry in this transaction, if nothing was read in it.
            if (!SqliteErrors.isStoreWide(e)) {
                guard.require(statements);
            }
            throw e;
        }
    }

    /** Applies a verb completely or not at all: a caller may continue, and commit, after one that failed. */
    private <T extends @Nullable Object> Applied<T> inSavepoint(SqliteStatements statements, Command<T> command)
            throws SQLException {
        begin(statements);
        boolean done = false;
        try {
            SqliteTransaction tx = new SqliteTransaction(
                    statements,
                    names,
                    null,
                    time.now().toEpochMilli(),
                    idFloor,
                    level,
                    1 + SqliteCommands.ids(command),
                    new SqliteTransaction.Log(file.isDurable(), false));
            if (!(command instanceof Change change && change.dryRun())) {
                // A transaction that has not written yet takes the write lock now, and waits for it. If it read first,
                // it could not write after a commit of another connection, such as this store's writer.
                long unused = tx.stamp();
            }
            T answer = SqliteCommands.apply(tx, command);
            tx.permits.admit();
            tx.openFreed();
            tx.flushEvents();
            tx.writeSums();
            SqliteTransaction.Aftermath aftermath = tx.aftermath();
            // Last: a transaction that reads before its first write does not wait for the write lock, but fails. Also,
            // a transaction that has written holds the lock, so no process migrates before it ends.
            guard.require(statements);
            statements.run(TransactionSql.RELEASE_SAVEPOINT);
            Applied<T> applied = new Applied<>(answer, aftermath);
            done = true;
            return applied;
        } finally {
            if (!done) {
                undo(statements);
            }
        }
    }

    /** Opens the savepoint, or names what keeps SQLite from that. */
    private static void begin(SqliteStatements statements) throws SQLException {
        try {
            statements.run(TransactionSql.SAVEPOINT);
        } catch (SQLException e) {
            // "cannot open savepoint - SQL statements in progress", with the code of a lock that is held elsewhere. The
            // driver's BEGIN before it may fail with that code, too.
            if (SqliteErrors.isBusy(e) && String.valueOf(e.getMessage()).contains("statements in progress")) {
                throw new InvalidRequestException(
                        "a result set of a statement that writes (INSERT ... RETURNING) is open on the connection; close it"
                                + " before this call",
                        e);
            }
            throw e;
        }
    }

    private static void undo(SqliteStatements statements) {
        try {
            statements.forget();
            statements.run(TransactionSql.ROLLBACK_TO_SAVEPOINT);
            statements.run(TransactionSql.RELEASE_SAVEPOINT);
        } catch (SQLException e) {
            // SQLite rolls the whole transaction back by itself on some errors (full, I/O). Then no savepoint is left.
            log.debug("Rollback of a verb in a caller's transaction: {}", e.getMessage());
        }
    }

    /** Throws a named error for a connection that would not commit with the caller's data, or would not keep the store's promises. */
    private void check(Connection connection) throws SQLException {
        if (connection.isClosed()) {
            throw new InvalidRequestException("the connection is closed");
        }
        if (!connection.isWrapperFor(SQLiteConnection.class)) {
            DatabaseMetaData database = connection.getMetaData();
            if (database != null && "SQLite".equals(database.getDatabaseProductName())) {
                throw new InvalidRequestException(
                        "the connection %s belongs to another copy of the SQLite driver than this store; two copies in one JVM drop each other's locks on a file: load the driver once, in a shared class loader"
                                .formatted(connection.getClass().getName()));
            }
            throw new InvalidRequestException("the connection %s is not to SQLite; this store is %s"
                    .formatted(connection.getClass().getName(), file.path()));
        }
        if (connection.getAutoCommit()) {
            throw new InvalidRequestException(
                    "the connection is in autocommit mode; call setAutoCommit(false) and commit when done, or use the"
                            + " verb without a connection");
        }
        try (Statement statement = connection.createStatement()) {
            Path other = mainFile(statement);
            if (other == null || !isSameFile(other)) {
                throw new InvalidRequestException(
                        "the connection is to %s, and this store is %s".formatted(other, file.path()));
            }
            try (ResultSet row = statement.executeQuery("PRAGMA foreign_keys")) {
                if (!row.next() || row.getInt(1) != 1) {
                    throw new InvalidRequestException(
                            "foreign keys are off on the connection; execute PRAGMA foreign_keys = ON before its"
                                    + " transaction begins");
                }
            }
        }
    }

    private static @Nullable Path mainFile(Statement statement) throws SQLException {
        try (ResultSet rows = statement.executeQuery("PRAGMA database_list")) {
            while (rows.next()) {
                if (rows.getString(2).equals("main")) {
                    String path = rows.getString(3);
                    return path == null || path.isEmpty() ? null : Path.of(path);
                }
            }
        }
        return null;
    }

    /** True if the path is the file of the store. Compares attributes only: the file is not opened. */
    private boolean isSameFile(Path other) {
        try {
            return Files.isSameFile(other, file.path());
        } catch (IOException e) {
            return false;
        }
    }
}
