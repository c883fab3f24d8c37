package dev.windrow.cli;

import dev.windrow.EventLevel;
import dev.windrow.Windrow;
import dev.windrow.cli.database.Target;
import dev.windrow.cli.terminal.Console;
import dev.windrow.cli.terminal.Values;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/**
 * The base of all commands: the common options, which the user may write before or after the command, and the
 * streams.
 */
public abstract class CliCommand implements Callable<Integer> {
    private final Main main;
    private @Nullable Target target;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    @SuppressWarnings("unused") // the parser reads it, prints the help and stops
    private boolean help;

    public CliCommand(Main main) {
        this.main = main;
    }

    /** Does the work of the command. A thrown exception becomes the exit status. */
    public abstract void run() throws Exception;

    /** True if the command accepts words after {@code --}. */
    public boolean takesCommand() {
        return false;
    }

    @Override
    public final Integer call() throws Exception {
        if (console().isProcess()) {
            Logging.configure(main.isVerbose());
        }
        console().choose(main.color());
        if (arguments().command() != null && !takesCommand()) {
            throw new UsageException(
                    "words after -- are not allowed here: only 'enqueue exec' and 'schedule add' take them");
        }
        run();
        return 0;
    }

    /**
     * Returns the target of the command, the same object at each call, so that a warning about a password is printed
     * once.
     */
    public final Target target() {
        if (target == null) {
            target = Target.of(main.db, main.config(), warning -> err().println("windrow: " + warning));
        }
        return target;
    }

    /**
     * Opens the store and creates a missing database or queue. A line on stderr reports the creation, because after a
     * typing error in the name this is not the queue that the user meant.
     */
    public final Windrow openOrMake(Function<Target, Windrow> open) {
        String missing = target().missing();
        Windrow windrow = open.apply(target());
        if (missing != null) {
            err().println("windrow: "
                    + missing.replaceFirst(" does not exist$", " did not exist")
                            .replaceFirst(" has no queue$", " had no queue")
                    + "; created a new, empty queue");
        }
        return windrow;
    }

    /** Returns the events that the workers of this command write: by its option, else by the settings. */
    public final EventLevel eventLevel(@Nullable String option) {
        if (option != null) {
            return Values.choice("--events", option, EventLevel.class);
        }
        Config.Given given = config().given(Setting.EVENTS);
        return given == null ? EventLevel.ALL : Values.choice(given.origin(), given.text(), EventLevel.class);
    }

    public final Config config() {
        return main.config();
    }

    /** The value of {@code --color}; null if it was not given. */
    final @Nullable String namedColor() {
        return main.color;
    }

    /** True if {@code --verbose} was given. */
    final boolean verboseIsNamed() {
        return main.verbose;
    }

    public final boolean targetIsNamed() {
        return main.db != null;
    }

    /** The value of {@code --db} as the user wrote it; null if it was not given. */
    public final @Nullable String namedTarget() {
        return main.db;
    }

    public final boolean json() {
        return main.json;
    }

    public final boolean verbose() {
        return main.isVerbose();
    }

    public final Console console() {
        return main.console;
    }

    public final PrintStream out() {
        return main.console.out();
    }

    public final PrintStream err() {
        return main.console.err();
    }

    /** The words after {@code --}. */
    public final Arguments arguments() {
        return main.arguments;
    }
}
