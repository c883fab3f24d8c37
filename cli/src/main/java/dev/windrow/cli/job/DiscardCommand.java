package dev.windrow.cli.job;

import dev.windrow.BulkResult;
import dev.windrow.JobHandles;
import dev.windrow.cli.AgeOption;
import dev.windrow.cli.Main;
import dev.windrow.query.JobFilter;
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
public final class DiscardCommand extends ChangeCommand {
    @Mixin
    private AgeOption age = new AgeOption();

    public DiscardCommand(Main main) {
        super(main);
    }

    @Override
    public String done() {
        return "discarded";
    }

    @Override
    JobFilter narrow(JobFilter filter) {
        return age.narrow(filter);
    }

    @Override
    public BulkResult change(JobHandles jobs) {
        return jobs.discard();
    }
}
