package dev.windrow.postgres.writer;

import dev.windrow.InvalidRequestException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.connection.ServerClock;
import dev.windrow.postgres.connection.Tables;
import dev.windrow.postgres.schema.Migrations;
import dev.windrow.postgres.schema.SchemaGuard;
import dev.windrow.postgres.schema.SchemaSql;
import dev.windrow.store.Command;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.sql.writer.Refused;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.ArrayDeque;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.slf4j.Logger;

/**
 * The verbs inside of a caller's transaction. The store uses the connection only during the call. It keeps nothing of it, and changes none of its
 * settings.
 */
public final class CallerTransactions {
    private static final Logger log = SafeLogger.of(CallerTransactions.class);

    private final Tables tables;
    private final Shared shared;
    private final SchemaGuard guard;
    private final String location;

    public CallerTransactions(Tables tables, Shared shared) {
        this.tables = tables;
        this.shared = shared;
        this.guard = shared.guard();
        this.location = guard.location();
    }

    /**
     * The result of a command in a transaction that has not committed.
     *
     * @param answer the result
     * @param tx the work that is left for after the commit
     */
    public record Applied<T extends @Nullable Object>(T answer, PostgresTransaction tx) {}

    /**
     * A callback that assigns numbers to the names of a verb. It does not use the caller's transaction, which may stay open for long while others
     * need the same names.
     */
    public interface Learn {
        void names();
    }

    /**
     * Applies a command.
     *
     * @param learn assigns numbers to the names that have no known numbers
     */
    public <T extends @Nullable Object> Applied<T> apply(Connection connection, Command<T> command, Learn learn) {
        String what = command.what();
        Names.Used used = new Names.Used();
        PostgresCommands.names(used, command);
        if (!shared.learned().names().know(used)) {
            learn.names();
        }
        try {
            check(connection);
            // The driver may wrap the statements of a pooled connection. They are closed at the end of the call.
            try (PostgresStatements statements = new PostgresStatements(connection, tables)) {
                try {
                    return inSavepoint(connection, statements, used, command);
                } catch (UnknownNames e) {
                    log.debug("{}: the connection leads to a server of which nothing is known yet", what);
                }
                learn.names();
                return inSavepoint(connection, statements, used, command);
            } catch (UnknownNames e) {
                throw new StoreUnavailableException(
                        what
                                + " failed: the connection leads to another server than those of the store, or to one that was just started; roll back and repeat the transaction",
                        e);
            }
        } catch (Refused e) {
            throw e.reason();
        } catch (SQLException e) {
            if (PostgresErrors.isLocked(e)) {
                throw new StoreUnavailableException(
                        what + " failed: another transaction has locked or changed rows that it needs ("
                                + PostgresErrors.message(e) + "); roll back and repeat the transaction",
                        e);
            }
            throw PostgresErrors.translate(e, what);
        }
    }

    /** An exception for names whose numbers are known only for another run of the server. */
    private static final class UnknownNames extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Applies a verb completely or not at all. After a failed verb, the caller may continue and commit. */
    private <T extends @Nullable Object> Applied<T> inSavepoint(
            Connection connection, PostgresStatements statements, Names.Used used, Command<T> command)
            throws SQLException {
        Savepoint before = connection.setSavepoint();
        boolean done = false;
        try {
            Learned learned = shared.learned();
            if (requireThisStore(statements) != learned.run()
                    || !learned.names().know(used)) {
                throw new UnknownNames();
            }
            ServerClock.Asked asked = shared.clock().ask();
            long now = shared.clock().isServers()
                    ? shared.clock().at(statements.get(TransactionSql.NOW).one(), asked)
                    : shared.clock().now();
            if (!learned.names().know(used, now)) {
                throw new UnknownNames();
            }
            ArrayDeque<Long> ids = learned.ids().take(statements, PostgresCommands.ids(command));
            PostgresTransaction tx = new PostgresTransaction(statements, shared, learned, used, now, Set.of(), ids);
            T answer = PostgresCommands.apply(tx, command);
            tx.openFreedByCaller();
            // Permits are granted after the commit, because a transaction that stays open must not keep the locks of
            // keys.
            tx.permits.write();
            if (tx.hasWritten()) {
                tx.record();
            }
            connection.releaseSavepoint(before);
            done = true;
            return new Applied<>(answer, tx);
        } finally {
            if (!done) {
                undo(connection, before);
            }
        }
    }

    private static void undo(Connection connection, Savepoint before) {
        try {
            connection.rollback(before);
        } catch (SQLException e) {
            log.debug("Rollback of a verb in a caller's transaction: {}", e.getMessage());
        }
    }

    /**
     * Requires that the connection leads to this store, because it may lead to any. Another process may also have migrated the tables since this one
     * opened them. Returns the run of the server.
     */
    private long requireThisStore(PostgresStatements statements) throws SQLException {
        try (ResultSet row = statements.get(SchemaSql.STORE).rows()) {
            boolean here = row.next();
            if (here && !row.getBoolean(5)) {
                statements.get(SchemaSql.LOCK_STORE).rows().close();
            }
            if (here && row.getInt(2) > Migrations.CURRENT && guard.identity().equals(row.getString(1))) {
                long unused = guard.require(statements);
            }
            if (!here || !guard.identity().equals(row.getString(1))) {
                throw new InvalidRequestException(
                        "the connection is to another store than %s, or a queue was copied there since this process opened it"
                                .formatted(location));
            }
            return row.getLong(6);
        } catch (SQLException e) {
            if ("42P01".equals(e.getSQLState()) || "3F000".equals(e.getSQLState())) {
                throw new InvalidRequestException(
                        "the connection is to a database without the tables of %s: %s"
                                .formatted(location, PostgresErrors.message(e)),
                        e);
            }
            throw e;
        }
    }

    /** Refuses, with a named error, a connection that would not commit with the caller's data. */
    private void check(Connection connection) throws SQLException {
        if (connection.isClosed()) {
            throw new InvalidRequestException("the connection is closed");
        }
        if (!connection.isWrapperFor(PGConnection.class)) {
            DatabaseMetaData metaData = connection.getMetaData();
            if (metaData == null || !"PostgreSQL".equals(metaData.getDatabaseProductName())) {
                throw new InvalidRequestException("the connection %s is not to PostgreSQL; this store is %s"
                        .formatted(connection.getClass().getName(), location));
            }
        }
        if (connection.getAutoCommit()) {
            throw new InvalidRequestException(
                    "the connection is in autocommit mode; call setAutoCommit(false) and commit when done, or use the"
                            + " verb without a connection");
        }
    }
}
