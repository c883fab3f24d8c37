package dev.windrow.cli;

import dev.windrow.Changed;
import dev.windrow.JobFilter;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Json;
import dev.windrow.Windrow;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code retry}: failed and cancelled jobs go back to work, their history kept. */
@Command(
        name = "retry",
        description = "Put jobs that are FAILED or CANCELLED back to work, with all their attempts again.",
        footer = {
            "",
            "Examples:",
            "  windrow retry 17 --attempts 5",
            "  windrow retry 17 --with-dependents",
            "  windrow retry 17 --from-start",
            "  windrow retry --error-code RESOURCE:UNREADABLE"
        })
final class RetryCommand extends ChangeCommand {
    @Option(names = "--attempts", paramLabel = "N", description = "A new number of attempts: 1 to 1000.")
    private @Nullable String attempts;

    @Option(
            names = "--with-dependents",
            description = "Also the jobs that were cancelled because one of these ended without success.")
    private boolean withDependents;

    @Option(names = "--from-start", description = "Forget their durable steps, and the events that they were told of.")
    private boolean fromStart;

    @Mixin
    private AgeOption age = new AgeOption();

    RetryCommand(Main main) {
        super(main);
    }

    @Override
    String done() {
        return "retried";
    }

    @Override
    boolean possible(JobState state) {
        return state == JobState.FAILED || state == JobState.CANCELLED;
    }

    @Override
    void checkOptions() {
        if (fromStart && withDependents) {
            throw new UsageException("give --from-start or --with-dependents, not both");
        }
        maxAttempts();
    }

    @Override
    JobFilter narrow(JobFilter filter) {
        return age.narrow(filter);
    }

    @Override
    void change(Windrow windrow, List<JobRef<Json>> jobs) {
        if (fromStart) {
            windrow.retryFromStart(jobs, maxAttempts());
        } else {
            windrow.retry(jobs, maxAttempts());
        }
    }

    @Override
    @Nullable Changed changeNamed(Windrow windrow, List<JobRef<Json>> jobs, boolean dryRun) {
        return withDependents ? windrow.retryWithDependents(jobs, maxAttempts(), dryRun) : null;
    }

    @Override
    Changed changeAll(Windrow windrow, JobFilter filter, boolean dryRun) {
        if (fromStart) {
            return windrow.retryAllFromStart(filter, maxAttempts(), dryRun);
        }
        return withDependents
                ? windrow.retryAllWithDependents(filter, maxAttempts(), dryRun)
                : windrow.retryAll(filter, maxAttempts(), dryRun);
    }

    private @Nullable Integer maxAttempts() {
        return attempts == null ? null : (Integer) Values.integer("--attempts", attempts, 1, 1000);
    }
}
