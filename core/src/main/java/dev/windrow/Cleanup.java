package dev.windrow;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * What one pass of retention is to delete; see {@link dev.windrow.Windrow#cleanup}.
 *
 * @param ages other times than those of the rules, for all jobs of a state, whatever their types
 * @param type only jobs of this type; null: of all. A chain goes only as a whole, and so with its jobs of other types
 * @param maxJobs after how many it ends, roughly: the jobs of a chain that was begun all go; null: when nothing is left
 * @param dryRun only count
 * @param archive gets the jobs before they are deleted; null: nobody does
 * @param progress told after each batch what was deleted so far, on the calling thread; false ends the pass
 */
public record Cleanup(
        Map<JobState, Retention.Rule> ages,
        @Nullable String type,
        @Nullable Long maxJobs,
        boolean dryRun,
        @Nullable JobArchive archive,
        Predicate<CleanedUp> progress) {
    /** Everything that the rules let go. */
    public static final Cleanup BY_THE_RULES = new Cleanup(Map.of(), null, null, false, null, sofar -> true);

    /**
     * Checks the values.
     *
     * @throws InvalidRequestException if no type has this name, or no job could be deleted
     */
    public Cleanup {
        if (type != null) {
            Limits.type(type);
        }
        if (maxJobs != null && maxJobs < 1) {
            throw new InvalidRequestException("max jobs %d are not allowed: at least 1".formatted(maxJobs));
        }
        ages = Map.copyOf(ages);
    }

    /**
     * The same with another time for jobs of this state, whatever the rules say.
     *
     * @param keep how long after its end a job is kept; null: for ever
     * @throws InvalidRequestException see {@link Retention.Rule}
     */
    public Cleanup withAge(JobState state, @Nullable Duration keep) {
        Map<JobState, Retention.Rule> more = new EnumMap<>(JobState.class);
        more.putAll(ages);
        more.put(state, new Retention.Rule(state, null, keep));
        return new Cleanup(more, type, maxJobs, dryRun, archive, progress);
    }

    /** The same of jobs of this type alone. */
    public Cleanup withType(String type) {
        return new Cleanup(ages, type, maxJobs, dryRun, archive, progress);
    }

    /** The same, ending after so many jobs. */
    public Cleanup withMaxJobs(long jobs) {
        return new Cleanup(ages, type, jobs, dryRun, archive, progress);
    }

    /** The same without a change: only counted. */
    public Cleanup asDryRun() {
        return new Cleanup(ages, type, maxJobs, true, archive, progress);
    }

    /** The same with an archive. */
    public Cleanup withArchive(JobArchive archive) {
        return new Cleanup(ages, type, maxJobs, dryRun, archive, progress);
    }

    /** The same with somebody who is told of the progress, and may end it. */
    public Cleanup withProgress(Predicate<CleanedUp> progress) {
        return new Cleanup(ages, type, maxJobs, dryRun, archive, progress);
    }
}
