package dev.windrow.store.sql.connection;

import dev.windrow.InvalidRequestException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The prefix of the names of a queue's tables, indexes, views and triggers. Several queues with different prefixes may share a database. Statements
 * and scripts are written with the default prefix.
 *
 * @param text 1 to 30 of {@code a-z 0-9 _}, not beginning with a digit or {@code sqlite_}
 */
public record TablePrefix(String text) {
    /** The prefix in the texts of statements and scripts. */
    public static final String DEFAULT = "windrow_";

    /** SQLite reserves names that begin with {@code sqlite_}. They are refused in both stores, because a queue may move from one to the other. */
    private static final Pattern ALLOWED = Pattern.compile("(?!sqlite_)[a-z_][a-z0-9_]{0,29}");

    /**
     * A name, or a pattern of names. A channel of notifications ends with the prefix itself. The look behind comes after the fixed text, because at each
     * character it took a large part of the time in which a store opens.
     */
    private static final Pattern NAME =
            Pattern.compile(DEFAULT + "(?<=\\b(sqlite_autoindex_)?" + DEFAULT + ")(?=[a-z*?])");

    /**
     * Checks the prefix.
     *
     * @throws InvalidRequestException if it is not allowed
     */
    public TablePrefix {
        if (!ALLOWED.matcher(text).matches()) {
            throw new InvalidRequestException(
                    "table prefix '%s' is not allowed: 1 to 30 of a-z 0-9 _, not beginning with a digit or sqlite_"
                            .formatted(text));
        }
    }

    /** True for the prefix of stores that were given none. */
    public boolean isDefault() {
        return text.equals(DEFAULT);
    }

    /** Returns the statement with this prefix in all names, and the qualifier before it. */
    public String in(String sql, String qualifier) {
        return NAME.matcher(sql).replaceAll(Matcher.quoteReplacement(qualifier + text));
    }
}
