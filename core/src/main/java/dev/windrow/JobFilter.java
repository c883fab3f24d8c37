package dev.windrow;

import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The jobs that a listing, a search or a bulk change means: those that match every part that is given. Begin with {@link #ALL} or
 * {@link #inState} and narrow it down by the {@code with} methods.
 *
 * @param states in one of these states; none: in any
 * @param type the type's name
 * @param queue the queue
 * @param tags with all of these tags
 * @param errorCode the code of the last failed attempt
 * @param name the name for people
 * @param worker the worker that runs it now: what does not run does not match
 * @param dedupeKey its dedupe key, or the one that its chain holds, whether it still holds it or not
 * @param concurrencyKey the key that it shares with other jobs
 * @param workflow of the workflow with this id
 * @param chain of the chain whose first job has this id
 * @param parent waits or waited for the job with this id
 * @param priority of this priority
 * @param created when it was enqueued
 * @param finished when it ended: what has not ended matches all of time alone
 * @param scheduled when it was or is due
 */
public record JobFilter(
        Set<JobState> states,
        @Nullable String type,
        @Nullable String queue,
        List<String> tags,
        @Nullable String errorCode,
        @Nullable String name,
        @Nullable String worker,
        @Nullable String dedupeKey,
        @Nullable String concurrencyKey,
        @Nullable Long workflow,
        @Nullable Long chain,
        @Nullable Long parent,
        @Nullable Integer priority,
        TimeRange created,
        TimeRange finished,
        TimeRange scheduled) {
    /** Every job. */
    public static final JobFilter ALL = new JobFilter(
            Set.of(),
            null,
            null,
            List.of(),
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            null,
            TimeRange.ALWAYS,
            TimeRange.ALWAYS,
            TimeRange.ALWAYS);

    /** Copies the collections; of a tag that is named twice one counts. */
    public JobFilter {
        states = states.isEmpty() ? Set.of() : Collections.unmodifiableSet(EnumSet.copyOf(states));
        tags = tags.stream().distinct().toList();
        Objects.requireNonNull(created, "created");
        Objects.requireNonNull(finished, "finished");
        Objects.requireNonNull(scheduled, "scheduled");
    }

    /** The jobs in this state. */
    public static JobFilter inState(JobState state) {
        return ALL.withState(state);
    }

    /** The jobs of a workflow. */
    public static JobFilter workflow(long workflow) {
        return ALL.withWorkflow(workflow);
    }

    /** The same filter for another state, or for any with null. */
    public JobFilter withState(@Nullable JobState state) {
        return withStates(state == null ? Set.of() : Set.of(state));
    }

    /** The same filter for these states, or for any with none. */
    public JobFilter withStates(Collection<JobState> states) {
        return with(parts -> parts.states = Set.copyOf(states));
    }

    /** The same filter for the jobs with all of these tags, instead of others. */
    public JobFilter withTags(List<String> tags) {
        return with(parts -> parts.tags = tags);
    }

    /** The same filter for another type, or for any with null. */
    public JobFilter withType(@Nullable String type) {
        return with(parts -> parts.type = type);
    }

    /** The same filter for another queue, or for any with null. */
    public JobFilter withQueue(@Nullable String queue) {
        return with(parts -> parts.queue = queue);
    }

    /** The same filter for the jobs whose last failed attempt has this code, or for any with null. */
    public JobFilter withErrorCode(@Nullable String errorCode) {
        return with(parts -> parts.errorCode = errorCode);
    }

    /** The same filter for the jobs with this name for people, or for any with null. */
    public JobFilter withName(@Nullable String name) {
        return with(parts -> parts.name = name);
    }

    /** The same filter for the jobs that this worker runs now, or for any with null. */
    public JobFilter withWorker(@Nullable String worker) {
        return with(parts -> parts.worker = worker);
    }

    /** The same filter for the jobs that were given this dedupe key, or for any with null. */
    public JobFilter withDedupeKey(@Nullable String dedupeKey) {
        return with(parts -> parts.dedupeKey = dedupeKey);
    }

    /** The same filter for the jobs that share this concurrency key, or for any with null. */
    public JobFilter withConcurrencyKey(@Nullable String concurrencyKey) {
        return with(parts -> parts.concurrencyKey = concurrencyKey);
    }

    /** The same filter for the jobs of a workflow, or of any and none with null. */
    public JobFilter withWorkflow(@Nullable Long workflow) {
        return with(parts -> parts.workflow = workflow);
    }

    /** The same filter for the jobs of the chain that begins with this job, or for any with null. */
    public JobFilter withChain(@Nullable Long chain) {
        return with(parts -> parts.chain = chain);
    }

    /** The same filter for the jobs that wait or waited for this one, or for any with null. */
    public JobFilter withParent(@Nullable Long parent) {
        return with(parts -> parts.parent = parent);
    }

    /** The same filter for the jobs of this priority, or for any with null. */
    public JobFilter withPriority(@Nullable Integer priority) {
        return with(parts -> parts.priority = priority);
    }

    /** The same filter for the jobs enqueued at or after this instant. */
    public JobFilter withCreatedAfter(Instant instant) {
        return with(parts -> parts.created = parts.created.from(instant));
    }

    /** The same filter for the jobs enqueued before this instant. */
    public JobFilter withCreatedBefore(Instant instant) {
        return with(parts -> parts.created = parts.created.before(instant));
    }

    /** The same filter for the jobs that ended at or after this instant. */
    public JobFilter withFinishedAfter(Instant instant) {
        return with(parts -> parts.finished = parts.finished.from(instant));
    }

    /** The same filter for the jobs that ended before this instant. */
    public JobFilter withFinishedBefore(Instant instant) {
        return with(parts -> parts.finished = parts.finished.before(instant));
    }

    /** The same filter for the jobs due at or after this instant. */
    public JobFilter withScheduledAfter(Instant instant) {
        return with(parts -> parts.scheduled = parts.scheduled.from(instant));
    }

    /** The same filter for the jobs due before this instant. */
    public JobFilter withScheduledBefore(Instant instant) {
        return with(parts -> parts.scheduled = parts.scheduled.before(instant));
    }

    /** The only state, or null if any will do or one of several. */
    public @Nullable JobState state() {
        return states.size() == 1 ? states.iterator().next() : null;
    }

    /** True if a job in this state can match. */
    public boolean allows(JobState state) {
        return states.isEmpty() || states.contains(state);
    }

    private JobFilter with(Consumer<Parts> change) {
        Parts parts = new Parts(this);
        change.accept(parts);
        return parts.filter();
    }

    /** A filter in the making. */
    private static final class Parts {
        private Set<JobState> states;
        private @Nullable String type;
        private @Nullable String queue;
        private List<String> tags;
        private @Nullable String errorCode;
        private @Nullable String name;
        private @Nullable String worker;
        private @Nullable String dedupeKey;
        private @Nullable String concurrencyKey;
        private @Nullable Long workflow;
        private @Nullable Long chain;
        private @Nullable Long parent;
        private @Nullable Integer priority;
        private TimeRange created;
        private TimeRange finished;
        private TimeRange scheduled;

        Parts(JobFilter filter) {
            states = filter.states;
            type = filter.type;
            queue = filter.queue;
            tags = filter.tags;
            errorCode = filter.errorCode;
            name = filter.name;
            worker = filter.worker;
            dedupeKey = filter.dedupeKey;
            concurrencyKey = filter.concurrencyKey;
            workflow = filter.workflow;
            chain = filter.chain;
            parent = filter.parent;
            priority = filter.priority;
            created = filter.created;
            finished = filter.finished;
            scheduled = filter.scheduled;
        }

        JobFilter filter() {
            return new JobFilter(
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
