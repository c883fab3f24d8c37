package dev.windrow.cli;

import dev.windrow.cli.terminal.Console;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;

/** Surroundings of a command that has no environment, so that nothing of the user who runs the tests counts. */
final class TestConsole {
    private TestConsole() {}

    static Console of(PrintStream out, PrintStream err) {
        return Console.of(out, err, InputStream.nullInputStream(), Path.of(""), Map.of(), signals -> {});
    }
}
