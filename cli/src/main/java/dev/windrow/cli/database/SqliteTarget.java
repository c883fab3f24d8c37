package dev.windrow.cli.database;

import dev.windrow.InvalidRequestException;
import dev.windrow.Store;
import dev.windrow.WindrowException;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Program;
import dev.windrow.cli.terminal.TerminalText;
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
 */
public record SqliteTarget(Path file, String text) implements Target {
    static SqliteTarget of(String source, String text, Path folder) {
        try {
            Path path = Path.of(text);
            if (path.endsWith(":memory:")) {
                throw new FailedException("'%s' (%s) is not allowed: jobs in memory end with the command; name a file"
                        .formatted(TerminalText.oneLine(text), source));
            }
            return new SqliteTarget(folder.resolve(path), path.toString());
        } catch (InvalidPathException e) {
            throw new FailedException(
                    "'%s' (%s) is not a valid path: %s".formatted(TerminalText.oneLine(text), source, e.getReason()));
        }
    }

    @Override
    public String name() {
        return TerminalText.oneLine(text);
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
        return "sqlite3 -box %s 'SELECT %s FROM windrow_job_view LIMIT 5'".formatted(Program.quoted(option()), columns);
    }

    @Override
    public OwnFiles ownFiles() {
        return new OwnFiles(file);
    }

    @Override
    public Store store() {
        return SqliteStore.at(file);
    }

    @Override
    public Store storeToRead() {
        return SqliteStore.configure(file).readOnly().build();
    }

    @Override
    public @Nullable String missing() {
        if (!Files.exists(file)) {
            return Files.notExists(file)
                    ? "database " + text + " does not exist"
                    : "cannot read the folder of " + text + ": permission denied";
        }
        return SqliteStore.existsIn(file) ? null : text + " has no queue";
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
            return SqliteStore.at(file).backup(copy);
        } catch (InvalidRequestException e) {
            // The usage is right, but the operation fails.
            throw new FailedException(String.valueOf(e.getMessage()), e);
        }
    }
}
