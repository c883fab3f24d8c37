package dev.windrow.cli;

import dev.windrow.BulkResult;
import dev.windrow.JobHandles;
import picocli.CommandLine.Command;

/** {@code trigger}: jobs that wait for a time are due now. */
@Command(
        name = "trigger",
        description = "Run jobs that are SCHEDULED now, whatever time they wait for.",
        footer = {"", "Examples:", "  windrow trigger 17", "  windrow trigger --type mail.send --dry-run"})
final class TriggerCommand extends ChangeCommand {
    TriggerCommand(Main main) {
        super(main);
    }

    @Override
    String done() {
        return "triggered";
    }

    @Override
    BulkResult change(JobHandles jobs) {
        return jobs.trigger();
    }
}
