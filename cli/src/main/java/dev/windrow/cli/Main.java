package dev.windrow.cli;

import dev.windrow.cli.bench.BenchProvider;
import dev.windrow.cli.demo.DemoCommand;
import dev.windrow.cli.job.CancelCommand;
import dev.windrow.cli.job.DeleteCommand;
import dev.windrow.cli.job.EnqueueCommand;
import dev.windrow.cli.job.ExplainCommand;
import dev.windrow.cli.job.MetadataCommand;
import dev.windrow.cli.job.RetryCommand;
import dev.windrow.cli.job.ShowCommand;
import dev.windrow.cli.job.TriggerCommand;
import dev.windrow.cli.limit.LimitCommand;
import dev.windrow.cli.limit.PauseCommand;
import dev.windrow.cli.limit.ResumeCommand;
import dev.windrow.cli.monitor.AuditCommand;
import dev.windrow.cli.monitor.DoctorCommand;
import dev.windrow.cli.monitor.HealthCommand;
import dev.windrow.cli.monitor.StatsCommand;
import dev.windrow.cli.monitor.TopCommand;
import dev.windrow.cli.monitor.WorkersCommand;
import dev.windrow.cli.query.ExportCommand;
import dev.windrow.cli.query.ListCommand;
import dev.windrow.cli.retention.CleanupCommand;
import dev.windrow.cli.retention.RetentionCommand;
import dev.windrow.cli.retention.VacuumCommand;
import dev.windrow.cli.schedule.ScheduleCommand;
import dev.windrow.cli.serve.ServeCommand;
import dev.windrow.cli.step.CompleteCommand;
import dev.windrow.cli.step.FailCommand;
import dev.windrow.cli.step.SignalCommand;
import dev.windrow.cli.terminal.Console;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.SafeStream;
import dev.windrow.cli.terminal.Utf8;
import dev.windrow.cli.terminal.Values;
import dev.windrow.cli.transfer.BackupCommand;
import dev.windrow.cli.transfer.CopyCommand;
import dev.windrow.cli.transfer.ImportCommand;
import dev.windrow.cli.transfer.ReopenCommand;
import dev.windrow.cli.worker.WorkCommand;
import dev.windrow.cli.workflow.ChainCommand;
import dev.windrow.cli.workflow.WorkflowCommand;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;

/** The {@code windrow} command. */
@Command(
        name = "windrow",
        description = "Runs durable background jobs in a SQLite file or a PostgreSQL database.",
        synopsisSubcommandLabel = "COMMAND",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        footer = {
            "",
            "Start with: windrow demo",
            "Exit status: 0 done, 1 the operation did not succeed, 2 wrong usage. 'work' and",
            "'demo' end with 0 even if jobs failed."
        })
public final class Main implements Callable<Integer> {
    final Console console;
    final Arguments arguments;

    @Option(
            names = "--db",
            scope = ScopeType.INHERIT,
            paramLabel = "TARGET",
            description =
                    "A SQLite file, or jdbc:postgresql://host/database. Default $WINDROW_DB, or windrow.db; see 'config'.")
    @Nullable String db;

    @Option(
            names = "--json",
            scope = ScopeType.INHERIT,
            description = "Print one JSON value on stdout and nothing else.")
    boolean json;

    @Option(
            names = {"-v", "--verbose"},
            scope = ScopeType.INHERIT,
            description = "Print more on stderr.")
    boolean verbose;

    @Option(
            names = "--color",
            scope = ScopeType.INHERIT,
            paramLabel = "WHEN",
            completionCandidates = Candidates.Colors.class,
            description = "Colours: auto (on a terminal only), always or never, default auto.")
    @Nullable String color;

