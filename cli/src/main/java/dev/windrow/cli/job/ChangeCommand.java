package dev.windrow.cli.job;

import dev.windrow.BulkResult;
import dev.windrow.JobHandles;
import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.Main;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.query.FilterOptions;
import dev.windrow.cli.terminal.Fields;
import dev.windrow.cli.terminal.Values;
import dev.windrow.query.JobFilter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/**
 * A change of jobs from outside: all or none of the jobs that are named by id, or all jobs that match a filter and
 * allow the change.
 */
public abstract class ChangeCommand extends CliCommand {
    @Parameters(
            arity = "0..*",
            paramLabel = "ID",
            description = "Ids of the jobs; all are changed or none. Instead of ids, give a filter.")
    private List<String> ids = new ArrayList<>();

    @Mixin
    private FilterOptions filters = new FilterOptions();

    @Option(names = "--dry-run", description = "Change nothing; print what would be changed.")
    private boolean dryRun;

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
        JobFilter some = filters.filter();
        JobFilter filter = narrow(some);
        Set<Long> named = new LinkedHashSet<>();
        ids.forEach(id -> named.add(Values.id("ID", id)));
        boolean filtered = !filters.isEmpty() || !filter.equals(some);
        if (named.isEmpty() != filtered) {
            throw new UsageException(
                    filtered
                            ? "give ids or a filter, not both"
                            : "no jobs named: give their ids, or a filter: " + FilterOptions.SOME);
        }
        try (Windrow windrow = target().openExisting()) {
            JobHandles jobs = named.isEmpty()
                    ? windrow.jobs(filter)
                    : windrow.jobs(named.stream().map(JobRef::raw).toList());
            print(change(dryRun ? jobs.preview() : jobs));
        }
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
