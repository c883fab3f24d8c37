package dev.windrow.retention;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.validation.Bounds;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that one pass of retention is to delete; see {@link Retention#cleanup(Cleanup)}. Immutable: begin with {@link #BY_THE_RULES}, each
 * {@code with} method returns a copy.
 */
@CheckReturnValue
public final class Cleanup {
    /** Everything that the rules let go. */
    public static final Cleanup BY_THE_RULES = new Cleanup(new Parts());

    private final Parts parts;

    private Cleanup(Parts parts) {
        this.parts = parts;
    }

    /**
     * The same with another time for jobs of this state, whatever the rules say.
     *
     * @param time how long after its end a job is kept
     * @throws InvalidRequestException see {@link RetentionRules.Rule}
     */
    public Cleanup withAge(JobState state, Duration time) {
        return withRule(state, Objects.requireNonNull(time, "time"));
    }

    /** The same without jobs of this state, whatever the rules say. */
    public Cleanup withoutState(JobState state) {
        return withRule(state, null);
    }

    private Cleanup withRule(JobState state, @Nullable Duration keep) {
        Map<JobState, RetentionRules.Rule> ages = new EnumMap<>(JobState.class);
        ages.putAll(parts.ages);
        ages.put(state, new RetentionRules.Rule(state, null, keep));
        return with(changed -> changed.ages = Map.copyOf(ages));
    }

    /**
     * The same of jobs of this type alone.
     *
     * @throws InvalidRequestException if no type has this name
     */
    public Cleanup withType(String type) {
        Bounds.type(type);
        return with(changed -> changed.type = type);
    }

    /** The same of jobs of this type alone, under its name and not its aliases. */
    public Cleanup withType(JobType<?, ?> type) {
        return withType(type.name());
    }

    /**
     * The same, ending after so many jobs, roughly: the jobs of a chain that was begun all go.
     *
     * @param jobs at least 1
     * @throws InvalidRequestException if no job could be deleted
     */
    public Cleanup withMaxJobs(long jobs) {
        if (jobs < 1) {
            throw new InvalidRequestException("max jobs %d are not allowed: at least 1".formatted(jobs));
        }
        return with(changed -> changed.maxJobs = jobs);
    }

    /** The same with an archive, which gets the jobs before they are deleted. */
    public Cleanup withArchive(JobArchive archive) {
        return with(changed -> changed.archive = archive);
    }

    /** The same with a listener that is told after each batch what was deleted so far, on the calling thread; its false ends the pass. */
    public Cleanup withProgress(Predicate<RetentionResult> progress) {
        return with(changed -> changed.progress = progress);
    }

    /** Other times than those of the rules, for all jobs of a state, whatever their types. */
    public Map<JobState, RetentionRules.Rule> ages() {
        return parts.ages;
    }

    /** The type of the jobs that go; null: any. A chain goes only as a whole, and so with its jobs of other types. */
    public @Nullable String type() {
        return parts.type;
    }

    /** The number of jobs after which it ends, roughly; null: it ends when nothing is left. */
    public @Nullable Long maxJobs() {
        return parts.maxJobs;
    }

    /** The archive that gets the jobs before they are deleted, or null. */
    public @Nullable JobArchive archive() {
        return parts.archive;
    }

    /** The listener that is told after each batch what was deleted so far; its false ends the pass. */
    public Predicate<RetentionResult> progress() {
        return parts.progress;
    }

    private Cleanup with(Consumer<Parts> change) {
        Parts changed = parts.copy();
        change.accept(changed);
        return new Cleanup(changed);
    }

    /** Changed only before a cleanup has it. */
    private static final class Parts implements Cloneable {
        private Map<JobState, RetentionRules.Rule> ages = Map.of();
        private @Nullable String type;
        private @Nullable Long maxJobs;
        private @Nullable JobArchive archive;
        private Predicate<RetentionResult> progress = sofar -> true;

        private Parts copy() {
            try {
                return (Parts) clone();
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
