package dev.windrow.cli;

import dev.windrow.Changed;
import dev.windrow.JobFilter;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Json;
import dev.windrow.Windrow;
import java.util.List;
import picocli.CommandLine.Command;

/** {@code cancel}: jobs that wait will not run; those that run are told to stop. */
@Command(
        name = "cancel",
        description = "Cancel jobs that wait, and ask those that run to stop.",
        footer = {"", "Examples:", "  windrow cancel 17 18", "  windrow cancel --type mail.send --dry-run"})
final class CancelCommand extends ChangeCommand {
    CancelCommand(Main main) {
        super(main);
    }

    @Override
    String done() {
        return "cancelled or asked to stop";
    }

    @Override
    boolean possible(JobState state) {
        return !state.isFinished();
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
