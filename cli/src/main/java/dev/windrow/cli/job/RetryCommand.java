package dev.windrow.cli.job;

import dev.windrow.BulkResult;
import dev.windrow.JobHandle;
import dev.windrow.JobHandles;
import dev.windrow.Retry;
import dev.windrow.cli.AgeOption;
import dev.windrow.cli.Main;
import dev.windrow.cli.terminal.Values;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retry}: makes failed and cancelled jobs ready again, and keeps their history. */
@Command(
        name = "retry",
        description = "Retries FAILED or CANCELLED jobs with a full budget of attempts.",
        footer = {
            "",
            "Examples:",
            "  windrow retry 17 --attempts 5",
            "  windrow retry 17 --with-dependents --from-start",
            "  windrow retry --error-code RESOURCE:UNREADABLE"
        })
public final class RetryCommand extends ChangeCommand {
    @Option(names = "--attempts", paramLabel = "N", description = "Number of attempts. 1 to 1000, default unchanged.")
    private @Nullable String attempts;

    @Option(
            names = "--with-dependents",
            description = "Also retry the jobs that were cancelled because one of these ended without success.")
    private boolean withDependents;

    @Option(names = "--from-start", description = "Delete the results of their durable steps and their events.")
    private boolean fromStart;

    @Mixin
    private AgeOption age = new AgeOption();

    public RetryCommand(Main main) {
        super(main);
    }

    @Override
    public String done() {
        return "retried";
    }

    @Override
    void checkOptions() {
        Retry unused = how();
    }

    @Override
    JobFilter narrow(JobFilter filter) {
        return age.narrow(filter);
    }

    @Override
    public BulkResult change(JobHandles jobs) {
        return jobs.retry(how());
    }

    @Override
    public BulkResult change(JobHandle<Json> job) {
        return job.retry(how());
    }

    private Retry how() {
        Retry how = attempts == null
                ? Retry.keepingAttempts()
                : Retry.attempts(Values.integer("--attempts", attempts, 1, 1000));
        how = fromStart ? how.fromStart() : how;
        return withDependents ? how.withDependents() : how;
    }
}
