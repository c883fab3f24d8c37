package dev.windrow.cli.job;

import dev.windrow.BulkResult;
import dev.windrow.JobHandles;
import dev.windrow.cli.AgeOption;
import dev.windrow.cli.Main;
import dev.windrow.query.JobFilter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** {@code discard}: deletes failed and cancelled jobs with all their rows. */
@Command(
        name = "discard",
        description = "Deletes FAILED or CANCELLED jobs with their history.",
        footer = {
            "",
            "Only an entry in the audit remains. A job is refused, or with a filter left",
            "out, while an unfinished job depends on it.",
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
