package dev.windrow.cli.limit;

import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.ReasonOption;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.wire.LimitJson;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

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

    @Mixin
    private ReasonOption reason = new ReasonOption();

    public PauseCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        LimitTarget scope = scopes.scope();
        reason.check();
        Limits control;
        try (Windrow windrow = target().openExisting()) {
            control = reason.of(windrow).limit(scope).pause();
        }
        if (json()) {
            out().println(LimitJson.limits(control));
        } else {
            out().println("%s is paused %s".formatted(scope, LimitsView.pause(control)));
        }
    }
}
