package dev.windrow.cli.database;

import dev.windrow.EventLevel;
import dev.windrow.JobRequest;
import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.cli.Config;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Setting;
import dev.windrow.cli.UsageException;
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

/** The place of a command's queue. */
public sealed interface Target permits SqliteTarget, PostgresTarget {
    /** The default file. */
    String DEFAULT_FILE = "windrow.db";

    /** The default prefix of the names of tables. */
    String DEFAULT_PREFIX = "windrow_";

    /** The allowed values, for errors. */
    String ALLOWED = "the path of a SQLite file, or jdbc:postgresql://host:port/database?user=name";

    /**
     * Returns the target: by {@code --db}, else by the environment, else by the configuration file, else the default.
     *
     * @param warnings gets warnings about settings that work but should be changed
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

    /** Returns the target of {@code --to}. */
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
        // Any other URL may contain a password as well, so only its scheme is shown.
        if (start.startsWith("jdbc:") || start.startsWith("postgres:") || start.startsWith("postgresql:")) {
            String scheme = text.substring(0, text.indexOf(':', start.startsWith("jdbc:") ? "jdbc:".length() : 0) + 1);
            throw Values.notAllowed(source, (scheme.isEmpty() ? "jdbc:" : scheme) + "...", ALLOWED);
        }
        return SqliteTarget.of(source, text, config);
    }

    /** Returns a new file in the temp directory, which is kept. */
    static Target temporary(Config config) {
        try {
            Path file = Files.createTempFile("windrow-demo-", ".db");
            return SqliteTarget.of("--db", file.toString(), config);
        } catch (IOException e) {
            throw new FailedException(
                    "cannot create a database in the temp directory: %s; name a file with --db".formatted(e), e);
        }
    }

    /** The name for output, without secrets. */
    String name();

    /** The value for {@code --db} from this folder, without secrets. */
    String option();

    /** The value for {@code --db} from any folder, without secrets. */
    String absolute();

    /** Returns a shell line by which the database's own program prints these columns of some jobs. */
    String query(String columns);

    /** The files of this process's database, which no other code of the process may open. */
    OwnFiles ownFiles();

    /** The store. */
    Store store();

    /** The same store for commands that only read. It creates no file, migrates nothing, and refuses each change. */
    Store storeToRead();

    /**
     * Returns the same store for commands that overwrite deleted content.
     *
     * @throws UsageException if the database cannot do that
     */
    Store storeToOverwrite();

    /** Removes deleted content from the log. Returns false if another process reads the log. */
    boolean emptyLog();

    /** Returns the reason why there is no queue, as a sentence; null if there is one. */
    @Nullable String missing();

    /** Returns the same before an examination, which continues with a damaged store. */
    default @Nullable String missingForDiagnosis() {
        return missing();
    }

    /**
     * Returns an error for a job with parents if there is no queue; null if all is well. Opening the store to find
     * that out would create an empty one.
     */
    default @Nullable FailedException missingParent(JobRequest<?, ?> job) {
        String missing = job.parents().isEmpty() ? null : missing();
        return missing == null
                ? null
                : new FailedException("parent %d does not exist: %s; name another database with --db or WINDROW_DB"
                        .formatted(job.parents().get(0).id(), missing));
    }

    /** Opens the store and creates a missing database or queue. */
    default Windrow openOrCreate() {
        return configure(store()).open();
    }

    /**
     * Opens the store, and creates a missing database or queue, with a listener, a level of events and perhaps an
     * automatic retry of dead letters.
     */
    default Windrow openOrCreate(
            WindrowListener listener, EventLevel events, @Nullable DeadLetterRetry deadLetterRetry) {
        Windrow.Builder builder = configure(store()).listener(listener).events(events);
        return (deadLetterRetry == null ? builder : builder.deadLetterRetry(deadLetterRetry)).open();
    }

    /**
     * Opens an existing store. Reading a database must not create one after a typing error in its name, nor create
     * tables in a foreign one.
     */
    default Windrow openExisting() {
        refuse(missing());
        return configure(store()).open();
    }

    /** Opens an existing store so that deleted content is overwritten. */
    default Windrow openToOverwrite() {
        Store store = storeToOverwrite();
        refuse(missing());
        return configure(store).open();
    }

    /** Opens an existing store to read it, also if it cannot be written. */
    default Windrow openToRead() {
        refuse(missing());
        return configure(storeToRead()).open();
    }

    /**
     * Examines a store without opening it. Opening would migrate it, and fails for a damaged one.
     *
     * @param budget the time limit; null for none
     */
    default Diagnosis diagnose(boolean quick, @Nullable Duration budget, Consumer<String> begins) {
        refuse(missingForDiagnosis());
        DiagnoseOptions options = DiagnoseOptions.ALL.withProgress(begins);
        options = quick ? options.withoutIndexes() : options;
        return Windrow.diagnose(store(), budget == null ? options : options.withBudget(budget));
    }

    /** Copies the database to a new file while all processes continue, and returns the length of the copy. */
    long backup(Path copy);

    /** Throws if a reason is given. */
    static void refuse(@Nullable String missing) {
        if (missing != null) {
            throw new FailedException(
                    missing + "; name another database with --db or WINDROW_DB ('enqueue' and 'work' create a queue)");
        }
    }

    private static Windrow.Builder configure(Store store) {
        return Windrow.configure(store).codec(new LateCodec()).actor(actor());
    }

    /** The actor in the event log for changes by this command. */
    private static String actor() {
        return "cli:" + System.getProperty("user.name", "?");
    }
}
