package dev.windrow.cli;

import dev.windrow.cli.terminal.Console;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.Map;

/** A console without environment variables, so that no setting of the user who runs the tests has an effect. */
final class TestConsole {
    private TestConsole() {}

    static Console of(PrintStream out, PrintStream err) {
        return Console.of(out, err, InputStream.nullInputStream(), Path.of(""), Map.of(), signals -> {});
    }
}
