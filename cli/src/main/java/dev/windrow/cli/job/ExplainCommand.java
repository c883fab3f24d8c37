package dev.windrow.cli.job;

import dev.windrow.Explanation;
import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.terminal.Ink;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.payload.Json;
import dev.windrow.wire.JobJson;
import java.util.function.Function;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code explain}: prints why a job does not run, or what it is doing. */
@Command(
        name = "explain",
        description = "Explains why a job does not run, or what it is doing.",
        footer = {"", "Examples:", "  windrow explain 17", "  windrow explain --type document.index --key document-17"})
public final class ExplainCommand extends CliCommand {
    @Mixin
    private JobArguments named = new JobArguments();

    public ExplainCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        Function<Windrow, JobRef<Json>> job = named.check().job();
        Explanation explanation;
        try (Windrow windrow = target().openToRead()) {
            explanation = windrow.job(job.apply(windrow)).explain();
        }
        if (json()) {
            out().println(JobJson.explanation(explanation));
            return;
        }
        Ink ink = Ink.of(console());
        out().println(ink.bold("Job " + explanation.id()) + "  "
                + ink.state(explanation.state(), explanation.state().name()));
        explanation.sentences().forEach(sentence -> out().println("  " + TerminalText.oneLine(sentence)));
    }
}
