package dev.windrow.cli.step;

import dev.windrow.JobHandle;
import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.IfVersionOption;
import dev.windrow.cli.Main;
import dev.windrow.cli.ReasonOption;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.job.JobArguments;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import dev.windrow.payload.Json;
import dev.windrow.step.Signalled;
import dev.windrow.wire.JobJson;
import dev.windrow.wire.JsonScan;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code signal}: sends a job an event that its handler awaits. */
@Command(
        name = "signal",
        description = "Sends an event to a job that awaits it or will await it.",
        footer = {"", "Examples:", "  windrow signal 17 paid", "  windrow signal 17 paid '{\"receipt\":\"r-5\"}'"})
public final class SignalCommand extends CliCommand {
    @Mixin
    private JobArguments named = new JobArguments();

    @Parameters(
            index = "1",
            arity = "0..1",
            paramLabel = "NAME",
            description = "The event. The first signal with its name counts.")
    private @Nullable String name;

    @Parameters(
            index = "2",
            arity = "0..1",
            paramLabel = "JSON",
            description = "The data of the event, one argument of JSON, default none.")
    private @Nullable String payload;

    @Mixin
    private ReasonOption reason = new ReasonOption();

    @Mixin
    private IfVersionOption version = new IfVersionOption();

    SignalCommand(Main main) {
        super(main);
    }

    public static CommandLine commandLine(Main main) {
        // The data may be a negative number, which looks like an option; see UnknownOptions.
        return new CommandLine(new SignalCommand(main)).setUnmatchedOptionsArePositionalParams(true);
    }

    @Override
    public void run() {
        JobArguments.Checked checked = named.check(name, payload);
        String text = checked.words().get(0);
        if (text == null) {
            throw new UsageException("the event is missing: give its NAME");
        }
        String event = Values.whole("NAME", text);
        reason.check();
        version.check();
        String data = checked.words().get(1);
        String problem = data == null ? null : JsonScan.problem(data);
        if (problem != null) {
            throw new UsageException("the data of the event is not one JSON value: " + problem);
        }
        JobRef<Json> job;
        Signalled signalled;
        try (Windrow windrow = target().openExisting()) {
            job = checked.job().apply(windrow);
            JobHandle<Json> handle = version.of(reason.of(windrow).job(job));
            Json content = data == null ? null : new Json(data);
            signalled = content == null
                    ? Values.named("NAME", () -> handle.signal(event))
                    : Values.named("NAME or JSON", () -> handle.signal(event, content));
        }
        if (json()) {
            out().println(JobJson.signalled(job, event, signalled));
        } else {
            out().println("job %s is %s%s"
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
