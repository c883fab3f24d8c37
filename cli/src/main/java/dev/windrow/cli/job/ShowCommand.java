package dev.windrow.cli.job;

import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.payload.Json;
import java.time.Instant;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code show}: prints the whole history of one job. */
@Command(
        name = "show",
        description = "Shows the whole history of one job.",
        mixinStandardHelpOptions = true,
        footer = {
            "",
            "Examples:",
            "  windrow show 17",
            "  windrow show 17 --json",
            "  windrow show --type document.index --key document-17"
        })
public final class ShowCommand extends CliCommand {
    @Mixin
    private JobArguments named = new JobArguments();

    public ShowCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        Function<Windrow, JobRef<Json>> job = named.check().job();
        JobHistory history;
        try (Windrow windrow = target().openToRead()) {
            history = windrow.job(job.apply(windrow)).history();
        }
        if (json()) {
            out().println(JobFields.history(history));
        } else {
            new HistoryView(out(), Ink.of(console()), console().tableWidth(), Instant.now()).print(history);
        }
    }
}
