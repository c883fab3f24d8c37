package dev.windrow.cli.database;

import dev.windrow.JobRequest;
import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.cli.Config;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Setting;
import dev.windrow.cli.terminal.Values;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.monitor.WindrowListener;
import dev.windrow.retention.DeadLetterRetry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The place where a command finds its queue. */
public sealed interface Target permits SqliteTarget, PostgresTarget {
    /** The file with the jobs if no other place is named. */
    String DEFAULT_FILE = "windrow.db";

    /** What may be given, for errors. */
    String ALLOWED = "the path of a SQLite file, or jdbc:postgresql://host:port/database?user=name";

    /**
     * What {@code --db} says, else the environment, else the configuration file, else the default.
     *
     * @param warnings told what works and should not stay as it is
     */
    static Target of(@Nullable String option, Config config, Consumer<String> warnings) {
        if (option != null) {
            return parse("--db", option, config, warnings);
        }
        Config.Given given = config.given(Setting.DB);
        return given == null
                ? parse("--db", DEFAULT_FILE, config, warnings)
                : parse(given.origin(), given.text(), config, warnings);
    }

    /** What {@code --to} says. */
    static Target to(String option, Config config, Consumer<String> warnings) {
        return parse("--to", option, config, warnings);
    }

    private static Target parse(String source, String text, Config config, Consumer<String> warnings) {
        if (text.isEmpty()) {
            throw Values.notAllowed(source, text, ALLOWED);
        }
        String start = text.toLowerCase(Locale.ROOT);
        if (start.startsWith("jdbc:postgresql:")) {
            return PostgresTarget.of(source, text, config, warnings);
        }
        // Whatever else is a URL may hold a password as well, so no more of it is shown than what it begins with.
        if (start.startsWith("jdbc:") || start.startsWith("postgres:") || start.startsWith("postgresql:")) {
            String scheme = text.substring(0, text.indexOf(':', start.startsWith("jdbc:") ? "jdbc:".length() : 0) + 1);
            throw Values.notAllowed(source, (scheme.isEmpty() ? "jdbc:" : scheme) + "...", ALLOWED);
        }
        return SqliteTarget.of(source, text, config.folder());
    }

    /** A new file in the temp directory, which is kept. */
    static Target temporary() {
        try {
            Path file = Files.createTempFile("windrow-demo-", ".db");
            return new SqliteTarget(file, file.toString());
        } catch (IOException e) {
            throw new FailedException(
                    "cannot make a database in the temp directory: %s; name one with --db".formatted(e), e);
        }
    }

    /** For people, without secrets. */
    String name();

    /** As {@code --db} takes it, from this folder; without secrets. */
    String option();

    /** As {@code --db} takes it, from wherever; without secrets. */
    String absolute();

    /** A line of shell that asks the database's own program for these columns of some jobs. */
    String query(String columns);

    /** The files of this process's database, which nobody else here may open. */
    OwnFiles ownFiles();

    /** The store. */
    Store store();

    /** The same store for commands that only look: it creates no file, migrates nothing, and refuses each change. */
    Store storeToRead();

    /** The part that is missing, the database or a queue in it; null if none is. */
    @Nullable String missing();

    /** The same before an examination, which may go on with what is damaged. */
    default @Nullable String missingForDiagnosis() {
        return missing();
    }

    /**
     * Refuses a job whose parents cannot be there because nothing is: opening the store to find that out would make an
     * empty one. Answers the error, or null when all is well.
     */
    default @Nullable FailedException missingParent(JobRequest<?, ?> job) {
        String missing = job.parents().isEmpty() ? null : missing();
        return missing == null
                ? null
                : new FailedException("parent %d does not exist: %s; name another database with --db or WINDROW_DB"
                        .formatted(job.parents().get(0).id(), missing));
    }

    /** Opens the store and makes what is not there. */
    default Windrow openOrCreate() {
        return configure(store()).open();
    }

    /** The same, with somebody who listens, and perhaps somebody who retries what has failed. */
    default Windrow openOrCreate(WindrowListener listener, @Nullable DeadLetterRetry deadLetterRetry) {
        Windrow.Builder builder = configure(store()).listener(listener);
        return (deadLetterRetry == null ? builder : builder.deadLetterRetry(deadLetterRetry)).open();
    }

    /**
     * Opens a store that is there: looking at a database must not make one by a slip in its name, nor put tables into one
     * that is somebody else's.
     */
    default Windrow openExisting() {
        refuse(missing());
        return configure(store()).open();
    }

    /** Opens a store that is there to look at it: also where nothing can be written. */
    default Windrow openToRead() {
        refuse(missing());
        return configure(storeToRead()).open();
    }

    /**
     * Examines a store without opening it: that would migrate it, and a damaged one refuses.
     *
     * @param budget how long it may take; null: as long as it takes
     */
    default Diagnosis diagnose(boolean quick, @Nullable Duration budget, Consumer<String> begins) {
        refuse(missingForDiagnosis());
        DiagnoseOptions options = DiagnoseOptions.ALL.withProgress(begins);
        options = quick ? options.withoutIndexes() : options;
        return Windrow.diagnose(store(), budget == null ? options : options.withBudget(budget));
    }

    /** Copies the database to a new file while everybody goes on; answers the length of the copy. */
    long backup(Path copy);

    /** Fails, if something is missing. */
    static void refuse(@Nullable String missing) {
        if (missing != null) {
            throw new FailedException(missing
                    + "; name another database with --db or WINDROW_DB ('enqueue' and 'work' make a new queue)");
        }
    }

    private static Windrow.Builder configure(Store store) {
        return Windrow.configure(store).codec(new LateCodec()).actor(actor());
    }

    /** Who the event log names for what is done from here. */
    private static String actor() {
        return "cli:" + System.getProperty("user.name", "?");
    }
}
