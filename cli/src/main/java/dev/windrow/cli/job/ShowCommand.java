package dev.windrow.cli.job;

import dev.windrow.Explanation;
import dev.windrow.JobHandle;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.RedactOption;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.payload.Json;
import dev.windrow.wire.JobJson;
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
            "  windrow show 17 --json --redact",
            "  windrow show --type document.index --key document-17"
        })
public final class ShowCommand extends CliCommand {
    @Mixin
    private JobArguments named = new JobArguments();

    @Mixin
    private RedactOption redact = new RedactOption();

    public ShowCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        Function<Windrow, JobRef<Json>> job = named.check().job();
        JobHistory history;
        Explanation waits = null;
        try (Windrow windrow = target().openToRead()) {
            JobHandle<Json> handle = windrow.job(job.apply(windrow));
            history = handle.history();
            JobState state = history.job().state();
            if (!json() && state != JobState.RUNNING && !state.isFinished()) {
                waits = handle.explain();
            }
        }
        if (json()) {
            out().println(JobJson.history(history, redact.redactor()));
        } else {
            new HistoryView(out(), Ink.of(console()), console().tableWidth(), Instant.now(), redact.redactor())
                    .print(history, waits);
        }
    }
}
