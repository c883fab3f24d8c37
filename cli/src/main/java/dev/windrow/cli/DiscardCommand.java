package dev.windrow.cli;

import dev.windrow.BulkResult;
import dev.windrow.JobFilter;
import dev.windrow.JobHandles;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code discard}: failed and cancelled jobs are deleted with all that belongs to them. */
@Command(
        name = "discard",
        description =
                "Delete jobs that are FAILED or CANCELLED, with their history; what is left is a line of the audit.",
        footer = {
            "",
            "Examples:",
            "  windrow discard 17 18",
            "  windrow discard --state FAILED --older-than 30d --dry-run"
        })
final class DiscardCommand extends ChangeCommand {
    @Mixin
    private AgeOption age = new AgeOption();

    DiscardCommand(Main main) {
        super(main);
    }

    @Override
    String done() {
        return "discarded";
    }

    @Override
    JobFilter narrow(JobFilter filter) {
        return age.narrow(filter);
    }

    @Override
    BulkResult change(JobHandles jobs) {
        return jobs.discard();
    }
}
