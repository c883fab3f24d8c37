package dev.windrow.sqlite.connection;

import dev.windrow.sqlite.job.JobSql;
import dev.windrow.store.sql.connection.TablePrefix;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The prefix of a queue's tables. It translates a statement in the form of {@link JobSql} into one for these tables. With the default prefix the
 * statement stays as it is. Safe for use by many threads.
 */
public final class Tables {
    public static final Tables DEFAULT = new Tables(TablePrefix.DEFAULT);

    private final TablePrefix prefix;
    private final ConcurrentHashMap<String, String> texts = new ConcurrentHashMap<>();

    public Tables(String prefix) {
        this.prefix = new TablePrefix(prefix);
    }

    /** Returns the name of an object of the queue, as {@code windrow_jobs} is in the default tables. */
    public String name(String object) {
        return prefix.text() + object;
    }

    /** Returns the addition to the name of the file in messages: empty for the default tables. */
    public String suffix() {
        return prefix.isDefault() ? "" : " (tables %s)".formatted(name("*"));
    }

    /** Returns the name of the queue for the names of threads. */
    String label() {
        return prefix.isDefault() ? "" : "-" + prefix.text().replaceFirst("_+$", "");
    }

    /** Returns the statement for these tables, and remembers it: the statement is a constant. */
    String text(String sql) {
        return prefix.isDefault() ? sql : texts.computeIfAbsent(sql, this::translate);
    }

    /** Returns any text for these tables: a statement that is used once, or the name of an index. */
    public String translate(String sql) {
        return prefix.isDefault() ? sql : prefix.in(sql, "");
    }
}
