package dev.windrow.postgres.schema;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.connection.Session;
import dev.windrow.store.sql.transfer.MovedMarker;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * A guard of each transaction that writes. It requires that the tables still hold the queue that was opened, and that this code may write it. Another
 * process may have migrated or closed the queue, have begun to copy another queue into it, or have finished such a copy. The guard keeps the process
 * from writing with names and numbers that it learned of another queue. A copy locks the table of migrations before it fills the tables, and so waits
 * for all transactions that have passed the guard.
 *
 * @param location the location of the tables, for messages
 * @param identity the identity of the store when it was opened
 */
public record SchemaGuard(String location, String identity) {
    /** Checks what the first statement of a transaction has read. */
    public void require(PostgresStatements statements, @Nullable String store, int minCompatible) throws SQLException {
        if (!identity.equals(store) || minCompatible > Migrations.CURRENT) {
            long unused = require(statements);
        }
    }

    /** Checks the store inside a transaction. Throws if the connection leads to another server than when it was borrowed. */
    public void require(Session session) throws SQLException {
        if (require(session.statements()) != session.run().started()) {
            throw PostgresErrors.anotherServer();
        }
    }

    /** Checks the store inside a transaction. Returns the run of the server. */
    public long require(PostgresStatements statements) throws SQLException {
        String store = null;
        int minCompatible = 0;
        int version = 0;
        String name = "";
        long run = 0;
        try (ResultSet row = statements.get(SchemaSql.STORE).rows()) {
            if (row.next()) {
                store = row.getString(1);
                minCompatible = row.getInt(2);
                version = row.getInt(3);
                name = row.getString(4);
                run = row.getLong(6);
            }
        }
        if (version == MovedMarker.VERSION) {
            throw new MovedMarker(name).refusal(location);
        }
        if (minCompatible > Migrations.CURRENT) {
            throw migrated(location, version);
        }
        if (!identity.equals(store)) {
            throw new IncompatibleStoreException(
                    "a queue was copied to %s since this process opened it: nothing more is written; close and open the store again"
                            .formatted(location));
        }
        return run;
    }

    /** Returns the refusal of a store that another process has migrated. */
    public static IncompatibleStoreException migrated(String location, int version) {
        return new IncompatibleStoreException(
                version == MovedMarker.VERSION
                        ? "%s was closed, because its queue was moved to another store, or another queue is being copied to it: nothing more is written; stop this process"
                                .formatted(location)
                        : "%s was migrated to a schema that needs a newer Windrow (schema %d; this one knows %d): nothing more is written; stop this process and start the newer version"
                                .formatted(location, version, Migrations.CURRENT));
    }
}
