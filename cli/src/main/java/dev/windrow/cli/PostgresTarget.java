package dev.windrow.cli;

import dev.windrow.postgres.PostgresStore;
import dev.windrow.store.CopyableStore;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queue in a PostgreSQL database. No command on a SQLite file loads this class, nor the driver.
 *
 * @param url where the database is
 * @param view the view of its jobs, as SQL names it
 * @param postgres the store, not yet opened
 */
record PostgresTarget(PostgresUrl url, String view, PostgresStore postgres) implements Target {
    private static final String USER = "WINDROW_DB_USER";
    private static final String SCHEMA = "WINDROW_DB_SCHEMA";
    private static final String TABLE_PREFIX = "WINDROW_DB_TABLE_PREFIX";

    static PostgresTarget of(String source, String text, Consumer<String> warnings) {
        PostgresUrl url = PostgresUrl.parse(source, text);
        PostgresStore.Builder builder = PostgresStore.configure(url.text());
        String user = url.user() == null ? variable(source, USER) : null;
        if (user != null) {
            builder.user(user);
        }
        String password = password(source, url, warnings);
        if (password != null) {
            builder.password(password);
        }
        String schema = variable(source, SCHEMA);
        if (schema != null) {
            Values.named(SCHEMA, () -> builder.schema(schema).build());
        }
        String prefix = variable(source, TABLE_PREFIX);
        if (prefix != null) {
            Values.named(TABLE_PREFIX, () -> builder.tablePrefix(prefix).build());
        }
        String view = (schema == null ? "" : schema + ".") + (prefix == null ? "windrow_" : prefix) + "job_view";
        return new PostgresTarget(url.withUser(user), view, builder.build());
    }

    /** For those who connect by a URL alone: with user and password, so not to be shown. */
    static String whole(String source, String text, Consumer<String> warnings) {
        PostgresUrl url = PostgresUrl.parse(source, text);
        return url.with(url.user() == null ? variable(source, USER) : null, password(source, url, warnings));
    }

    /** Null: what the driver finds by itself, in {@code ~/.pgpass}, if the server wants one at all. */
    private static @Nullable String password(String source, PostgresUrl url, Consumer<String> warnings) {
        if (url.password() != null) {
            return url.password();
        }
        String password = variable(source, "WINDROW_DB_PASSWORD");
        if (password != null) {
            return password;
        }
        String file = variable(source, PasswordFile.VARIABLE);
        return file == null ? null : PasswordFile.read(file, warnings);
    }

    /** Where a copy goes may have a user, a password and tables of its own. */
    private static @Nullable String variable(String source, String name) {
        String own = source.equals("--to") ? variable(name.replace("WINDROW_DB_", "WINDROW_TO_")) : null;
        return own == null ? variable(name) : own;
    }

    /** One that is set to nothing is not set, as in a script. */
    private static @Nullable String variable(String name) {
        String value = Utf8.variable(name);
        return value == null || value.isEmpty() ? null : value;
    }

    @Override
    public String name() {
        return postgres.location();
    }

    @Override
    public String option() {
        return url.shown();
    }

    @Override
    public String absolute() {
        return url.shown();
    }

    @Override
    public String query(String columns) {
        return "psql %s -c 'SELECT %s FROM %s LIMIT 5'".formatted(Program.quoted(url.forPsql()), columns, view);
    }

    @Override
    public OwnFiles ownFiles() {
        return new OwnFiles();
    }

    @Override
    public CopyableStore store() {
        return postgres;
    }

    @Override
    public @Nullable String missing() {
        boolean there = false;
        try {
            there = postgres.exists();
        } finally {
            if (!there) {
                postgres.close();
            }
        }
        return there ? null : "there is no queue in " + name();
    }

    @Override
    public long backup(Path copy) {
        throw new FailedException(
                "'backup' copies a SQLite file, and the queue is in %s: use PostgreSQL's own pg_dump, or 'windrow copy --to FILE'"
                        .formatted(name()));
    }
}
