package dev.windrow.postgres.connection;

import dev.windrow.IncompatibleStoreException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The servers that use PostgreSQL's protocol and lack features that a store needs. docs/postgres.md has the list. */
public final class UnfitServers {
    private static final String VERSION = "SELECT version()";
    /** The parts of the server's version text, and the missing feature for each. */
    private static final Map<String, String> REASONS = Map.of(
            "CockroachDB",
            "it lacks pg_current_xact_id and pg_xact_status, which the store needs to read the status of a commit whose answer was lost",
            "-YB-",
            "it is YugabyteDB, whose transactions have no numbers for pg_xact_status, which the store needs to read the status of a commit whose answer was lost");

    private UnfitServers() {}

    /** Refuses a server whose version names an unfit one. */
    public static void require(Connection connection, String location) throws SQLException {
        String version = version(connection);
        REASONS.forEach((name, reason) -> {
            if (version.contains(name)) {
                throw new IncompatibleStoreException(
                        "%s cannot be used: the server is %s, and %s".formatted(location, version, reason));
            }
        });
    }

    /**
     * Returns the refusal of a server that does not fit, if the first statement on its connection has failed for that reason. Returns null if it
     * fits.
     */
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
