package dev.windrow.postgres.connection;

import dev.windrow.IncompatibleStoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Servers that speak PostgreSQL's protocol and do not have what a store needs; docs/postgres.md has the list. */
public final class UnfitServers {
    private static final String VERSION = "SELECT version()";
    /** What the server's version says, and what is missing. */
    private static final Map<String, String> REASONS = Map.of(
            "CockroachDB",
            "it lacks pg_current_xact_id and pg_xact_status, by which the store finds out whether a lost commit stands",
            "-YB-",
            "it is YugabyteDB, whose transactions have no numbers that pg_xact_status knows, by which the store finds out whether a lost commit stands");

    private UnfitServers() {}

    /** Refuses a server whose version names one that does not fit. */
    public static void require(Connection connection, String location) throws SQLException {
        String version = version(connection);
        REASONS.forEach((name, reason) -> {
            if (version.contains(name)) {
                throw new IncompatibleStoreException(
                        "%s cannot be used: the server is %s, and %s".formatted(location, version, reason));
            }
        });
    }

    /** Why the first statement on a connection has failed, if that is so because the server does not fit; null otherwise. */
    static @Nullable IncompatibleStoreException refusal(Connection connection, SQLException e) {
        try {
            connection.rollback();
            require(connection, "the database");
        } catch (IncompatibleStoreException refusal) {
            return refusal;
        } catch (SQLException unknown) {
            e.addSuppressed(unknown);
        }
        return null;
    }

    private static String version(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(VERSION)) {
            row.next();
            return row.getString(1);
        }
    }
}
