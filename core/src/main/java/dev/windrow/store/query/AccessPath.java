package dev.windrow.store.query;

import dev.windrow.ErrorCodes;
import dev.windrow.JobState;
import dev.windrow.query.JobFilter;
import java.util.EnumSet;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The index by which the jobs of a filter are found: the index of its most selective condition. The rest of the filter is checked job by job.
 *
 * @param index the index
 * @param key the key of {@code PARENT}, {@code CHAIN}, {@code DEDUPE_KEY}, {@code WORKFLOW}, {@code TAG}, {@code FAILED_CODE} and
 *     {@code FAILED_CATEGORY}; ids as their digits
 * @param states the states of {@code STATES}
 * @param queue the queue of {@code LANES}, or null
 * @param type the type of {@code LANES}, or null
 * @param rest the rest of the filter; {@link JobFilter#ALL} if nothing remains to be checked
 */
public record AccessPath(
        Index index,
        @Nullable String key,
        Set<JobState> states,
        @Nullable String queue,
        @Nullable String type,
        JobFilter rest) {
    /** The sets of jobs that can be read in the order of their ids. */
    public enum Index {
        /** The jobs that depend on one job. */
        PARENT,
        /** The jobs of a chain. */
        CHAIN,
        /** The jobs that were enqueued with a dedupe key. */
        DEDUPE_KEY,
        /** The jobs of a workflow. */
        WORKFLOW,
        /** The jobs with a tag. */
        TAG,
        /** The failed jobs with an error code. */
        FAILED_CODE,
        /** The failed jobs with the error codes of a category. The key is the beginning of these codes. */
        FAILED_CATEGORY,
        /** The jobs in some states. {@code COMPLETED} is not one of them, because it has no index. */
        STATES,
        /** The jobs of a queue, of a type, or of both. */
        LANES,
        /** All jobs. */
        ALL,
        /** No jobs: the filter contradicts itself, or has texts that cannot be stored. */
        NOTHING
    }

    /** Returns the access path for a filter. */
    public static AccessPath of(JobFilter filter) {
        if ((filter.worker() != null && !filter.allows(JobState.RUNNING)) || !isStorable(filter)) {
            return by(Index.NOTHING, null, filter);
        }
        if (filter.parent() != null) {
            return by(Index.PARENT, filter.parent().toString(), filter.anyParent());
        }
        if (filter.chain() != null) {
            // The first job of the chain may itself be a continuation in another chain. So this condition remains to be
            // checked.
            return by(Index.CHAIN, filter.chain().toString(), filter);
        }
        if (filter.dedupeKey() != null) {
            return by(Index.DEDUPE_KEY, filter.dedupeKey(), filter.anyDedupeKey());
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
            String category = ErrorCodes.category(filter.errorCode());
            return by(
                    category == null ? Index.FAILED_CODE : Index.FAILED_CATEGORY,
                    category == null ? filter.errorCode() : category,
                    filter.withStates(Set.of()).anyErrorCode());
        }
        return pastCodes(filter);
    }

    /** Returns the access path for a filter whose category has too many codes to read each of them. It reads the jobs of its states. */
    public static AccessPath pastCodes(JobFilter filter) {
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

    /** True if the jobs must be sorted by id. Scheduled and pending jobs are indexed by time. */
    public boolean isSorted() {
        return states.contains(JobState.PENDING) || states.contains(JobState.SCHEDULED);
    }

    /**
     * Returns the access path for a filter whose states have so many jobs that sorting them takes long. It reads job by job and checks the states.
     */
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

    /** Returns the access path for a filter whose queue or type has too many lanes to read each of them. It reads job by job. */
    public static AccessPath pastLanes(JobFilter filter) {
        return by(Index.ALL, null, filter);
    }

    /**
     * True if all texts of the filter can be stored. No job has a text that databases do not store unchanged. The changed text might be the text of
     * another job.
     */
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
