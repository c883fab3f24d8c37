package dev.windrow.store;

import dev.windrow.JobFilter;
import dev.windrow.JobState;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * How the jobs of a filter are found: by its most selective part that has an index. The rest is checked job by job.
 *
 * @param index what is gone through
 * @param key of {@code PARENT}, {@code CHAIN}, {@code WORKFLOW}, {@code TAG} and {@code FAILED_CODE}: which one, ids as their digits
 * @param states of {@code STATES}: which ones
 * @param queue of {@code LANES}: which queue, or null
 * @param type of {@code LANES}: which type, or null
 * @param rest what remains to be checked of the jobs that are found so; {@link JobFilter#ALL}: nothing
 */
public record WayIn(
        Index index,
        @Nullable String key,
        Set<JobState> states,
        @Nullable String queue,
        @Nullable String type,
        JobFilter rest) {
    /** What can be gone through in the order of ids. */
    public enum Index {
        /** The jobs that depend on one. */
        PARENT,
        /** The jobs of a chain. */
        CHAIN,
        /** The jobs of a workflow. */
        WORKFLOW,
        /** The jobs with a tag. */
        TAG,
        /** The failed jobs with an error code. */
        FAILED_CODE,
        /** The jobs in some states, none of them {@code COMPLETED}, of which no index knows. */
        STATES,
        /** The jobs of a queue, of a type, or of both. */
        LANES,
        /** All jobs. */
        ALL,
        /** No jobs: the filter contradicts itself, or means texts that cannot be stored. */
        NOTHING
    }

    /** The way in for a filter. */
    public static WayIn of(JobFilter filter) {
        if ((filter.worker() != null && !filter.allows(JobState.RUNNING)) || !isStorable(filter)) {
            return new WayIn(Index.NOTHING, null, Set.of(), null, null, filter);
        }
        if (filter.parent() != null) {
            return by(Index.PARENT, filter.parent().toString(), filter.withParent(null));
        }
        if (filter.chain() != null) {
            // The first job of what was looked for may itself be a continuation in another chain: so this stays to be
            // checked.
            return by(Index.CHAIN, filter.chain().toString(), filter);
        }
        if (filter.workflow() != null) {
            return by(Index.WORKFLOW, filter.workflow().toString(), filter.withWorkflow(null));
        }
        if (!filter.tags().isEmpty()) {
            return by(
                    Index.TAG,
                    filter.tags().get(0),
                    filter.withTags(filter.tags().subList(1, filter.tags().size())));
        }
        if (filter.errorCode() != null && filter.state() == JobState.FAILED) {
            return by(
                    Index.FAILED_CODE,
                    filter.errorCode(),
                    filter.withState(null).withErrorCode(null));
        }
        Set<JobState> states = filter.worker() == null ? filter.states() : EnumSet.of(JobState.RUNNING);
        if (!states.isEmpty() && !states.contains(JobState.COMPLETED)) {
            return new WayIn(Index.STATES, null, states, null, null, filter.withState(null));
        }
        return pastStates(filter);
    }

    /** Whether jobs are sorted to be gone through in the order of ids: those that are due and those that are ready are indexed by time. */
    public boolean isSorted() {
        return states.contains(JobState.PENDING) || states.contains(JobState.SCHEDULED);
    }

    /** The way in for a filter where so many jobs are in its states that sorting them takes long: job by job, the states checked. */
    public static WayIn pastStates(JobFilter filter) {
        if (filter.type() != null || filter.queue() != null) {
            return new WayIn(
                    Index.LANES,
                    null,
                    Set.of(),
                    filter.queue(),
                    filter.type(),
                    filter.withType(null).withQueue(null));
        }
        return pastLanes(filter);
    }

    /** The way in for a filter where the jobs of its queue and its type are found sooner among all, or are in more lanes than are merged: job by job. */
    public static WayIn pastLanes(JobFilter filter) {
        return by(Index.ALL, null, filter);
    }

    /** No job has a text that no database keeps as it is; and what a database made of it might be another job's. */
    private static boolean isStorable(JobFilter filter) {
        return Stream.concat(
                        filter.tags().stream(),
                        Stream.of(
                                filter.type(),
                                filter.queue(),
                                filter.errorCode(),
                                filter.name(),
                                filter.worker(),
                                filter.dedupeKey(),
                                filter.concurrencyKey()))
                .allMatch(text -> text == null
                        || text.codePoints().noneMatch(c -> c == 0 || Character.getType(c) == Character.SURROGATE));
    }

    private static WayIn by(Index index, @Nullable String key, JobFilter rest) {
        return new WayIn(index, key, Set.of(), null, null, rest);
    }
}
