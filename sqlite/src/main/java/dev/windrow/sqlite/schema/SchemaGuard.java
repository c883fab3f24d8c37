package dev.windrow.sqlite.schema;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.transfer.MovedMarker;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The guard of a file against writes to a queue that is not the one that was opened. Another process may have migrated the queue, closed it, begun to
 * copy another queue to it, or finished such a copy. Or the path names another file. Each writing transaction checks this under the write lock. So
 * nothing is written with names and numbers that were read from another queue. Safe for use by many threads.
 */
public final class SchemaGuard {
    private final SqliteFile file;
    private final @Nullable String filling;

    private SchemaGuard(SqliteFile file, @Nullable String filling) {
        this.file = file;
        this.filling = filling;
    }

    /** Reads the present state of the queue, before anything else is read from the file. */
    public static SchemaGuard of(SqliteFile file, Statements statements) throws SQLException {
        return new SchemaGuard(file, read(statements).filling);
    }

    /** The result of {@link SchemaSql#SCHEMA_STATE}. */
    private record Found(
            int minCompatible,
            int version,
            String name,
            @Nullable String filling) {}

    private static Found read(Statements statements) throws SQLException {
        try (ResultSet row = statements.get(SchemaSql.SCHEMA_STATE).rows()) {
            if (!row.next()) {
                throw new SQLException("the table of schema versions is empty");
            }
            return new Found(row.getInt(1), row.getInt(2), row.getString(3), row.getString(4));
        }
    }

    /** Throws if this process may no longer write the queue. Called inside a transaction that has the write lock. */
    public void require(Statements statements) throws SQLException {
        file.requireSame();
        Found found = read(statements);
        if (found.version == MovedMarker.VERSION) {
            throw new MovedMarker(found.name).refusal(file.location());
        }
        if (found.minCompatible > Migrations.CURRENT) {
            throw new IncompatibleStoreException(
                    "%s has schema %d, which needs a newer Windrow (schema %d; this one knows %d): nothing more is written; stop this process and start the newer version"
                            .formatted(file.location(), found.version, found.minCompatible, Migrations.CURRENT));
        }
        if (found.filling != null && !found.filling.equals(filling)) {
            throw new IncompatibleStoreException(
                    "a queue was copied to %s since this process opened it: nothing more is written; close and open the store again"
                            .formatted(file.location()));
        }
    }
}
