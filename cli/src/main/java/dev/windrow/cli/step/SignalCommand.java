package dev.windrow.cli.step;

import dev.windrow.JobHandle;
import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.terminal.Fields;
import dev.windrow.cli.terminal.JsonScan;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import dev.windrow.payload.Json;
import dev.windrow.step.Signalled;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code signal}: sends a job an event that its handler awaits. */
@Command(
        name = "signal",
        description = "Sends an event to a job that awaits it or will await it.",
        footer = {"", "Examples:", "  windrow signal 17 paid", "  windrow signal 17 paid '{\"receipt\":\"r-5\"}'"})
public final class SignalCommand extends CliCommand {
    @Parameters(index = "0", paramLabel = "ID", description = "Id of the job, which must not have ended.")
    private String id = "";

    @Parameters(index = "1", paramLabel = "NAME", description = "The event. The first signal with its name counts.")
    private String name = "";

    @Parameters(
            index = "2",
            arity = "0..1",
            paramLabel = "JSON",
            description = "The data of the event, one argument of JSON, default none.")
    private @Nullable String payload;

    SignalCommand(Main main) {
        super(main);
    }

    public static CommandLine commandLine(Main main) {
        // The data may be a negative number, which looks like an option; see UnknownOptions.
        return new CommandLine(new SignalCommand(main)).setUnmatchedOptionsArePositionalParams(true);
    }

    @Override
    public void run() {
        long job = Values.id("ID", id);
        String event = Values.whole("NAME", name);
        String problem = payload == null ? null : JsonScan.problem(payload);
        if (problem != null) {
            throw new UsageException("the data of the event is not one JSON value: " + problem);
        }
        Signalled signalled;
        try (Windrow windrow = target().openExisting()) {
            JobHandle<Json> handle = windrow.job(JobRef.raw(job));
            Json content = payload == null ? null : new Json(payload);
            signalled = content == null
                    ? Values.named("NAME", () -> handle.signal(event))
                    : Values.named("NAME or JSON", () -> handle.signal(event, content));
        }
        if (json()) {
            out().println(new Fields()
                    .id("id", job)
                    .put("name", event)
                    .put("state", signalled.state())
                    .put("kept", signalled.kept()));
        } else {
            out().println("job %d is %s%s"
                    .formatted(
                            job,
                            signalled.state(),
                            signalled.kept()
                                    ? " and has received event '%s'".formatted(TerminalText.oneLine(event))
                                    : "; event '%s' was decided before, so nothing changed"
                                            .formatted(TerminalText.oneLine(event))));
        }
    }
}
