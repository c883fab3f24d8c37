package dev.windrow.postgres.connection;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** Says where a store is, for people, without secrets. */
public final class Locations {
    private Locations() {}

    public static String of(String url, Tables tables) {
        return withoutSecrets(url) + in(tables);
    }

    /** A data source need not know where it leads before it has; this one is asked when somebody connects. */
    public static String of(DataSource source, Tables tables) {
        return "PostgreSQL (" + source.getClass().getSimpleName() + ")" + in(tables);
    }

    /** The same, asked of a connection. */
    public static String of(Connection connection, Tables tables) throws SQLException {
        return of(String.valueOf(connection.getMetaData().getURL()), tables);
    }

    private static String in(Tables tables) {
        return tables.schema().equals(Tables.DEFAULT_SCHEMA) && tables.name("").equals(Tables.DEFAULT_PREFIX)
                ? ""
                : " (tables %s.%s*)".formatted(tables.schema(), tables.name(""));
    }

    /** A URL may carry a password, as a parameter or before the host. */
    public static String withoutSecrets(String url) {
        return url.replaceFirst("\\?.*", "").replaceFirst("//[^/@]*@", "//");
    }
}
