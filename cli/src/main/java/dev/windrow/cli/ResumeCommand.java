package dev.windrow.cli;

import dev.windrow.LimitTarget;
import dev.windrow.Limits;
import dev.windrow.Windrow;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code resume}: jobs of a queue or a type are started again. */
@Command(
        name = "resume",
        description = "Start jobs of a queue or a type again.",
        footer = {"", "Examples:", "  windrow resume mail", "  windrow resume --type report.monthly"})
final class ResumeCommand extends CliCommand {
    @Mixin
    private ScopeOptions scopes = new ScopeOptions();

    ResumeCommand(Main main) {
        super(main);
    }

    @Override
    void run() {
        LimitTarget scope = scopes.scope();
        Limits control;
        try (Windrow windrow = target().openExisting()) {
            control = windrow.limit(scope).resume();
        }
        if (json()) {
            out().println(LimitsView.fields(control));
        } else {
            out().println("%s is not paused".formatted(scope));
        }
    }
}
