package dev.windrow.cli.transfer;

import dev.windrow.cli.CliCommand;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Main;
import dev.windrow.cli.Signals;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import dev.windrow.wire.JsonObject;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code backup}: copies a SQLite file that is in use. */
@Command(
        name = "backup",
        description = "Copies the SQLite file to a new file while workers continue.",
        footer = {
            "",
            "The copy contains all changes that were acknowledged before the command began,",
            "and is on disk when the command ends. FILE must not exist, and its folder must",
            "exist. A failed or interrupted backup leaves no file.",
            "",
            "Examples:",
            "  windrow backup /backup/jobs-2026-11-22.db"
        })
public final class BackupCommand extends CliCommand {
    @Parameters(paramLabel = "FILE", description = "The path of the new file.")
    private String file = "";

    public BackupCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        if (file.isEmpty()) {
            throw Values.notAllowed("FILE", file, "the path of a file that does not exist");
        }
        Path copy;
        try {
            copy = console().path(file);
        } catch (InvalidPathException e) {
            throw new FailedException(
                    "'%s' is not a valid path: %s".formatted(TerminalText.oneLine(file), e.getReason()));
        }
        Thread caller = Thread.currentThread();
        Signals signals = Signals.listen(console(), caller::interrupt, caller::interrupt);
        long bytes;
        try {
            bytes = target().backup(copy);
        } finally {
            signals.ended();
        }
        if (json()) {
            out().println(new JsonObject().put("file", file).put("bytes", bytes));
        } else {
            out().println("%s: %,d bytes".formatted(TerminalText.oneLine(file), bytes));
        }
    }
}
