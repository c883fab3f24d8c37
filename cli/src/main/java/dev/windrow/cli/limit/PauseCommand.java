package dev.windrow.cli.limit;

import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.terminal.Values;
import dev.windrow.limit.LimitHandle;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code pause}: starts no more jobs of a queue, of a type or with a key. */
@Command(
        name = "pause",
        description = "Pauses a queue, a job type or a concurrency key, in all processes.",
        footer = {
            "",
            "No more of its jobs start; running jobs continue.",
            "",
            "Examples:",
            "  windrow pause mail --reason 'provider is down'",
            "  windrow pause --type report.monthly"
        })
public final class PauseCommand extends CliCommand {
    @Mixin
    private ScopeOptions scopes = new ScopeOptions();

    @Option(names = "--reason", paramLabel = "TEXT", description = "The reason, 1 to 200 characters, default none.")
    private @Nullable String reason;

    public PauseCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        LimitTarget scope = scopes.scope();
        if (reason != null
                && (reason.isEmpty() || Values.whole("--reason", reason).length() > 200)) {
            throw Values.notAllowed("--reason", reason, "1 to 200 characters");
        }
        Limits control;
        try (Windrow windrow = target().openExisting()) {
            LimitHandle limits = windrow.limit(scope);
            String why = reason;
            control = why == null ? limits.pause() : Values.named("--reason", () -> limits.pause(why));
        }
        if (json()) {
            out().println(LimitsView.fields(control));
        } else {
            out().println("%s is paused %s".formatted(scope, LimitsView.pause(control)));
        }
    }
}
