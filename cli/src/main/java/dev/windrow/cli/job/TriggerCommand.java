package dev.windrow.cli.job;

import dev.windrow.BulkResult;
import dev.windrow.JobHandle;
import dev.windrow.JobHandles;
import dev.windrow.cli.Main;
import dev.windrow.payload.Json;
import picocli.CommandLine.Command;

/** {@code trigger}: makes scheduled jobs due now. */
@Command(
        name = "trigger",
        description = "Makes SCHEDULED jobs due now.",
        footer = {"", "Examples:", "  windrow trigger 17", "  windrow trigger --type mail.send --dry-run"})
public final class TriggerCommand extends ChangeCommand {
    public TriggerCommand(Main main) {
        super(main);
    }

    @Override
    public String done() {
        return "triggered";
    }

    @Override
    public BulkResult change(JobHandles jobs) {
        return jobs.trigger();
    }

    @Override
    public BulkResult change(JobHandle<Json> job) {
        job.trigger();
        return one(job);
    }
}
