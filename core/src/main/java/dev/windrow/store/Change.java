package dev.windrow.store;

import dev.windrow.ErrorCodes;
import dev.windrow.JobFilter;
import dev.windrow.JobState;
import dev.windrow.TimeRange;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A change of jobs by somebody who does not hold them. Exactly one of {@code ids} and {@code filter} is given.
 *
 * @param verb what is wanted
 * @param ids the jobs, by id: all or none are changed
 * @param filter the jobs, by filter: those that can be changed are
 * @param actor who wants it, for the event log
 * @param maxAttempts for {@code RETRY}: the new budget, or null to keep each job's own
 * @param result for {@code COMPLETE}: JSON text, or the {@link dev.windrow.BlobRef} of a staged blob; or null
 * @param errorCode for {@code FAIL}: the code
 * @param errorDetail for {@code FAIL}: the short detail, or null
 * @param dryRun only count
 * @param withDependents for {@code RETRY}: also the jobs that were cancelled because one of these ended without success, and so on
 *     with those below them; each with its own budget. By filter, those of them that cannot be retried are left out. A thousand come back in
 *     the transaction of the change; more follow, and are not counted
 * @param next for {@code COMPLETE} of one job by its id: the job that goes on in the same chain, written in the same transaction, by the
 *     rules of {@link Settlement#next}; or null
 * @param fromStart for {@code RETRY}: the durable steps of these jobs are forgotten, not those of dependents
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
        boolean dryRun,
        boolean withDependents,
        @Nullable JobRow next,
        boolean fromStart) {
    /** A change that forgets no steps. */
    public Change(
            Verb verb,
            @Nullable List<Long> ids,
            @Nullable JobFilter filter,
            String actor,
            @Nullable Integer maxAttempts,
            @Nullable String result,
            @Nullable String errorCode,
            @Nullable String errorDetail,
            boolean dryRun,
            boolean withDependents,
            @Nullable JobRow next) {
        this(
                verb,
                ids,
                filter,
                actor,
                maxAttempts,
                result,
                errorCode,
                errorDetail,
                dryRun,
                withDependents,
                next,
                false);
    }

    /** A change after which nothing goes on. */
    public Change(
            Verb verb,
            @Nullable List<Long> ids,
            @Nullable JobFilter filter,
            String actor,
            @Nullable Integer maxAttempts,
            @Nullable String result,
            @Nullable String errorCode,
            @Nullable String errorDetail,
            boolean dryRun,
            boolean withDependents) {
        this(verb, ids, filter, actor, maxAttempts, result, errorCode, errorDetail, dryRun, withDependents, null);
    }

    /** A change of the jobs that it names alone. */
    public Change(
            Verb verb,
            @Nullable List<Long> ids,
            @Nullable JobFilter filter,
            String actor,
            @Nullable Integer maxAttempts,
            @Nullable String result,
            @Nullable String errorCode,
            @Nullable String errorDetail,
            boolean dryRun) {
        this(verb, ids, filter, actor, maxAttempts, result, errorCode, errorDetail, dryRun, false);
    }

    /** What is wanted; which {@link Transition} it is depends on the job. */
    public enum Verb {
        /** {@link Transition#CANCEL}; of a running job, a request to its holder, which changes no state. */
        CANCEL,
        /** {@link Transition#RETRY}, or {@link Transition#RETRY_BLOCKED} if it waits for parents or for outside. */
        RETRY,
        /** {@link Transition#COMPLETE_OUTSIDE}. */
        COMPLETE,
        /** {@link Transition#FAIL_OUTSIDE}. */
        FAIL,
        /** {@link Transition#PROMOTE}, whatever the time. */
        TRIGGER,
        /** {@link Transition#DISCARD}. */
        DISCARD;

        /** The states of jobs that it can change. */
        public Set<JobState> from() {
            return switch (this) {
                case CANCEL -> {
                    Set<JobState> from = EnumSet.copyOf(Transition.CANCEL.from());
                    from.add(JobState.RUNNING);
                    yield from;
                }
                case RETRY -> Transition.RETRY.from();
                case COMPLETE -> Transition.COMPLETE_OUTSIDE.from();
                case FAIL -> Transition.FAIL_OUTSIDE.from();
                case TRIGGER -> Transition.PROMOTE.from();
                case DISCARD -> Transition.DISCARD.from();
            };
        }
    }

    /** Checks that the jobs are named one way. */
    public Change {
        if ((ids == null) == (filter == null)) {
            throw new IllegalArgumentException("a change names its jobs by ids or by filter, not both");
        }
        if (withDependents && verb != Verb.RETRY) {
            throw new IllegalArgumentException("only a retry takes dependents with it, not " + verb);
        }
        if (fromStart && verb != Verb.RETRY) {
            throw new IllegalArgumentException("only a retry begins from the start, not " + verb);
        }
        if (next != null && (verb != Verb.COMPLETE || ids == null || ids.size() != 1)) {
            throw new IllegalArgumentException("only one job that is completed, by its id, goes on with a next one");
        }
        if (next != null && next.dedupe() != null) {
            throw new IllegalArgumentException("a job that goes on in a chain has no dedupe key of its own");
        }
        ids = ids == null ? null : List.copyOf(ids);
    }

    /** The listings in which the jobs of the filter are that can be changed: one for each state, as there is an index for each. */
    public List<JobFilter> listings() {
        if (filter == null) {
            return List.of();
        }
        List<JobFilter> listings = new ArrayList<>();
        for (JobState state : EnumSet.copyOf(verb.from())) {
            if (filter.allows(state)) {
                listings.add(filter.withState(state));
            }
        }
        return listings;
    }

    /** Whether a job that was found by the filter still is as it says; what never changes is not asked again. */
    public boolean stillMatches(JobState state, @Nullable String code, @Nullable Long finishedAtMillis) {
        return filter == null
                || (filter.allows(state)
                        && (filter.errorCode() == null || filter.errorCode().equals(code))
                        && filter.finished()
                                .contains(finishedAtMillis == null ? null : Instant.ofEpochMilli(finishedAtMillis)));
    }

    /**
     * Whether the filter has parts that can change while a job waits for its turn, besides those of {@link #stillMatches}: a worker
     * hands it back, a later enqueue with its dedupe key replaces it. Then the whole filter is to be asked again.
     */
    public boolean needsAnotherLook() {
        return filter != null
                && (filter.worker() != null
                        || filter.name() != null
                        || filter.priority() != null
                        || filter.concurrencyKey() != null
                        || !filter.tags().isEmpty()
                        || !filter.scheduled().equals(TimeRange.ALWAYS));
    }

    /** The end of waits that have run out of time. */
    public static Change timeOut(List<Long> ids) {
        return new Change(
                Verb.FAIL,
                ids,
                null,
                "system",
                null,
                null,
                ErrorCodes.TIMEOUT_WAIT,
                "nobody ended it within the time that it was to wait",
                false);
    }

    /**
     * A retry that forgets the durable steps.
     *
     * @param ids the jobs, or null
     * @param filter the jobs, or null
     * @param maxAttempts the new budget, or null to keep each job's own
     * @param dryRun only count
     */
    public static Change retryFromStart(
            @Nullable List<Long> ids,
            @Nullable JobFilter filter,
            String actor,
            @Nullable Integer maxAttempts,
            boolean dryRun) {
        return new Change(Verb.RETRY, ids, filter, actor, maxAttempts, null, null, null, dryRun, false, null, true);
    }

    /** The rest of a retry with dependents: jobs that the end of a parent has cancelled, which was retried by this actor. */
    public static Change retryDependents(List<Long> ids, String actor) {
        return new Change(Verb.RETRY, ids, null, actor, null, null, null, null, false, true);
    }

    /** A change of jobs by id without further arguments. */
    public static Change of(Verb verb, List<Long> ids, String actor) {
        return new Change(verb, ids, null, actor, null, null, null, null, false);
    }
}
