package dev.windrow.cli;

import dev.windrow.Diagnosis;
import dev.windrow.NewJob;
import dev.windrow.WindrowException;
import dev.windrow.WindrowListener;
import dev.windrow.engine.Windrow;
import dev.windrow.sqlite.SqliteStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.Locale;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The store that a command works on.
 *
 * @param file the SQLite file
 */
record Target(Path file) {
    static final String DEFAULT_FILE = "windrow.db";

    /** What {@code --db} says, else the environment, else the default. */
    static Target of(@Nullable String option) {
        if (option != null) {
            return parse("--db", option);
        }
        String environment = Utf8.variable("WINDROW_DB");
        return environment == null || environment.isEmpty()
                ? parse("--db", DEFAULT_FILE)
                : parse("WINDROW_DB", environment);
    }

    private static Target parse(String source, String text) {
        if (text.isEmpty()) {
            throw Values.notAllowed(source, text, "the path of a SQLite file");
        }
        if (text.toLowerCase(Locale.ROOT).startsWith("jdbc:")) {
            throw new FailedException(
                    "cannot open %s: this build has stores for SQLite files only; give the path of one"
                            .formatted(withoutSecrets(text)));
        }
        try {
            return new Target(Path.of(text));
        } catch (InvalidPathException e) {
            throw new FailedException("'%s' (%s) cannot be the path of a file here: %s"
                    .formatted(Texts.oneLine(text), source, e.getReason()));
        }
    }

    /** A URL may carry a password, as a parameter or before the host. */
    private static String withoutSecrets(String url) {
        return url.replaceFirst("\\?.*", "?...").replaceFirst("//[^/@]*@", "//...@");
    }

    /** A new file in the temp directory, which is kept. */
    static Target temporary() {
        try {
            return new Target(Files.createTempFile("windrow-demo-", ".db"));
        } catch (IOException e) {
            throw new FailedException(
                    "cannot make a database in the temp directory: %s; name a file with --db".formatted(e), e);
        }
    }

    /**
     * Refuses a job whose parents cannot be there because nothing is: opening the store to find that out would make an
     * empty one. Answers the error, or null when all is well.
     */
    @Nullable FailedException missingParent(NewJob<?, ?> job) {
        String missing = job.parents().isEmpty() ? null : missing();
        return missing == null
                ? null
                : new FailedException("parent %d does not exist: %s; name another file with --db or WINDROW_DB"
                        .formatted(job.parents().get(0).id(), missing));
    }

    /** What is not there: the file, or a queue in it. Null when all is. */
    private @Nullable String missing() {
        if (!Files.exists(file)) {
            return "there is no database " + file;
        }
        return SqliteStore.existsIn(file) ? null : "there is no queue in " + file;
    }

    /** Opens the store and makes the file if there is none. */
    Windrow openOrCreate() {
        return open().open();
    }

    /** The same, with somebody who listens. */
    Windrow openOrCreate(WindrowListener listener) {
        return open().listener(listener).open();
    }

    /**
     * Opens a store that is there: looking at a database must not make one by a slip in its name, nor put tables into one
     * that is somebody else's.
     */
    Windrow openExisting() {
        refuse(missing());
        return open().open();
    }

    /** Examines a store without opening it: that would migrate it, and a damaged one refuses. */
    Diagnosis diagnose(boolean quick, Consumer<String> begins) {
        String missing;
        try {
            missing = missing();
        } catch (WindrowException e) {
            // What is wrong with the file is for the examination to say.
            missing = null;
        }
        refuse(missing);
        return Windrow.diagnose(SqliteStore.at(file), quick, begins);
    }

    private static void refuse(@Nullable String missing) {
        if (missing != null) {
            throw new FailedException(
                    missing + "; name another file with --db or WINDROW_DB ('enqueue' and 'work' make a new queue)");
        }
    }

    private Windrow.Builder open() {
        return Windrow.configure(SqliteStore.at(file)).codec(new LateCodec()).actor(actor());
    }

    /** Who the event log names for what is done from here. */
    private static String actor() {
        return "cli:" + System.getProperty("user.name", "?");
    }
}
