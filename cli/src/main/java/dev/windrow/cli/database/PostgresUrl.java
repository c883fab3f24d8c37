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
 * A JDBC URL of a PostgreSQL database, taken apart so that its password is in one place only. Nothing that is refused is
 * repeated in the error: what cannot be read may be a password that was written wrongly.
 *
 * @param server all before the question mark
 * @param parameters those behind it, as they were written, without the password
 * @param user who connects, as far as it is known here
 * @param password decoded; null if there is none
 */
public record PostgresUrl(
        String server,
        List<String> parameters,
        @Nullable String user,
        @Nullable String password) {
    private static final String SCHEME = "jdbc:postgresql:";

    /** The driver takes these for the parts of the server. */
    private static final List<String> OF_SERVER = List.of("host", "port", "dbname");

    /** What the driver logs is in its exceptions as well, or is a whole URL. Held here: a logger that nobody holds is forgotten. */
    private static final Logger DRIVERS = Logger.getLogger("org.postgresql");

    static {
        DRIVERS.setLevel(Level.OFF);
    }

    public static PostgresUrl parse(String source, String text) {
        int end = text.indexOf('?');
        String server = SCHEME + text.substring(SCHEME.length(), end < 0 ? text.length() : end);
        if (server.contains("@")) {
            throw new UsageException(
                    "%s: no user and no password is allowed before the host: give ?user=NAME or WINDROW_DB_USER, and WINDROW_DB_PASSWORD"
                            .formatted(source));
        }
        try {
            Driver driver = DriverManager.getDriver(SCHEME);
            PostgresUrl url = parse(source, server, end < 0 ? "" : text.substring(end + 1), known(driver));
            if (driver.acceptsURL(url.text())) {
                return url;
            }
        } catch (SQLException e) {
            throw new FailedException("%s: there is no PostgreSQL driver: %s".formatted(source, e.getMessage()), e);
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
                continue; // as a script gives it whose variable is not set
            }
            if (name.equals("password")) {
                password = decoded(source, value);
            } else if (known.contains(name)) {
                parameters.add(words[i]);
                user = name.equals("user") ? decoded(source, value) : user;
            } else if (!words[i].isEmpty()) {
                throw new UsageException(
                        "%s: parameter %d of the URL is none of the PostgreSQL driver's; in a value, & is written %%26"
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

    /** As the driver decodes it. */
    private static String decoded(String source, String value) {
        try {
            return URLDecoder.decode(value, StandardCharsets.UTF_8);
        } catch (IllegalArgumentException e) {
            throw unreadable(source);
        }
    }

    private static UsageException unreadable(String source) {
        return new UsageException(
                "%s: the PostgreSQL driver cannot read this URL; allowed: %s; in a value, %% is written %%25"
                        .formatted(source, Target.ALLOWED));
    }

    /** The same for whoever may repeat it: with somebody who connects if it names nobody, and without the password. */
    PostgresUrl withUser(@Nullable String other) {
        return new PostgresUrl(server, parameters, user == null ? other : user, null);
    }

    /** For the driver: without the password, which errors would repeat. */
    String text() {
        return text(parameters);
    }

    /** For the driver alone. */
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

    /** For people. */
    public String shown() {
        return text(parameters.stream()
                .filter(each -> !each.startsWith("sslpassword="))
                .toList());
    }

    private String text(List<String> some) {
        return server + some.stream().collect(Collectors.joining("&", some.isEmpty() ? "" : "?", ""));
    }

    /** As PostgreSQL's own programs take it; they have other parameters. */
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

    /** Without the password. */
    @Override
    public String toString() {
        return shown();
    }
}
