package dev.windrow.cli.job;

import dev.windrow.BulkResult;
import dev.windrow.JobHandle;
import dev.windrow.JobHandles;
import dev.windrow.Windrow;
import dev.windrow.cli.AgeOption;
import dev.windrow.cli.FailedException;
import dev.windrow.cli.Main;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code delete}: deletes ended jobs with all their rows. */
@Command(
        name = "delete",
        description = "Deletes ended jobs with all that belongs to them.",
        footer = {
            "",
            "An entry in the audit without their content remains. A job is refused, or with",
            "a filter skipped, while a job that depends on it is not COMPLETED. A chain is",
            "deleted as a whole.",
            "",
            "Examples:",
            "  windrow delete 17 18",
            "  windrow delete --tag customer-17 --secure",
            "  windrow delete --state FAILED --older-than 30d --dry-run"
        })
public final class DeleteCommand extends ChangeCommand {
    @Mixin
    private AgeOption age = new AgeOption();

    @Option(
            names = "--secure",
            description = "Overwrite the deleted content in the SQLite file, and empty its log. Not for PostgreSQL.")
    private boolean secure;

    public DeleteCommand(Main main) {
        super(main);
    }

    @Override
    public String done() {
        return "deleted";
    }

    @Override
    JobFilter narrow(JobFilter filter) {
        return age.narrow(filter);
    }

    @Override
    public BulkResult change(JobHandles jobs) {
        return jobs.delete();
    }

    @Override
    public BulkResult change(JobHandle<Json> job) {
        job.delete();
        return one(job);
    }

    @Override
    Windrow open() {
        return secure ? target().openToOverwrite() : super.open();
    }

    @Override
    void closed() {
        if (secure && !target().emptyLog()) {
            throw new FailedException(
                    "the jobs are deleted and overwritten, but the log of " + target().name()
                            + " still has their content, because another process reads it; run the command again, with a filter and not with ids");
        }
    }
}
