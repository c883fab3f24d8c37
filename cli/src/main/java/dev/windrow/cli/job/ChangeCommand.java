package dev.windrow.cli.job;

import dev.windrow.BulkResult;
import dev.windrow.JobHandle;
import dev.windrow.JobHandles;
import dev.windrow.JobRef;
import dev.windrow.Windrow;
import dev.windrow.cli.CliCommand;
import dev.windrow.cli.IfVersionOption;
import dev.windrow.cli.Main;
import dev.windrow.cli.ReasonOption;
import dev.windrow.cli.UsageException;
import dev.windrow.cli.query.FilterOptions;
import dev.windrow.cli.terminal.TerminalText;
import dev.windrow.cli.terminal.Values;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.wire.JobJson;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
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

    @Option(
            names = "--max",
            paramLabel = "N",
            description = "With a filter: stop after about this many jobs. 1 to 2147483647, default unlimited.")
    private @Nullable String max;

    @Mixin
    private ReasonOption reason = new ReasonOption();

    @Mixin
    private IfVersionOption version = new IfVersionOption();

    public ChangeCommand(Main main) {
        super(main);
    }

    /** The change as a participle: "cancelled". */
    public abstract String done();

    public abstract BulkResult change(JobHandles jobs);

    /** Changes one job, whose handle may expect a version. */
    public abstract BulkResult change(JobHandle<Json> job);

    /** Returns the result of a change of one job. */
    static BulkResult one(JobHandle<Json> job) {
        return new BulkResult(1, List.of(job.ref().id()));
    }

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
        version.check();
        if (version.isGiven() && dryRun) {
            throw new UsageException("--if-version is for a change: leave out --dry-run");
        }
        Integer most = max == null ? null : Values.integer("--max", max, 1, Integer.MAX_VALUE);
        Function<Windrow, BulkResult> change = checked(most);
        BulkResult changed;
        try (Windrow windrow = open()) {
            changed = change.apply(reason.of(windrow));
        }
        print(changed);
        if (!dryRun) {
            closed();
        }
    }

    /** Opens the store. */
    Windrow open() {
        return target().openExisting();
    }

    /** Does the rest after the store is closed. */
    void closed() {}

    /** Checks which jobs are named; returns their change. */
    private Function<Windrow, BulkResult> checked(@Nullable Integer most) {
        JobFilter some = filters.filter();
        JobFilter filter = narrow(some);
        Set<JobRef<Json>> named = new LinkedHashSet<>();
        ids.forEach(id -> named.add(JobRef.raw(Values.id("ID", id))));
        if (most != null && (key.isGiven() || !named.isEmpty())) {
            throw new UsageException("--max is for a filter: named jobs are changed all or none");
        }
        if (key.isGiven()) {
            if (!named.isEmpty()) {
                throw new UsageException(KeyOption.NOT_BOTH);
            }
            Function<Windrow, JobRef<Json>> job = key.search(some.type());
            if (!filter.anyType().equals(JobFilter.ALL)) {
                throw new UsageException("--key and --type name one job: leave out the other filters");
            }
            return windrow -> change(windrow, Set.of(job.apply(windrow)));
        }
        boolean filtered = !filters.isEmpty() || !filter.equals(some);
        if (named.isEmpty() != filtered) {
            throw new UsageException(
                    filtered
                            ? "give ids or a filter, not both"
                            : "no jobs named: give their ids, or a filter: " + FilterOptions.SOME);
        }
        if (version.isGiven() && named.size() != 1) {
            throw new UsageException("--if-version is for one job: give one ID, or --key and --type");
        }
        if (filtered) {
            return windrow -> changeAll(
                    most == null ? windrow.jobs(filter) : windrow.jobs(filter).withMaxJobs(most));
        }
        return windrow -> change(windrow, named);
    }

    private BulkResult change(Windrow windrow, Set<JobRef<Json>> named) {
        return version.isGiven()
                ? change(version.of(windrow.job(named.iterator().next())))
                : changeAll(windrow.jobs(named));
    }

    private BulkResult changeAll(JobHandles jobs) {
        return change(dryRun ? jobs.preview() : jobs);
    }

    private void print(BulkResult changed) {
        if (json()) {
            out().println(JobJson.changed(changed));
            return;
        }
        String verb = dryRun ? "would be " + done() : done();
        if (changed.count() == 0) {
            out().println("no job " + (dryRun ? verb : "was " + verb));
        } else {
            String more = changed.count() > changed.ids().size() ? ", ..." : "";
            String least = changed.isAtLeast() ? "at least " : "";
            out().println("%s: %s%,d (%s%s)"
                    .formatted(verb, least, changed.count(), TerminalText.list(changed.ids()), more));
        }
        if (changed.skipped() > 0) {
            out().println("skipped because of other jobs: %,d".formatted(changed.skipped()));
        }
    }
}
