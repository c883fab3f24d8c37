package dev.windrow.cli.database;

import dev.windrow.cli.FailedException;
import dev.windrow.cli.UsageException;
import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.DriverPropertyInfo;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * A JDBC URL of a PostgreSQL database in its parts, so that its password is in one place only. Errors do not repeat
 * refused text, because it may be a mistyped password.
 *
 * @param server the part before the question mark
 * @param parameters the parameters after it, as the user wrote them, without the password
 * @param user the user, if known here
 * @param password the decoded password; null if there is none
 */
public record PostgresUrl(
        String server,
        List<String> parameters,
        @Nullable String user,
        @Nullable String password) {
    private static final String SCHEME = "jdbc:postgresql:";

    /** The parameters that the driver uses as parts of the server. */
    private static final List<String> OF_SERVER = List.of("host", "port", "dbname");

    /**
     * The driver's logger, which is off: its messages are in its exceptions too, or contain a whole URL. The field
     * keeps it from garbage collection.
     */
    private static final Logger DRIVERS = Logger.getLogger("org.postgresql");

    static {
        DRIVERS.setLevel(Level.OFF);
    }

    public static PostgresUrl parse(String source, String text) {
        int end = text.indexOf('?');
        String server = SCHEME + text.substring(SCHEME.length(), end < 0 ? text.length() : end);
        if (server.contains("@")) {
            throw new UsageException(
                    "%s: a user or password before the host is not allowed: use ?user=NAME or WINDROW_DB_USER, and WINDROW_DB_PASSWORD"
                            .formatted(source));
        }
        try {
            Driver driver = DriverManager.getDriver(SCHEME);
            PostgresUrl url = parse(source, server, end < 0 ? "" : text.substring(end + 1), known(driver));
            if (driver.acceptsURL(url.text())) {
                return url;
            }
        } catch (SQLException e) {
            throw new FailedException("%s: the PostgreSQL driver is missing: %s".formatted(source, e.getMessage()), e);
        }
        throw unreadable(source);
    }

    private static PostgresUrl parse(String source, String server, String afterwards, Set<String> known) {
        List<String> parameters = new ArrayList<>();
        String user = null;
        String password = null;
        String[] words = afterwards.split("&", -1);
        for (int i = 0; i < words.length; i++) {
            int equals = words[i].indexOf('=');
            String name = equals < 0 ? words[i] : words[i].substring(0, equals);
            String value = equals < 0 ? "" : words[i].substring(equals + 1);
            if (value.isEmpty() && (name.equals("user") || name.equals("password"))) {
                continue; // an unset variable of a script
            }
            if (name.equals("password")) {
                password = decoded(source, value);
            } else if (known.contains(name)) {
                parameters.add(words[i]);
                user = name.equals("user") ? decoded(source, value) : user;
            } else if (!words[i].isEmpty()) {
                throw new UsageException(
                        "%s: the PostgreSQL driver does not know parameter %d of the URL; in a value, write & as %%26"
                                .formatted(source, i + 1));
            }
        }
        return new PostgresUrl(server, List.copyOf(parameters), user, password);
    }

    private static Set<String> known(Driver driver) throws SQLException {
        Set<String> known = Arrays.stream(driver.getPropertyInfo(SCHEME, new Properties()))
                .map((DriverPropertyInfo each) -> each.name)
                .collect(Collectors.toCollection(HashSet::new));
        known.addAll(OF_SERVER);
        return known;
    }

    /** Decodes a value like the driver. */
    private static String decoded(String source, String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw unreadable(source);
        }
    }

    private static UsageException unreadable(String source) {
        return new UsageException(
                "%s: the PostgreSQL driver cannot read this URL; allowed: %s; in a value, write %% as %%25"
                        .formatted(source, Target.ALLOWED));
    }

    /** Returns the URL for code that may repeat it: with the given user if it names none, and without the password. */
    PostgresUrl withUser(@Nullable String other) {
        return new PostgresUrl(server, parameters, user == null ? other : user, null);
    }

    /** Returns the URL for the driver, without the password, because errors would repeat it. */
    String text() {
        return text(parameters);
    }

    /** Returns the URL with user and password, for the driver alone. */
    String with(@Nullable String otherUser, @Nullable String secret) {
        List<String> all = new ArrayList<>(parameters);
        if (otherUser != null) {
            all.add("user=" + URLEncoder.encode(otherUser, StandardCharsets.UTF_8));
        }
        if (secret != null) {
            all.add("password=" + URLEncoder.encode(secret, StandardCharsets.UTF_8));
        }
        return text(all);
    }

    /** Returns the URL for output, without secrets. */
    public String shown() {
        return text(parameters.stream()
                .filter(each -> !each.startsWith("sslpassword="))
                .toList());
    }

    private String text(List<String> some) {
        return server + some.stream().collect(Collectors.joining("&", some.isEmpty() ? "" : "?", ""));
    }

    /** Returns the URL for PostgreSQL's own programs, which have other parameters. */
    String forPsql() {
        String place = server.substring("jdbc:".length());
        if (!place.startsWith("postgresql://")) {
            place = "postgresql://localhost/" + place.substring("postgresql:".length());
        }
        return user == null
                ? place
                : place + "?user="
                        + URLEncoder.encode(user, StandardCharsets.UTF_8).replace("+", "%20");
    }

    /** Returns the URL without the password. */
    @Override
    public String toString() {
        return shown();
    }
}
