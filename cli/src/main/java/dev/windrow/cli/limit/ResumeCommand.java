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

/** {@code resume}: starts the jobs of a paused queue, type or key again. */
@Command(
        name = "resume",
        description = "Resumes a paused queue, job type or concurrency key.",
        footer = {"", "Examples:", "  windrow resume mail", "  windrow resume --type report.monthly"})
public final class ResumeCommand extends CliCommand {
    @Mixin
    private ScopeOptions scopes = new ScopeOptions();

    @Mixin
    private ReasonOption reason = new ReasonOption();

    public ResumeCommand(Main main) {
        super(main);
    }

    @Override
    public void run() {
        LimitTarget scope = scopes.scope();
        reason.check();
        Limits control;
        try (Windrow windrow = target().openExisting()) {
            control = reason.of(windrow).limit(scope).resume();
        }
        if (json()) {
            out().println(LimitJson.limits(control));
        } else {
            out().println("%s is not paused".formatted(scope));
        }
    }
}
