package dev.windrow.cli.database;

import dev.windrow.InvalidRequestException;
import dev.windrow.Store;
import dev.windrow.WindrowException;
import dev.windrow.cli.Config;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Program;
import dev.windrow.cli.Setting;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import dev.windrow.sqlite.SqliteStore;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * A queue in a SQLite file.
 *
 * @param file the file
 * @param text the path as the user wrote it, for output
 * @param prefix the prefix of the names of its tables
 */
public record SqliteTarget(Path file, String text, String prefix) implements Target {
    static SqliteTarget of(String source, String text, Config config) {
        try {
            Path path = Path.of(text);
            if (path.endsWith(":memory:")) {
                throw new FailedException("'%s' (%s) is not allowed: jobs in memory end with the command; name a file"
                        .formatted(TerminalText.oneLine(text), source));
            }
            Path file = config.folder().resolve(path);
            Config.Given prefix = config.given(source, Setting.DB_TABLE_PREFIX);
            if (prefix != null) {
                Values.named(
                        prefix.origin(),
                        () -> SqliteStore.configure(file)
                                .tablePrefix(prefix.text())
                                .build());
            }
            return new SqliteTarget(file, path.toString(), prefix == null ? DEFAULT_PREFIX : prefix.text());
        } catch (InvalidPathException e) {
            throw new FailedException(
                    "'%s' (%s) is not a valid path: %s".formatted(TerminalText.oneLine(text), source, e.getReason()));
        }
    }

    @Override
    public String name() {
        return TerminalText.oneLine(text) + (prefix.equals(DEFAULT_PREFIX) ? "" : " (tables " + prefix + "*)");
    }

    @Override
    public String option() {
        return text;
    }

    @Override
    public String absolute() {
        return file.toAbsolutePath().toString();
    }

    @Override
    public String query(String columns) {
        return "sqlite3 -box %s 'SELECT %s FROM %sjob_view LIMIT 5'"
                .formatted(Program.quoted(option()), columns, prefix);
    }

    @Override
    public OwnFiles ownFiles() {
        return new OwnFiles(file);
    }

    private SqliteStore.Builder configured() {
        return SqliteStore.configure(file).tablePrefix(prefix);
    }

    @Override
    public Store store() {
        return configured().build();
    }

    @Override
    public Store storeToRead() {
        return configured().readOnly().build();
    }

    @Override
    public Store storeToOverwrite() {
        return configured().secureDelete().build();
    }

    @Override
    public boolean emptyLog() {
        return configured().build().emptyLog();
    }

    @Override
    public @Nullable String missing() {
        if (!Files.exists(file)) {
            return Files.notExists(file)
                    ? "database " + text + " does not exist"
                    : "cannot read the folder of " + text + ": permission denied";
        }
        return configured().build().exists() ? null : name() + " has no queue";
    }

    /** Leaves problems of the file to the examination. */
    @Override
    public @Nullable String missingForDiagnosis() {
        try {
            return missing();
        } catch (WindrowException e) {
            return null;
        }
    }

    @Override
    public long backup(Path copy) {
        Target.refuse(missing());
        try {
            return configured().build().backup(copy);
        } catch (InvalidRequestException e) {
            // The usage is right, but the operation fails.
            throw new FailedException(String.valueOf(e.getMessage()), e);
        }
    }
}