    private @Nullable Config config;

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
        // Printed numbers look the same everywhere. The locale still determines the character set of file names.
        Locale.setDefault(Locale.ROOT);
        System.exit(start(Console.takeOver(), args));
    }

    private static int start(Console console, String... args) {
        String[] words;
        try {
            words = Utf8.arguments(args);
        } catch (UsageException e) {
            console.err().println("windrow: " + e.getMessage());
            return Problems.WRONG_USAGE;
        }
        return run(console, words);
    }

    static int run(Console console, String... args) {
        Arguments arguments = Arguments.cut(args);
        int status;
        try {
            status = new Main(console, arguments)
                    .commandLine(false)
                    .execute(arguments.words().toArray(String[]::new));
        } catch (Error e) {
            // Out of memory, or a native library that does not load: the user still gets an error and a script an
            // exit status.
            status = new Problems(console).unexpected(e, new PrintWriter(console.err(), true, StandardCharsets.UTF_8));
        }
        // The output may be incomplete: a full disk, or a reader that has ended.
        return console.out().checkError() ? Math.max(status, Problems.FAILED) : status;
    }

    /** Returns the parser of a command line that does not run, for its help. */
    static CommandLine forHelp(Console console) {
        return new Main(console, Arguments.cut()).commandLine(true);
    }

    /** Returns the settings from the environment and the configuration file, read once. */
    Config config() {
        if (config == null) {
            config = Config.read(console::variable, console.folder());
        }
        return config;
    }

    /**
     * Returns the parser.
     *
     * @param whole true for a parser with all commands, false for one with the commands that the words may name
     */
    CommandLine commandLine(boolean whole) {
        Map<String, Supplier<CommandLine>> commands = new LinkedHashMap<>();
        commands.put("demo", () -> new CommandLine(new DemoCommand(this)));
        commands.put("enqueue", () -> EnqueueCommand.commandLine(this));
        commands.put("work", () -> new CommandLine(new WorkCommand(this)));
        commands.put("serve", () -> new CommandLine(new ServeCommand(this)));
        commands.put("list", () -> new CommandLine(new ListCommand(this)));
        commands.put("show", () -> new CommandLine(new ShowCommand(this)));
        commands.put("explain", () -> new CommandLine(new ExplainCommand(this)));
        commands.put("export", () -> new CommandLine(new ExportCommand(this)));
        commands.put("chain", () -> new CommandLine(new ChainCommand(this)));
        commands.put("workflow", () -> new CommandLine(new WorkflowCommand(this)));
        commands.put("schedule", () -> ScheduleCommand.commandLine(this));
        commands.put("stats", () -> new CommandLine(new StatsCommand(this)));
        commands.put("top", () -> new CommandLine(new TopCommand(this)));
        commands.put("workers", () -> new CommandLine(new WorkersCommand(this)));
        commands.put("health", () -> new CommandLine(new HealthCommand(this)));
        commands.put("doctor", () -> new CommandLine(new DoctorCommand(this)));
        commands.put("backup", () -> new CommandLine(new BackupCommand(this)));
        commands.put("copy", () -> new CommandLine(new CopyCommand(this)));
        commands.put("reopen", () -> new CommandLine(new ReopenCommand(this)));
        commands.put("import", () -> new CommandLine(new ImportCommand(this)));
        commands.put("bench", () -> BenchProvider.find(this));
        commands.put("metadata", () -> new CommandLine(new MetadataCommand(this)));
        commands.put("retry", () -> new CommandLine(new RetryCommand(this)));
        commands.put("cancel", () -> new CommandLine(new CancelCommand(this)));
        commands.put("pause", () -> new CommandLine(new PauseCommand(this)));
        commands.put("resume", () -> new CommandLine(new ResumeCommand(this)));
        commands.put("limit", () -> new CommandLine(new LimitCommand(this)));
        commands.put("trigger", () -> new CommandLine(new TriggerCommand(this)));
        commands.put("delete", () -> new CommandLine(new DeleteCommand(this)));
        commands.put("complete", () -> CompleteCommand.commandLine(this));
        commands.put("fail", () -> new CommandLine(new FailCommand(this)));
        commands.put("signal", () -> SignalCommand.commandLine(this));
        commands.put("audit", () -> new CommandLine(new AuditCommand(this)));
        commands.put("retention", () -> new CommandLine(new RetentionCommand(this)));
        commands.put("cleanup", () -> new CommandLine(new CleanupCommand(this)));
        commands.put("vacuum", () -> new CommandLine(new VacuumCommand(this)));
        commands.put("config", () -> new CommandLine(new ConfigCommand(this)));
        commands.put("completion", () -> new CommandLine(new CompletionCommand(this)));
        commands.put("help", Main::help);
        CommandLine root = new CommandLine(this);
        List<String> words = arguments.words();
        // Each command adds about 5 ms to the start. Commands that the words do not name are left out, but not in the
        // help.
        boolean all = whole || words.contains("help") || Collections.disjoint(words, commands.keySet());
        commands.forEach((name, command) -> {
            if (all || words.contains(name)) {
                root.addSubcommand(name, command.get());
            }
        });
        Problems problems = new Problems(console);
        return root.setExpandAtFiles(false)
                // Only help and version, in the parser's own colours.
                .setOut(new PrintWriter(SafeStream.over(console.out()).under(), true, StandardCharsets.UTF_8))
                .setErr(new PrintWriter(console.err(), true, StandardCharsets.UTF_8))
                .setParameterExceptionHandler(problems)
                .setExecutionExceptionHandler(problems)
                .setExecutionStrategy(this::execute);
    }

    /** Returns the parser's own command {@code help}, with texts in the style of the other commands. */
    private static CommandLine help() {
        CommandLine help = new CommandLine(new HelpCommand());
        help.getCommandSpec()
                .usageMessage()
                .header("Shows the help of a command.")
                .description("%nWithout COMMAND it lists the commands.%n");
        return help;
    }

    private int execute(ParseResult parsed) {
        ParseResult command = parsed.subcommand();
        // The parser refuses a second --db on the same side of the command name only. With one on each side it is not
        // clear which database the user meant.
        if (command != null && parsed.hasMatchedOption("--db") && command.hasMatchedOption("--db")) {
            throw new ParameterException(
                    command.commandSpec().commandLine(), "option '--db' (TARGET) should be specified only once");
        }
        ParameterException unknown = UnknownOptions.among(parsed);
        if (unknown != null) {
            throw unknown;
        }
        return new CommandLine.RunLast().execute(parsed);
    }

    /** True if {@code --verbose} was given or the settings say so. */
    boolean isVerbose() {
        return verbose || config().isOn(Setting.VERBOSE);
    }

    /** Returns when to use colours: by the option, else by the settings. */
    Ink.Choice color() {
        if (color != null) {
            return Values.choice("--color", color, Ink.Choice.class);
        }
        Config.Given given = config().given(Setting.COLOR);
        return given == null ? Ink.Choice.AUTO : Values.choice(given.origin(), given.text(), Ink.Choice.class);
    }

    @Override
    public Integer call() {
        throw new UsageException("no command given");
    }
}
