package dev.windrow.cli;

import dev.windrow.Changed;
import dev.windrow.JobFilter;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.Json;
import dev.windrow.TransitionRefusedException;
import dev.windrow.Windrow;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** A change to jobs from outside: of those named by id, all or none; or of all that match a filter and allow it. */
abstract class ChangeCommand extends CliCommand {
    private static final int SHOWN = 100;

    @Parameters(arity = "0..*", paramLabel = "ID", description = "The jobs, all of them or none; or else a filter:")
    private List<String> ids = new ArrayList<>();

    @Mixin
    private FilterOptions filters = new FilterOptions();

    @Option(names = "--dry-run", description = "Change nothing; say what would be changed.")
    private boolean dryRun;

    ChangeCommand(Main main) {
        super(main);
    }

    /** What is done, as a participle: "cancelled". */
    abstract String done();

    /** Whether a job in this state can be changed so. */
    abstract boolean possible(JobState state);

    abstract void change(Windrow windrow, List<JobRef<Json>> jobs);

    abstract Changed changeAll(Windrow windrow, JobFilter filter, boolean dryRun);

    /** Reads the values of the command's own options; wrong ones are found before anything is opened. */
    void checkOptions() {}

    /** The command's own part of the filter. */
    JobFilter narrow(JobFilter filter) {
        return filter;
    }

    @Override
    final void run() {
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
            print(named.isEmpty() ? changeAll(windrow, filter, dryRun) : changeNamed(windrow, named));
        }
    }

    /** Changes those that are named and others with them; null if there are no others. */
    @Nullable Changed changeNamed(Windrow windrow, List<JobRef<Json>> jobs, boolean dryRun) {
        return null;
    }

    private Changed changeNamed(Windrow windrow, Set<Long> named) {
        Changed changed = changeNamed(windrow, named.stream().map(JobRef::raw).toList(), dryRun);
        if (changed != null) {
            return changed;
        }
        if (dryRun) {
            named.forEach(id -> check(windrow, id));
        } else {
            change(windrow, named.stream().map(JobRef::raw).toList());
        }
        return new Changed(named.size(), named.stream().limit(SHOWN).toList());
    }

    private void check(Windrow windrow, long id) {
        JobState state = windrow.find(id)
                .orElseThrow(() -> new JobNotFoundException("job", id))
                .job()
                .state();
        if (!possible(state)) {
            throw new TransitionRefusedException("job %d is %s and cannot be %s".formatted(id, state, done()));
        }
    }

    private void print(Changed changed) {
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
