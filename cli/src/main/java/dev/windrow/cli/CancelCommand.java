package dev.windrow.cli;

import dev.windrow.Changed;
import dev.windrow.JobFilter;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Json;
import dev.windrow.engine.Windrow;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code cancel}: jobs that wait will not run. */
@Command(
        name = "cancel",
        description = "Cancel jobs that wait: BLOCKED, SCHEDULED or PENDING.",
        footer = {"", "  windrow cancel 17 18", "  windrow cancel --type mail.send --dry-run"})
final class CancelCommand extends ChangeCommand {
    CancelCommand(Main main) {
        super(main);
    }

    @Override
    String done() {
        return "cancelled";
    }

    @Override
    boolean possible(JobState state) {
        return state == JobState.BLOCKED || state == JobState.SCHEDULED || state == JobState.PENDING;
    }

    @Override
    void change(Windrow windrow, List<JobRef<Json>> jobs) {
        windrow.cancel(jobs);
    }

    @Override
    Changed changeAll(Windrow windrow, JobFilter filter, boolean dryRun) {
        return windrow.cancelAll(filter, dryRun);
    }
}
