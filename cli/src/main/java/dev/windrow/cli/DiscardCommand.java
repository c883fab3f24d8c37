package dev.windrow.cli;

import dev.windrow.Changed;
import dev.windrow.JobFilter;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Json;
import dev.windrow.Windrow;
import java.util.List;
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
    boolean possible(JobState state) {
        return state == JobState.FAILED || state == JobState.CANCELLED;
    }

    @Override
    JobFilter narrow(JobFilter filter) {
        return age.narrow(filter);
    }

    @Override
    void change(Windrow windrow, List<JobRef<Json>> jobs) {
        windrow.discard(jobs);
    }

    @Override
    Changed changeAll(Windrow windrow, JobFilter filter, boolean dryRun) {
        return windrow.discardAll(filter, dryRun);
    }
}
