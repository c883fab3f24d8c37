package dev.windrow.cli;

import dev.windrow.Changed;
import dev.windrow.JobFilter;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Json;
import dev.windrow.Windrow;
import java.util.List;
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
    boolean possible(JobState state) {
        return state == JobState.SCHEDULED;
    }

    @Override
    void change(Windrow windrow, List<JobRef<Json>> jobs) {
        windrow.trigger(jobs);
    }

    @Override
    Changed changeAll(Windrow windrow, JobFilter filter, boolean dryRun) {
        return windrow.triggerAll(filter, dryRun);
    }
}
