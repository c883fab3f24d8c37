package dev.windrow.cli;

import dev.windrow.Windrow;
import dev.windrow.cli.database.Target;
import dev.windrow.cli.terminal.Console;
import java.io.PrintStream;
import java.util.concurrent.Callable;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** What all commands share: the options that stand before or after any of them, and where to print. */
public abstract class CliCommand implements Callable<Integer> {
    private final Main main;
    private @Nullable Target target;

    @Option(
            names = {"-h", "--help"},
            usageHelp = true,
            description = "Show this help.")
    @SuppressWarnings("unused") // read by the parser, which then prints it and stops
    private boolean help;

    public CliCommand(Main main) {
        this.main = main;
    }

    /** Does the command's work; what it throws becomes the exit status. */
    public abstract void run() throws Exception;

    /** Whether words after {@code --} can mean something to this command. */
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
            throw new UsageException("only 'enqueue exec' and 'schedule add' take words after --");
        }
        run();
        return 0;
    }

    /** The same one each time, so that a warning about a password comes once. */
    public final Target target() {
        if (target == null) {
            target = Target.of(main.db, main.config(), warning -> err().println("windrow: " + warning));
        }
        return target;
    }

    /**
     * Opens the store and makes what is not there, which it says on stderr: after a slip in a name, the queue that was meant is another one.
     */
    public final Windrow openOrMake(Function<Target, Windrow> open) {
        String missing = target().missing();
        Windrow windrow = open.apply(target());
        if (missing != null) {
            err().println("windrow: " + missing.replaceFirst("^there is ", "there was ") + "; made a new, empty queue");
        }
        return windrow;
    }

    public final Config config() {
        return main.config();
    }

    /** What {@code --color} says. */
    final @Nullable String namedColor() {
        return main.color;
    }

    /** Whether {@code --verbose} was given. */
    final boolean verboseIsNamed() {
        return main.verbose;
    }

    public final boolean targetIsNamed() {
        return main.db != null;
    }

    /** What {@code --db} says, as it was given. */
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
