package dev.windrow.cli;

import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;

/** The {@code windrow} command. */
@Command(
        name = "windrow",
        description = "Durable background jobs in one SQLite file.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Start with: windrow demo",
            "Exit status: 0 done, 1 the operation did not succeed, 2 wrong usage. Failed jobs are no failure of 'work'."
        })
public final class Main implements Callable<Integer> {
    final Console console;
    final Arguments arguments;

    @Option(
            names = "--db",
            scope = ScopeType.INHERIT,
            paramLabel = "FILE",
            description = "The SQLite file; else $WINDROW_DB, else windrow.db.")
    @Nullable String db;

    @Option(
            names = "--json",
            scope = ScopeType.INHERIT,
            description = "Print one JSON value on stdout and nothing else.")
    boolean json;

    @Option(
            names = {"-v", "--verbose"},
            scope = ScopeType.INHERIT,
            description = "Say more on stderr.")
    boolean verbose;

    private Main(Console console, Arguments arguments) {
        this.console = console;
        this.arguments = arguments;
    }

    /**
     * Runs the command line and ends the process with its exit status.
     *
     * @param args the words after {@code windrow}
     */
    public static void main(String[] args) {
        // Numbers for people look the same everywhere; the locale still names the character set of file names.
        Locale.setDefault(Locale.ROOT);
        System.exit(run(Console.takeOver(), args));
    }

    static int run(Console console, String... args) {
        Arguments arguments = Arguments.cut(args);
        int status;
        try {
            status = new Main(console, arguments)
                    .commandLine()
                    .execute(arguments.words().toArray(String[]::new));
        } catch (Error e) {
            // No memory, a native library that does not load: still an answer for people, and a status for scripts.
            status = Problems.unexpected(e, new PrintWriter(console.err(), true, StandardCharsets.UTF_8));
        }
        // What was to be said may not have arrived: a full disk, a reader that went away.
        return console.out().checkError() ? Math.max(status, Problems.FAILED) : status;
    }

    CommandLine commandLine() {
        CommandLine root = new CommandLine(this)
                .addSubcommand("demo", new DemoCommand(this))
                .addSubcommand("enqueue", EnqueueCommand.commandLine(this))
                .addSubcommand("work", new WorkCommand(this))
                .addSubcommand("list", new ListCommand(this))
                .addSubcommand("show", new ShowCommand(this))
                .addSubcommand("stats", new StatsCommand(this))
                .addSubcommand("retry", new RetryCommand(this))
                .addSubcommand("cancel", new CancelCommand(this))
                .addSubcommand("help", new HelpCommand());
        Problems problems = new Problems();
        return root.setExpandAtFiles(false)
                .setOut(new PrintWriter(console.out(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8))
                .setParameterExceptionHandler(problems)
                .setExecutionExceptionHandler(problems)
                .setExecutionStrategy(this::execute);
    }

    private int execute(ParseResult parsed) {
        Logging.configure(verbose);
        return new CommandLine.RunLast().execute(parsed);
    }

    @Override
    public Integer call() {
        throw new UsageException("which command?");
    }
}
