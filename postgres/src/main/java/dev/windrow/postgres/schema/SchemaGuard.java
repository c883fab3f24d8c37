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
 * Whether the queue in the tables is still the one that was opened, and this code may write it: another process may have migrated it, closed it, begun
 * to copy another one to it, or have done with that. Looked at in each transaction that writes, so that nothing is written with names and numbers
 * that were learned of another queue. Whoever begins to fill the tables takes the lock of the table of migrations, and so waits for all who have looked.
 *
 * @param location where they are, for people
 * @param identity the store's, as it was when it was opened
 */
public record SchemaGuard(String location, String identity) {
    /** What was read in the first statement of a transaction. */
    public void require(PostgresStatements statements, @Nullable String store, int minCompatible) throws SQLException {
        if (!identity.equals(store) || minCompatible > Migrations.CURRENT) {
            long unused = require(statements);
        }
    }

    /** Inside a transaction of a connection that leads to the server that it led to when it was borrowed, or fails. */
    public void require(Session session) throws SQLException {
        if (require(session.statements()) != session.run().started()) {
            throw PostgresErrors.anotherServer();
        }
    }

    /** Inside a transaction; answers the run of the server. */
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
                    "a queue was copied to %s since this process opened it: nothing more is written; open it anew"
                            .formatted(location));
        }
        return run;
    }

    /** Why a store that others have migrated is refused. */
    public static IncompatibleStoreException migrated(String location, int version) {
        return new IncompatibleStoreException(
                version == MovedMarker.VERSION
                        ? "%s was closed, because its queue was moved to another store, or one is being copied to it: nothing more is written; stop this process"
                                .formatted(location)
                        : "%s was migrated to a schema that needs a newer Windrow (schema %d; this one knows %d): nothing more is written; stop this process and start the newer version"
                                .formatted(location, version, Migrations.CURRENT));
    }
}
