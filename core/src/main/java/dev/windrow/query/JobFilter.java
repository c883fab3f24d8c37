package dev.windrow.query;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobState;
import dev.windrow.JobType;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A filter of jobs for a listing, a search or a change of many jobs. It matches the jobs that match all its parts. Begin with {@link #ALL} or
 * {@link #inState}, and add parts by the {@code with} methods. Immutable: each method returns another filter.
 */
@CheckReturnValue
public final class JobFilter {
    /** The filter for every job. */
    public static final JobFilter ALL = new JobFilter(new Parts());

    private final Parts parts;

    private JobFilter(Parts parts) {
        this.parts = parts;
    }

    /** Returns a filter for the jobs in this state. */
    public static JobFilter inState(JobState state) {
        return ALL.withState(state);
    }

    /** Returns a filter for the jobs that are {@code FAILED}: dead letters. */
    public static JobFilter failed() {
        return inState(JobState.FAILED);
    }

    /** Returns a filter for the jobs of a workflow. */
    public static JobFilter workflow(long workflow) {
        return ALL.withWorkflow(workflow);
    }

    /** Returns this filter for another state. */
    public JobFilter withState(JobState state) {
        return withStates(Set.of(state));
    }

    /** Returns this filter for these states. */
    public JobFilter withStates(JobState... states) {
        return withStates(List.of(states));
    }

    /** Returns this filter for these states. An empty collection means any state. */
    public JobFilter withStates(Collection<JobState> states) {
        return with(parts ->
                parts.states = states.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(states)));
    }

    /** Returns this filter for jobs that also have these tags: a job must have all tags of the filter. */
    public JobFilter withTags(String... tags) {
        return withTags(List.of(tags));
    }

    /** Returns this filter for jobs that also have these tags: a job must have all tags of the filter. */
    public JobFilter withTags(List<String> tags) {
        return with(parts -> parts.tags =
                Stream.concat(parts.tags.stream(), tags.stream()).distinct().toList());
    }

    /** Returns this filter for jobs with any tags, or none. */
    public JobFilter anyTags() {
        return with(parts -> parts.tags = List.of());
    }

    /** Returns this filter for another type. */
    public JobFilter withType(String type) {
        Objects.requireNonNull(type, "type");
        return with(parts -> parts.type = type);
    }

    /** Returns this filter for another type, under its name and not its aliases. */
    public JobFilter withType(JobType<?, ?> type) {
        return withType(type.name());
    }

    /** Returns this filter for jobs of any type. */
    public JobFilter anyType() {
        return with(parts -> parts.type = null);
    }

    /** Returns this filter for another queue. */
    public JobFilter withQueue(String queue) {
        Objects.requireNonNull(queue, "queue");
        return with(parts -> parts.queue = queue);
    }

    /** Returns this filter for jobs of any queue. */
    public JobFilter anyQueue() {
        return with(parts -> parts.queue = null);
    }

    /**
     * Returns this filter for the jobs whose last failed attempt has this code. A category stands for all of its codes: {@code PROCESS:*} matches each
     * code that begins with {@code PROCESS:}.
     *
     * @throws InvalidRequestException if the code has an asterisk in another place
     */
    public JobFilter withErrorCode(String errorCode) {
        Objects.requireNonNull(errorCode, "errorCode");
        String checked = errorCode.indexOf('*') < 0 ? errorCode : ErrorCodes.checkPattern(errorCode);
        return with(parts -> parts.errorCode = checked);
    }

    /** Returns this filter for jobs with any error code, or none. */
    public JobFilter anyErrorCode() {
        return with(parts -> parts.errorCode = null);
    }

    /** Returns this filter for the jobs with this name, a label for humans. */
    public JobFilter withName(String name) {
        Objects.requireNonNull(name, "name");
        return with(parts -> parts.name = name);
    }

    /** Returns this filter for the jobs that this worker runs now. */
    public JobFilter withWorker(String worker) {
        Objects.requireNonNull(worker, "worker");
        return with(parts -> parts.worker = worker);
    }

    /** Returns this filter for the jobs that were given this dedupe key. */
    public JobFilter withDedupeKey(String dedupeKey) {
        Objects.requireNonNull(dedupeKey, "dedupeKey");
        return with(parts -> parts.dedupeKey = dedupeKey);
    }

    /** Returns this filter for jobs with any dedupe key, or none. */
    public JobFilter anyDedupeKey() {
        return with(parts -> parts.dedupeKey = null);
    }

    /** Returns this filter for the jobs that share this concurrency key. */
    public JobFilter withConcurrencyKey(String concurrencyKey) {
        Objects.requireNonNull(concurrencyKey, "concurrencyKey");
        return with(parts -> parts.concurrencyKey = concurrencyKey);
    }

    /** Returns this filter for the jobs of a workflow. */
    public JobFilter withWorkflow(long workflow) {
        return with(parts -> parts.workflow = workflow);
    }

    /** Returns this filter for jobs of any workflow, or none. */
    public JobFilter anyWorkflow() {
        return with(parts -> parts.workflow = null);
    }

    /** Returns this filter for the jobs of the chain that begins with this job. */
    public JobFilter withChain(long chain) {
        return with(parts -> parts.chain = chain);
    }

    /** Returns this filter for the jobs that wait or waited for this one. */
    public JobFilter withParent(long parent) {
        return with(parts -> parts.parent = parent);
    }

    /** Returns this filter for jobs that depend on any job, or none. */
    public JobFilter anyParent() {
        return with(parts -> parts.parent = null);
    }

    /** Returns this filter for the jobs of this priority. */
    public JobFilter withPriority(int priority) {
        return with(parts -> parts.priority = priority);
    }

    /** Returns this filter for the jobs enqueued at or after this instant. */
    public JobFilter withCreatedFrom(Instant instant) {
        return with(parts -> parts.created = parts.created.from(instant));
    }

    /** Returns this filter for the jobs enqueued before this instant. */
    public JobFilter withCreatedBefore(Instant instant) {
        return with(parts -> parts.created = parts.created.before(instant));
    }

    /** Returns this filter for the jobs that ended at or after this instant. */
    public JobFilter withFinishedFrom(Instant instant) {
        return with(parts -> parts.finished = parts.finished.from(instant));
    }

    /** Returns this filter for the jobs that ended before this instant. */
    public JobFilter withFinishedBefore(Instant instant) {
        return with(parts -> parts.finished = parts.finished.before(instant));
    }

    /** Returns this filter for the jobs due at or after this instant. */
    public JobFilter withScheduledAfter(Instant instant) {
        return with(parts -> parts.scheduled = parts.scheduled.from(instant));
    }

    /** Returns this filter for the jobs due before this instant. */
    public JobFilter withScheduledBefore(Instant instant) {
        return with(parts -> parts.scheduled = parts.scheduled.before(instant));
    }

    /** Returns the states of the filter: a job is in one of them. Empty: any. */
    public Set<JobState> states() {
        return parts.states;
    }

    /** Returns the name of the type. Null: any. */
    public @Nullable String type() {
        return parts.type;
    }

    /** Returns the queue. Null: any. */
    public @Nullable String queue() {
        return parts.queue;
    }

    /** Returns the tags of the filter: a job has all of them. */
    public List<String> tags() {
        return parts.tags;
    }

    /** Returns the code of the last failed attempt, or all codes of a category, such as {@code PROCESS:*}. Null: any. */
    public @Nullable String errorCode() {
        return parts.errorCode;
    }

    /** Returns the name, a label for humans. Null: any. */
    public @Nullable String name() {
        return parts.name;
    }

    /** Returns the worker that runs the job now. A job that does not run does not match. Null: any. */
    public @Nullable String worker() {
        return parts.worker;
    }

    /** Returns the dedupe key of the job or of its chain. A job also matches after it has given the key up. Null: any. */
    public @Nullable String dedupeKey() {
        return parts.dedupeKey;
    }

    /** Returns the concurrency key. Null: any. */
    public @Nullable String concurrencyKey() {
        return parts.concurrencyKey;
    }

    /** Returns the id of the workflow. Null: any. */
    public @Nullable Long workflow() {
        return parts.workflow;
    }

    /** Returns the id of the first job of the chain. Null: any. */
    public @Nullable Long chain() {
        return parts.chain;
    }

    /** Returns the id of a job for which the job waits or waited. Null: any. */
    public @Nullable Long parent() {
        return parts.parent;
    }

    /** Returns the priority. Null: any. */
    public @Nullable Integer priority() {
        return parts.priority;
    }

    /** Returns the range of the time of the enqueue. */
    public TimeRange created() {
        return parts.created;
    }

    /** Returns the range of the time of the end. A job that has not ended matches only {@link TimeRange#ALWAYS}. */
    public TimeRange finished() {
        return parts.finished;
    }

    /** Returns the range of the time at which the job was or is due. */
    public TimeRange scheduled() {
        return parts.scheduled;
    }

    /** Returns the only state of the filter; null if it has none or several. */
    public @Nullable JobState state() {
        return parts.states.size() == 1 ? parts.states.iterator().next() : null;
    }

    /** True if a job in this state can match. */
    public boolean allows(JobState state) {
        return parts.states.isEmpty() || parts.states.contains(state);
    }

    private JobFilter with(Consumer<Parts> change) {
        Parts changed = parts.copy();
        change.accept(changed);
        return new JobFilter(changed);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof JobFilter filter && parts.all().equals(filter.parts.all());
    }

    @Override
    public int hashCode() {
        return parts.all().hashCode();
    }

    @Override
    public String toString() {
        return "JobFilter" + parts.all();
    }

    /** The parts of a filter. They do not change after the filter is made. */
    private static final class Parts implements Cloneable {
        private Set<JobState> states = Set.of();
        private @Nullable String type;
        private @Nullable String queue;
        private List<String> tags = List.of();
        private @Nullable String errorCode;
        private @Nullable String name;
        private @Nullable String worker;
        private @Nullable String dedupeKey;
        private @Nullable String concurrencyKey;
        private @Nullable Long workflow;
        private @Nullable Long chain;
        private @Nullable Long parent;
        private @Nullable Integer priority;
        private TimeRange created = TimeRange.ALWAYS;
        private TimeRange finished = TimeRange.ALWAYS;
        private TimeRange scheduled = TimeRange.ALWAYS;

        Parts copy() {
            try {
                return (Parts) clone();
            } catch (CloneNotSupportedException e) {
                throw new IllegalStateException(e);
            }
        }

        /** Returns all parts, in their order. */
        List<@Nullable Object> all() {
            return Arrays.asList(
                    states,
                    type,
                    queue,
                    tags,
                    errorCode,
                    name,
                    worker,
                    dedupeKey,
                    concurrencyKey,
                    workflow,
                    chain,
                    parent,
                    priority,
                    created,
                    finished,
                    scheduled);
        }
    }
}
