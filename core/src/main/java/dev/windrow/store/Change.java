package dev.windrow.store;

import dev.windrow.JobFilter;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A change of jobs by somebody who does not hold them. Exactly one of {@code ids} and {@code filter} is given.
 *
 * @param verb what is wanted
 * @param ids the jobs, by id: all or none are changed
 * @param filter the jobs, by filter: those that can be changed are
 * @param actor who wants it, for the event log
 * @param maxAttempts for {@code RETRY}: the new budget, or null to keep each job's own
 * @param result for {@code COMPLETE}: JSON text, or null
 * @param errorCode for {@code FAIL}: the code
 * @param errorDetail for {@code FAIL}: the short detail, or null
 * @param dryRun only count
 */
public record Change(
        Verb verb,
        @Nullable List<Long> ids,
        @Nullable JobFilter filter,
        String actor,
        @Nullable Integer maxAttempts,
        @Nullable String result,
        @Nullable String errorCode,
        @Nullable String errorDetail,
        boolean dryRun) {
    /** What is wanted; which {@link Transition} it is depends on the job. */
    public enum Verb {
        /** {@link Transition#CANCEL}; of a running job, a request to its holder, which changes no state. */
        CANCEL,
        /** {@link Transition#RETRY} or {@link Transition#RETRY_BLOCKED}. */
        RETRY,
        /** {@link Transition#COMPLETE_OUTSIDE}. */
        COMPLETE,
        /** {@link Transition#FAIL_OUTSIDE}. */
        FAIL,
        /** {@link Transition#PROMOTE}, whatever the time. */
        TRIGGER,
        /** {@link Transition#DISCARD}. */
        DISCARD
    }

    /** Checks that the jobs are named one way. */
    public Change {
        if ((ids == null) == (filter == null)) {
            throw new IllegalArgumentException("a change names its jobs by ids or by filter, not both");
        }
        ids = ids == null ? null : List.copyOf(ids);
    }

    /** A change of jobs by id without further arguments. */
    public static Change of(Verb verb, List<Long> ids, String actor) {
        return new Change(verb, ids, null, actor, null, null, null, null, false);
    }
}
