package dev.windrow.cli;

import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Json;
import dev.windrow.engine.Windrow;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code complete}: the work of a job was done elsewhere. */
@Command(
        name = "complete",
        description = "Complete a job that has not ended: its work was done elsewhere. Who runs it is stopped.",
        footer = {"", "  windrow complete 17", "  windrow complete 17 '{\"approvedBy\":\"ada\"}'"})
final class CompleteCommand extends EndCommand {
    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "JSON",
            description = "The result, one word of JSON; none otherwise.")
    private @Nullable String result;

    CompleteCommand(Main main) {
        super(main, JobState.COMPLETED);
    }

    static CommandLine commandLine(Main main) {
        // A result may be a negative number, which looks like an option. What is no JSON is refused all the same.
        return new CommandLine(new CompleteCommand(main)).setUnmatchedOptionsArePositionalParams(true);
    }

    @Override
    void checkOptions() {
        String problem = result == null ? null : JsonText.problem(result);
        if (problem != null && result != null && result.startsWith("-")) {
            throw new UsageException("Unknown option: '" + Texts.oneLine(result) + "'");
        }
        if (problem != null) {
            throw new UsageException("the result is not one JSON value: " + problem);
        }
    }

    @Override
    void end(Windrow windrow, JobRef<Json> job) {
        windrow.complete(job, result == null ? null : new Json(result));
    }
}
