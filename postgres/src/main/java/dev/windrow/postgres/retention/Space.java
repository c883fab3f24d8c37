package dev.windrow.postgres.retention;

import dev.windrow.postgres.connection.Database;
import dev.windrow.postgres.connection.PostgresErrors;
import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.connection.Tables;
import dev.windrow.retention.SizeChange;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.SortedMap;
import java.util.TreeMap;

/** The space that the tables occupy. */
public final class Space {
    private Space() {}

    /**
     * Vacuums the tables one after the other, as the autovacuum of the server does. The server skips tables that the user may not vacuum, with a
     * warning.
     */
    public static SizeChange vacuum(Database database) throws SQLException {
        try (Session session = database.borrowPatient()) {
            SortedMap<String, Long> before = sizes(session, database.tables());
            session.commit();
            session.connection().setAutoCommit(true);
            try (Statement statement = session.connection().createStatement()) {
                for (String table : before.keySet()) {
                    statement.execute("VACUUM (ANALYZE) \"%s\".\"%s\""
                            .formatted(database.tables().schema(), table.replace("\"", "\"\"")));
                    if (statement.getWarnings() != null) {
                        throw new SQLException(
                                statement.getWarnings().getMessage()
                                        + "; the owner of the tables may vacuum them, and from PostgreSQL 17 on a user with MAINTAIN",
                                PostgresErrors.NO_PRIVILEGE);
                    }
                }
            } finally {
                session.connection().setAutoCommit(false);
            }
            return new SizeChange(sum(before), sum(sizes(session, database.tables())));
        }
    }

    private static long sum(SortedMap<String, Long> sizes) {
        return sizes.values().stream().mapToLong(Long::longValue).sum();
    }

    private static SortedMap<String, Long> sizes(Session session, Tables tables) throws SQLException {
        SortedMap<String, Long> sizes = new TreeMap<>();
        try (ResultSet rows = session.get(RetentionSql.TABLE_SIZES)
                .set(1, tables.schema())
                .set(2, tables.name(""))
                .rows()) {
            while (rows.next()) {
                sizes.put(rows.getString(1), rows.getLong(2));
            }
        }
        return sizes;
    }
}
