package dev.windrow.cli.job;

import dev.windrow.BulkResult;
import dev.windrow.JobHandles;
import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.ReasonOption;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.query.FilterOptions;
import dev.windrow.cli.terminal.Fields;
import dev.windrow.cli.terminal.Values;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * A change of jobs from outside: all or none of the jobs that are named by id, the job of a dedupe key, or all jobs that match a filter and
 * allow the change.
 */
public abstract class ChangeCommand extends CliCommand {
    @Parameters(
            arity = "0..*",
            paramLabel = "ID",
            description =
                    "Ids of the jobs; all are changed or none. Instead of ids, give a filter, or --key and --type.")
    private List<String> ids = new ArrayList<>();

    @Mixin
    private KeyOption key = new KeyOption();

    @Mixin
    private FilterOptions filters = new FilterOptions();

    @Option(names = "--dry-run", description = "Change nothing; print what would be changed.")
    private boolean dryRun;

    @Mixin
    private ReasonOption reason = new ReasonOption();

    public ChangeCommand(Main main) {
        super(main);
    }

    /** The change as a participle: "cancelled". */
    public abstract String done();

    public abstract BulkResult change(JobHandles jobs);

    /** Checks the values of the command's own options, so that wrong ones are found before a store is opened. */
    void checkOptions() {}

    /** Adds the command's own part to the filter. */
    JobFilter narrow(JobFilter filter) {
        return filter;
    }

    @Override
    public final void run() {
        checkOptions();
        reason.check();
        Function<Windrow, JobHandles> named = named();
        try (Windrow windrow = target().openExisting()) {
            JobHandles jobs = named.apply(reason.of(windrow));
            print(change(dryRun ? jobs.preview() : jobs));
        }
    }

    /** Checks which jobs are named; returns the search for them. */
    private Function<Windrow, JobHandles> named() {
        JobFilter some = filters.filter();
        JobFilter filter = narrow(some);
        Set<JobRef<Json>> named = new LinkedHashSet<>();
        ids.forEach(id -> named.add(JobRef.raw(Values.id("ID", id))));
        if (key.isGiven()) {
            if (!named.isEmpty()) {
                throw new UsageException(KeyOption.NOT_BOTH);
            }
            Function<Windrow, JobRef<Json>> job = key.search(some.type());
            if (!filter.anyType().equals(JobFilter.ALL)) {
                throw new UsageException("--key and --type name one job: leave out the other filters");
            }
            return windrow -> windrow.jobs(List.of(job.apply(windrow)));
        }
        boolean filtered = !filters.isEmpty() || !filter.equals(some);
        if (named.isEmpty() != filtered) {
            throw new UsageException(
                    filtered
                            ? "give ids or a filter, not both"
                            : "no jobs named: give their ids, or a filter: " + FilterOptions.SOME);
        }
        return windrow -> named.isEmpty() ? windrow.jobs(filter) : windrow.jobs(named);
    }

    private void print(BulkResult changed) {
        if (json()) {
            out().println(new Fields().put("changed", changed.count()).put("ids", JobFields.ids(changed.ids())));
            return;
        }
        String verb = dryRun ? "would be " + done() : done();
        if (changed.count() == 0) {
            out().println("no job " + (dryRun ? verb : "was " + verb));
        } else {
            String more = changed.count() > changed.ids().size() ? ", ..." : "";
            out().println("%s: %,d (%s%s)"
                    .formatted(verb, changed.count(), String.join(", ", JobFields.ids(changed.ids())), more));
        }
    }
}
