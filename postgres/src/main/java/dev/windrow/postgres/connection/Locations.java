package dev.windrow.postgres.connection;

import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;

/** The locations of stores as messages show them, without secrets. */
public final class Locations {
    private Locations() {}

    public static String of(String url, Tables tables) {
        return withoutSecrets(url) + in(tables);
    }

    /** Describes a data source. It need not know its server before it connects, and so it is asked at each connection. */
    public static String of(DataSource source, Tables tables) {
        return "PostgreSQL (" + source.getClass().getSimpleName() + ")" + in(tables);
    }

    /** Describes the location of a connection. */
    public static String of(Connection connection, Tables tables) throws SQLException {
        return of(String.valueOf(connection.getMetaData().getURL()), tables);
    }

    private static String in(Tables tables) {
        return tables.isDefault() ? "" : " (tables %s.%s*)".formatted(tables.schema(), tables.name(""));
    }

    /** Removes the password that a URL may contain, as a parameter or before the host. */
    public static String withoutSecrets(String url) {
        return url.replaceFirst("\\?.*", "").replaceFirst("//[^/@]*@", "//");
    }
}
