package dev.windrow.sqlite.schema;

import dev.windrow.IncompatibleStoreException;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.transfer.MovedMarker;
import java.sql.ResultSet;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * Whether the queue in a file is still the one that was opened, and this code may write it: another process may have migrated it, closed it, begun to
 * copy another one to it, or have done with that; or the file is another one. Looked at in each transaction that writes, under the write lock, so that nothing is written with names and
 * numbers that were learned of another queue. Safe for use by many threads.
 */
public final class SchemaGuard {
    private final SqliteFile file;
    private final @Nullable String filling;

    private SchemaGuard(SqliteFile file, @Nullable String filling) {
        this.file = file;
        this.filling = filling;
    }

    /** As it is now. Before anything else is learned of the file. */
    public static SchemaGuard of(SqliteFile file, Statements statements) throws SQLException {
        return new SchemaGuard(file, read(statements).filling);
    }

    /** The answer to {@link SchemaSql#SCHEMA_STATE}. */
    private record Found(
            int minCompatible,
            int version,
            String name,
            @Nullable String filling) {}

    private static Found read(Statements statements) throws SQLException {
        try (ResultSet row = statements.get(SchemaSql.SCHEMA_STATE).rows()) {
            if (!row.next()) {
                throw new SQLException("windrow_schema is empty");
            }
            return new Found(row.getInt(1), row.getInt(2), row.getString(3), row.getString(4));
        }
    }

    /** Inside a transaction that has the write lock. */
    public void require(Statements statements) throws SQLException {
        file.requireSame();
        Found found = read(statements);
        if (found.version == MovedMarker.VERSION) {
            throw new MovedMarker(found.name).refusal(file.path().toString());
        }
        if (found.minCompatible > Migrations.CURRENT) {
            throw new IncompatibleStoreException(
                    "%s has schema %d, which needs a newer Windrow (schema %d; this one knows %d): nothing more is written; stop this process and start the newer version"
                            .formatted(file.path(), found.version, found.minCompatible, Migrations.CURRENT));
        }
        if (found.filling != null && !found.filling.equals(filling)) {
            throw new IncompatibleStoreException(
                    "a queue was copied to %s since this process opened it: nothing more is written; open it anew"
                            .formatted(file.path()));
        }
    }
}
