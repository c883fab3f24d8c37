package dev.windrow.postgres.connection;

import dev.windrow.InvalidRequestException;
import dev.windrow.postgres.job.JobSql;
import dev.windrow.store.sql.connection.TablePrefix;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The schema and the prefix of a store's tables. It translates a statement in the form of {@link JobSql} into one for these tables. In that form a
 * table is named {@code windrow_jobs} and a parameter {@code $1}, so that it can be pasted into {@code psql}. JDBC needs {@code ?}. Safe for use by
 * many threads.
 */
public final class Tables {
    public static final String DEFAULT_SCHEMA = "public";

    /**
     * The form of a schema. Schema and prefix are short enough that the longest name of an index, 25 characters and the prefix, fits PostgreSQL's 63.
     */
    private static final Pattern SCHEMA = Pattern.compile("[a-z_][a-z0-9_]{0,49}");

    private static final Pattern PARAMETER = Pattern.compile("\\$([0-9]+)");

    private final String schema;
    private final TablePrefix prefix;
    private final ConcurrentHashMap<String, Text> texts = new ConcurrentHashMap<>();

    /**
     * A statement in the form of JDBC.
     *
     * @param sql the text with question marks
     * @param order the number of the parameter of each question mark
     */
    public record Text(String sql, List<Integer> order) {}

    public Tables(String schema, String prefix) {
        if (!SCHEMA.matcher(schema).matches() || schema.startsWith("pg_")) {
            throw new InvalidRequestException(
                    "schema '%s' is not allowed: 1 to 50 of a-z 0-9 _, not beginning with a digit or pg_"
                            .formatted(schema));
        }
        this.schema = schema;
        this.prefix = new TablePrefix(prefix);
    }

    public String schema() {
        return schema;
    }

    /** True if schema and prefix are the default ones. */
    boolean isDefault() {
        return schema.equals(DEFAULT_SCHEMA) && prefix.isDefault();
    }

    /** Returns the name of a table or view of this store without the schema, as {@code windrow_jobs} is in the default one. */
    public String name(String table) {
        return prefix.text() + table;
    }

    /** Returns the channel of this store's notifications. It has at most 63 characters, for any length of schema and prefix. */
    public String channel() {
        String names = prefix.text();
        return isDefault()
                ? "windrow"
                : "windrow." + Integer.toHexString((schema + "." + names).hashCode()) + "."
                        + schema.substring(0, Math.min(20, schema.length())) + "."
                        + names.substring(0, Math.min(20, names.length()));
    }

    /** Returns the statement for this schema and prefix. */
    public Text text(String sql) {
        return texts.computeIfAbsent(sql, this::translate);
    }

    private Text translate(String sql) {
        List<Integer> order = new ArrayList<>();
        Matcher parameter = PARAMETER.matcher(inSchema(sql));
        StringBuilder out = new StringBuilder();
        while (parameter.find()) {
            order.add(Integer.valueOf(parameter.group(1)));
            parameter.appendReplacement(out, "?");
        }
        return new Text(parameter.appendTail(out).toString(), List.copyOf(order));
    }

    /** Adds the schema before each name. */
    public String inSchema(String sql) {
        return prefix.in(sql, '"' + schema + "\".");
    }

    /** Adds the prefix only, because a new index must not name a schema. The schema must be the first of the search path. */
    public String unqualified(String sql) {
        return prefix.in(sql, "");
    }
}
