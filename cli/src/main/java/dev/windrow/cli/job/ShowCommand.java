package dev.windrow.cli.job;

import dev.windrow.JobHistory;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.Values;
import java.time.Instant;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code show}: prints the whole history of one job. */
@Command(
        name = "show",
        description = "Shows the whole history of one job.",
        mixinStandardHelpOptions = true,
        footer = {"", "Examples:", "  windrow show 17", "  windrow show 17 --json"})
public final class ShowCommand extends CliCommand {
    @Parameters(paramLabel = "ID", description = "Id of the job.")
    private String id = "";

    public ShowCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        long job = Values.id("ID", id);
        JobHistory history;
        try (Windrow windrow = target().openToRead()) {
            history = windrow.job(job).history();
        }
        if (json()) {
            out().println(JobFields.history(history));
        } else {
            new HistoryView(out(), Ink.of(console()), console().tableWidth(), Instant.now()).print(history);
        }
    }
}
