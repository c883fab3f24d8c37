package dev.windrow.store.query;

import dev.windrow.JobState;
import dev.windrow.query.JobFilter;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The index by which the jobs of a filter are found: that of its most selective part. The rest of the filter is checked job by job.
 *
 * @param index the index
 * @param key the key of {@code PARENT}, {@code CHAIN}, {@code WORKFLOW}, {@code TAG} and {@code FAILED_CODE}, ids as their digits
 * @param states the states of {@code STATES}
 * @param queue the queue of {@code LANES}, or null
 * @param type the type of {@code LANES}, or null
 * @param rest the rest of the filter; {@link JobFilter#ALL}: nothing remains to be checked
 */
public record AccessPath(
        Index index,
        @Nullable String key,
        Set<JobState> states,
        @Nullable String queue,
        @Nullable String type,
        JobFilter rest) {
    /** The jobs that can be read in the order of their ids. */
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

    /** The access path for a filter. */
    public static AccessPath of(JobFilter filter) {
        if ((filter.worker() != null && !filter.allows(JobState.RUNNING)) || !isStorable(filter)) {
            return by(Index.NOTHING, null, filter);
        }
        if (filter.parent() != null) {
            return by(Index.PARENT, filter.parent().toString(), filter.anyParent());
        }
        if (filter.chain() != null) {
            // The first job of what was looked for may itself be a continuation in another chain: so this stays to be
            // checked.
            return by(Index.CHAIN, filter.chain().toString(), filter);
        }
        if (filter.workflow() != null) {
            return by(Index.WORKFLOW, filter.workflow().toString(), filter.anyWorkflow());
        }
        if (!filter.tags().isEmpty()) {
            return by(
                    Index.TAG,
                    filter.tags().get(0),
                    filter.anyTags()
                            .withTags(filter.tags().subList(1, filter.tags().size())));
        }
        if (filter.errorCode() != null && filter.state() == JobState.FAILED) {
            return by(
                    Index.FAILED_CODE,
                    filter.errorCode(),
                    filter.withStates(Set.of()).anyErrorCode());
        }
        Set<JobState> states = filter.worker() == null ? filter.states() : EnumSet.of(JobState.RUNNING);
        if (!states.isEmpty() && !states.contains(JobState.COMPLETED)) {
            return new AccessPath(
                    /* index= */ Index.STATES,
                    /* key= */ null,
                    /* states= */ states,
                    /* queue= */ null,
                    /* type= */ null,
                    /* rest= */ filter.withStates(Set.of()));
        }
        return pastStates(filter);
    }

    /** True if jobs are sorted to be read in the order of their ids: scheduled and pending ones are indexed by time. */
    public boolean isSorted() {
        return states.contains(JobState.PENDING) || states.contains(JobState.SCHEDULED);
    }

    /** The access path for a filter where so many jobs are in its states that sorting them takes long: job by job, the states checked. */
    public static AccessPath pastStates(JobFilter filter) {
        if (filter.type() != null || filter.queue() != null) {
            return new AccessPath(
                    /* index= */ Index.LANES,
                    /* key= */ null,
                    /* states= */ Set.of(),
                    /* queue= */ filter.queue(),
                    /* type= */ filter.type(),
                    /* rest= */ filter.anyType().anyQueue());
        }
        return pastLanes(filter);
    }

    /** The access path for a filter whose queue or type has too many lanes to look into each: job by job. */
    public static AccessPath pastLanes(JobFilter filter) {
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

    private static AccessPath by(Index index, @Nullable String key, JobFilter rest) {
        return new AccessPath(
                /* index= */ index,
                /* key= */ key,
                /* states= */ Set.of(),
                /* queue= */ null,
                /* type= */ null,
                /* rest= */ rest);
    }
}
