package dev.windrow.cli.job;

import dev.windrow.BulkResult;
import dev.windrow.JobHandle;
import dev.windrow.JobHandles;
import dev.windrow.cli.Main;
import dev.windrow.payload.Json;
import picocli.CommandLine.Command;

/** {@code cancel}: waiting jobs never run; running ones are asked to stop. */
@Command(
        name = "cancel",
        description = "Cancels jobs by id or by filter.",
        footer = {
            "",
            "Waiting jobs are CANCELLED at once. Running jobs are asked to stop: their",
            "handlers are interrupted, and the command does not wait for them.",
            "",
            "Examples:",
            "  windrow cancel 17 18",
            "  windrow cancel --type mail.send --dry-run"
        })
public final class CancelCommand extends ChangeCommand {
    public CancelCommand(Main main) {
        super(main);
    }

    @Override
    public String done() {
        return "cancelled or asked to stop";
    }

    @Override
    public BulkResult change(JobHandles jobs) {
        return jobs.cancel();
    }

    @Override
    public BulkResult change(JobHandle<Json> job) {
        job.cancel();
        return one(job);
    }
}
