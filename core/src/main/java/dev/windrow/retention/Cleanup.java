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
 * The settings of one pass of retention; see {@link Retention#cleanup(Cleanup)}. Immutable: begin with {@link #BY_THE_RULES}; each {@code with}
 * method returns a copy.
 */
@CheckReturnValue
public final class Cleanup {
    /** The cleanup that deletes all jobs that the rules no longer keep. */
    public static final Cleanup BY_THE_RULES = new Cleanup(new Parts());

    private final Parts parts;

    private Cleanup(Parts parts) {
        this.parts = parts;
    }

    /**
     * Returns this cleanup with another time for jobs of this state, which replaces the rules of the state.
     *
     * @param time the time after its end for which a job is kept
     * @throws InvalidRequestException see {@link RetentionRules.Rule}
     */
    public Cleanup withAge(JobState state, Duration time) {
        return withRule(state, Objects.requireNonNull(time, "time"));
    }

    /** Returns this cleanup without jobs of this state. The rules of the state do not count. */
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
     * Returns this cleanup for jobs of this type only.
     *
     * @throws InvalidRequestException if the name is not allowed for a type
     */
    public Cleanup withType(String type) {
        Bounds.type(type);
        return with(changed -> changed.type = type);
    }

    /** Returns this cleanup for jobs of this type only, under its name and not its aliases. */
    public Cleanup withType(JobType<?, ?> type) {
        return withType(type.name());
    }

    /**
     * Returns this cleanup with a limit: it ends after about this many jobs. A chain is deleted as a whole.
     *
     * @param jobs at least 1
     * @throws InvalidRequestException if the number is less than 1
     */
    public Cleanup withMaxJobs(long jobs) {
        if (jobs < 1) {
            throw new InvalidRequestException("max jobs %d are not allowed: at least 1".formatted(jobs));
        }
        return with(changed -> changed.maxJobs = jobs);
    }

    /** Returns this cleanup with an archive, which gets the jobs before they are deleted. */
    public Cleanup withArchive(JobArchive archive) {
        return with(changed -> changed.archive = archive);
    }

    /**
     * Returns this cleanup with a callback on the calling thread. After each batch it gets the result so far. It returns false to end the pass.
     */
    public Cleanup withProgress(Predicate<RetentionResult> progress) {
        return with(changed -> changed.progress = progress);
    }

    /** Returns the times that replace the rules, for all jobs of a state and of any type. */
    public Map<JobState, RetentionRules.Rule> ages() {
        return parts.ages;
    }

    /** Returns the type of the deleted jobs; null: any. A chain is deleted as a whole, also with its jobs of other types. */
    public @Nullable String type() {
        return parts.type;
    }

    /** Returns the approximate maximum number of deleted jobs; null: no limit. */
    public @Nullable Long maxJobs() {
        return parts.maxJobs;
    }

    /** Returns the archive that gets the jobs before they are deleted, or null. */
    public @Nullable JobArchive archive() {
        return parts.archive;
    }

    /** Returns the callback that gets the result so far after each batch, and returns false to end the pass. */
    public Predicate<RetentionResult> progress() {
        return parts.progress;
    }

    private Cleanup with(Consumer<Parts> change) {
        Parts changed = parts.copy();
        change.accept(changed);
        return new Cleanup(changed);
    }

    /** The parts of a cleanup. They do not change after the cleanup is made. */
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
