package dev.windrow.cli.database;

import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.cli.Config;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Program;
import dev.windrow.cli.Setting;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.terminal.Values;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.postgres.PostgresStore;
import java.nio.file.Path;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A queue in a PostgreSQL database. Commands on a SQLite file load neither this class nor the driver.
 *
 * @param url the place of the database
 * @param view the view of its jobs, by its name in SQL
 * @param postgres the store, not yet opened
 */
public record PostgresTarget(PostgresUrl url, String view, PostgresStore postgres) implements Target {
    static PostgresTarget of(String source, String text, Config config, Consumer<String> warnings) {
        PostgresUrl url = PostgresUrl.parse(source, text);
        PostgresStore.Builder builder = PostgresStore.configure(url.text());
        Config.Given given = config.given(source, Setting.DB_USER);
        String user = url.user() == null && given != null ? given.text() : null;
        if (user != null) {
            builder.user(user);
        }
        String password = password(source, url, config, warnings);
        if (password != null) {
            builder.password(password);
        }
        Config.Given schema = config.given(source, Setting.DB_SCHEMA);
        if (schema != null) {
            Values.named(schema.origin(), () -> builder.schema(schema.text()).build());
        }
        Config.Given prefix = config.given(source, Setting.DB_TABLE_PREFIX);
        if (prefix != null) {
            Values.named(
                    prefix.origin(), () -> builder.tablePrefix(prefix.text()).build());
        }
        String view = (schema == null ? "" : schema.text() + ".") + (prefix == null ? DEFAULT_PREFIX : prefix.text())
                + "job_view";
        return new PostgresTarget(url.withUser(user), view, builder.build());
    }

    /** Returns the URL with user and password, for callers that connect by a URL alone. It must not be shown. */
    public static String whole(String source, String text, Config config, Consumer<String> warnings) {
        PostgresUrl url = PostgresUrl.parse(source, text);
        Config.Given user = config.given(source, Setting.DB_USER);
        return url.with(
                url.user() == null && user != null ? user.text() : null, password(source, url, config, warnings));
    }

    /** Returns the password; null if the driver is to look in {@code ~/.pgpass}, should the server want one at all. */
    private static @Nullable String password(String source, PostgresUrl url, Config config, Consumer<String> warnings) {
        if (url.password() != null) {
            return url.password();
        }
        String own = source.equals("--to") ? config.variable("WINDROW_TO_PASSWORD") : null;
        String password = own == null ? config.variable("WINDROW_DB_PASSWORD") : own;
        if (password != null) {
            return password;
        }
        Config.Given file = config.given(source, Setting.DB_PASSWORD_FILE);
        return file == null ? null : PasswordFile.read(config.folder(), file.text(), file.origin(), warnings);
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
    public Store store() {
        return postgres;
    }

    @Override
    public Store storeToOverwrite() {
        throw new UsageException(
                "--secure is possible for a SQLite file only: a PostgreSQL server keeps deleted rows until VACUUM, and then in its write-ahead log");
    }

    @Override
    public boolean emptyLog() {
        return false;
    }

    @Override
    public Store storeToRead() {
        Diagnosis.Check schema = Windrow.diagnose(
                        postgres, DiagnoseOptions.ALL.withoutIndexes().withChecks(Set.of("schema")))
                .checks()
                .get(0);
        if (!schema.isOk()) {
            throw new FailedException(schema.detail() + "; nothing was changed");
        }
        return postgres;
    }

    @Override
    public @Nullable String missing() {
        return postgres.exists() ? null : name() + " has no queue";
    }

    @Override
    public long backup(Path copy) {
        throw new FailedException(
                "'backup' copies SQLite files only, but the queue is in %s: use pg_dump, or 'windrow copy --to FILE'"
                        .formatted(name()));
    }
}
