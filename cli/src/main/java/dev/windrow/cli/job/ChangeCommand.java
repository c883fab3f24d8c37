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

/** A change to jobs from outside: of those named by id, all or none; or of all that match a filter and allow it. */
public abstract class ChangeCommand extends CliCommand {
    @Parameters(arity = "0..*", paramLabel = "ID", description = "The jobs, all of them or none; or else a filter:")
    private List<String> ids = new ArrayList<>();

    @Mixin
    private FilterOptions filters = new FilterOptions();

    @Option(names = "--dry-run", description = "Change nothing; say what would be changed.")
    private boolean dryRun;

    public ChangeCommand(Main main) {
        super(main);
    }

    /** What is done, as a participle: "cancelled". */
    public abstract String done();

    public abstract BulkResult change(JobHandles jobs);

    /** Reads the values of the command's own options; wrong ones are found before anything is opened. */
    void checkOptions() {}

    /** The command's own part of the filter. */
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
                            : "which jobs? Give their ids, or a filter: " + FilterOptions.SOME);
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
