package dev.windrow.cli.transfer;

import dev.windrow.cli.CliCommand;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Main;
import dev.windrow.cli.Signals;
import dev.windrow.cli.terminal.Fields;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code backup}: a copy of a SQLite file that is in use. */
@Command(
        name = "backup",
        description = "Copy the database to a new file while workers go on.",
        footer = {
            "",
            "The copy has all that was acknowledged before, and is on disk when the command",
            "ends. FILE must not exist; its folder must. Of what fails or is interrupted",
            "nothing is left.",
            "",
            "Examples:",
            "  windrow backup /backup/jobs-2026-11-22.db"
        })
public final class BackupCommand extends CliCommand {
    @Parameters(paramLabel = "FILE", description = "Where the copy is to be.")
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
                    "'%s' cannot be the path of a file here: %s".formatted(TerminalText.oneLine(file), e.getReason()));
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
            out().println(new Fields().put("file", file).put("bytes", bytes));
        } else {
            out().println("%s: %,d bytes".formatted(TerminalText.oneLine(file), bytes));
        }
    }
}
