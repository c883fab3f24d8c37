package dev.windrow.cli;

import dev.windrow.cli.terminal.Console;
import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import picocli.CommandLine;

/**
 * A command in the process of its test: the code of a real one from the words on, without its start. The log goes to the stderr of the tests. For one
 * run; safe for use by several threads.
 */
public final class InProcess {
    private final ByteArrayOutputStream out = new ByteArrayOutputStream();
    private final ByteArrayOutputStream err = new ByteArrayOutputStream();
    private final List<Signals> listening = new CopyOnWriteArrayList<>();
    private final Console console;

    /**
     * A command that is not yet run.
     *
     * @param folder its working folder
     * @param environment its whole environment
     */
    public InProcess(Path folder, Map<String, String> environment, InputStream stdin) {
        console = Console.of(
                new PrintStream(out, true, StandardCharsets.UTF_8),
                new PrintStream(err, true, StandardCharsets.UTF_8),
                stdin,
                folder,
                environment,
                listening::add);
    }

    /** True if a command is {@code bench} without its jar, which refuses whatever its options are. */
    static boolean isAbsent(CommandLine command) {
        return command.isUnmatchedArgumentsAllowed();
    }

    /** Returns the parser of all commands, none of which is run. */
    static CommandLine parser() {
        return Main.forHelp(new InProcess(Path.of(""), Map.of(), InputStream.nullInputStream()).console);
    }

    /** Runs it to its end; returns the exit status. */
    public int run(String... args) {
        return Main.run(console, args);
    }

    /** A signal to stop, on the caller's thread. */
    public void signal() {
        listening.forEach(Signals::hear);
    }

    /** The text on its stdout so far. */
    public String out() {
        return out.toString(StandardCharsets.UTF_8);
    }

    /** The text on its stderr so far. */
    public String err() {
        return err.toString(StandardCharsets.UTF_8);
    }
}
