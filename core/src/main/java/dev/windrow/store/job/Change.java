package dev.windrow.store.job;

import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobState;
import dev.windrow.query.JobFilter;
import dev.windrow.query.TimeRange;
import dev.windrow.store.Command;
import dev.windrow.store.StoreHints;
import dev.windrow.store.Transition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A change of jobs by another than their holder: by id, or by filter. To cancel a running job is to leave a request with it, once; its holder is
 * told by {@link StoreHints#cancelRequested}.
 *
 * <p>By id, all are changed or none. By filter, {@link ChangeByFilter} makes the change in parts: those of some jobs that match still.
 *
 * <p>A completion with {@link #next} writes that job in the same transaction, as a settlement with one does. Each part of a change by
 * filter, and each discard, leaves an {@link dev.windrow.monitor.AuditEntry} if it changed anything.
 */
public final class Change implements Command<ChangeResult> {
    private final Verb verb;
    private final @Nullable List<Long> ids;
    private final @Nullable JobFilter filter;
    private final String actor;
    private final @Nullable Integer maxAttempts;
    private final @Nullable String result;
    private final @Nullable String errorCode;
    private final @Nullable String errorDetail;
    private final boolean dryRun;
    private final boolean withDependents;
    private final @Nullable JobRow next;
    private final boolean fromStart;

    private Change(Builder builder) {
        this.verb = builder.verb;
        this.ids = builder.ids;
        this.filter = builder.filter;
        this.actor = builder.actor;
        this.maxAttempts = builder.maxAttempts;
        this.result = builder.result;
        this.errorCode = builder.errorCode;
        this.errorDetail = builder.errorDetail;
        this.dryRun = builder.dryRun;
        this.withDependents = builder.withDependents;
        this.next = builder.next;
        this.fromStart = builder.fromStart;
    }

    /** What is wanted; which {@link Transition} it is depends on the job. */
    public enum Verb {
        /** {@link Transition#CANCEL}; of a running job, a request to its holder, which changes no state. */
        CANCEL,
        /** {@link Transition#RETRY}, or {@link Transition#RETRY_BLOCKED} if it waits for parents or for outside. */
        RETRY,
        /** {@link Transition#COMPLETE_EXTERNALLY}. */
        COMPLETE,
        /** {@link Transition#FAIL_EXTERNALLY}. */
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
                case COMPLETE -> Transition.COMPLETE_EXTERNALLY.from();
                case FAIL -> Transition.FAIL_EXTERNALLY.from();
                case TRIGGER -> Transition.PROMOTE.from();
                case DISCARD -> Transition.DISCARD.from();
            };
        }
    }

    /** A change of jobs by id that needs no more. */
    public static Change of(Verb verb, List<Long> ids, String actor) {
        return byId(verb, ids, actor).build();
    }

    /**
     * A change of jobs by id: all or none are changed.
     *
     * @param actor who wants it, for the event log
     */
    public static Builder byId(Verb verb, List<Long> ids, String actor) {
        return new Builder(verb, List.copyOf(ids), null, actor);
    }

    /**
     * A change of jobs by filter: those that can be changed are.
     *
     * @param actor who wants it, for the event log
     */
    public static Builder byFilter(Verb verb, JobFilter filter, String actor) {
        return new Builder(verb, null, filter, actor);
    }

    /** The end of waits that have run out of time. */
    public static Change timeOut(List<Long> ids) {
        return byId(Verb.FAIL, ids, "system")
                .error(ErrorCodes.TIMEOUT_WAIT, "it was not completed externally before its time-out")
                .build();
    }

    /** The rest of a retry with dependents: jobs that the end of a parent has cancelled, which was retried by this actor. */
    public static Change retryDependents(List<Long> ids, String actor) {
        return byId(Verb.RETRY, ids, actor).withDependents(true).build();
    }

    /** Builds a change. */
    public static final class Builder {
        private final Verb verb;
        private final String actor;
        private final @Nullable List<Long> ids;
        private final @Nullable JobFilter filter;
        private @Nullable Integer maxAttempts;
        private @Nullable String result;
        private @Nullable String errorCode;
        private @Nullable String errorDetail;
        private boolean dryRun;
        private boolean withDependents;
        private @Nullable JobRow next;
        private boolean fromStart;

        private Builder(Verb verb, @Nullable List<Long> ids, @Nullable JobFilter filter, String actor) {
            this.verb = verb;
            this.ids = ids;
            this.filter = filter;
            this.actor = actor;
        }

        /** For {@code RETRY}: the new budget; default each job's own. */
        public Builder maxAttempts(@Nullable Integer attempts) {
            maxAttempts = attempts;
            return this;
        }

        /** For {@code COMPLETE}: JSON text, or the {@link dev.windrow.payload.BlobRef} of a staged blob; default none. */
        public Builder result(@Nullable String json) {
            result = json;
            return this;
        }

        /** For {@code FAIL}: the code and the short detail. */
        public Builder error(@Nullable String code, @Nullable String detail) {
            errorCode = code;
            errorDetail = detail;
            return this;
        }

        /** True to count only; default false. */
        public Builder dryRun(boolean counts) {
            dryRun = counts;
            return this;
        }

        /**
         * For {@code RETRY}: true to retry as well the jobs that were cancelled because one of these ended without success, and so on with those
         * below them; each with its own budget. By filter, those of them that cannot be retried are left out. A thousand come back in the transaction of
         * the change; more follow, and are not counted. Default false.
         */
        public Builder withDependents(boolean dependents) {
            withDependents = dependents;
            return this;
        }

        /**
         * For {@code COMPLETE} of one job by its id: the job that follows in the same chain, written in the same transaction, by the rules of {@link
         * Settle#next}; default none.
         */
        public Builder next(@Nullable JobRow job) {
            next = job;
            return this;
        }

        /** For {@code RETRY}: true to forget the durable steps of these jobs, not those of dependents; default false. */
        public Builder fromStart(boolean forgets) {
            fromStart = forgets;
            return this;
        }

        /**
         * The change.
         *
         * @throws IllegalArgumentException if a part is not for this verb
         */
        public Change build() {
            if (withDependents && verb != Verb.RETRY) {
                throw new IllegalArgumentException("only a retry takes dependents with it, not " + verb);
            }
            if (fromStart && verb != Verb.RETRY) {
                throw new IllegalArgumentException("only a retry begins from the start, not " + verb);
            }
            if (next != null && (verb != Verb.COMPLETE || ids == null || ids.size() != 1)) {
                throw new IllegalArgumentException(
                        "only one job that is completed, by its id, goes on with a next one");
            }
            if (next != null && next.dedupe() != null) {
                throw new IllegalArgumentException("a job that goes on in a chain has no dedupe key of its own");
            }
            return new Change(this);
        }
    }

    /** The verb. */
    public Verb verb() {
        return verb;
    }

    /** The jobs; null with a filter that was not looked for yet. */
    public @Nullable List<Long> ids() {
        return ids;
    }

    /** The filter; null if the jobs are named by id. */
    public @Nullable JobFilter filter() {
        return filter;
    }

    @Override
    public String actor() {
        return actor;
    }

    /** See {@link Builder#maxAttempts}. */
    public @Nullable Integer maxAttempts() {
        return maxAttempts;
    }

    /** See {@link Builder#result}. */
    public @Nullable String result() {
        return result;
    }

    /** For {@code FAIL}: the code. */
    public @Nullable String errorCode() {
        return errorCode;
    }

    /** For {@code FAIL}: the short detail. */
    public @Nullable String errorDetail() {
        return errorDetail;
    }

    /** See {@link Builder#dryRun}. */
    public boolean dryRun() {
        return dryRun;
    }

    /** See {@link Builder#withDependents}. */
    public boolean withDependents() {
        return withDependents;
    }

    /** See {@link Builder#next}. */
    public @Nullable JobRow next() {
        return next;
    }

    /** See {@link Builder#fromStart}. */
    public boolean fromStart() {
        return fromStart;
    }

    /**
     * The ids of its jobs.
     *
     * @throws InvalidRequestException if its filter was not looked for: only {@link ChangeByFilter} makes such a change
     */
    public List<Long> named() {
        if (ids == null) {
            throw new InvalidRequestException(
                    "a change by filter is made in parts: it is not possible inside a caller's transaction, nor as one command");
        }
        return ids;
    }

    /** The same change of some of the jobs of its filter. */
    public Change part(List<Long> some) {
        Builder builder = new Builder(verb, List.copyOf(some), filter, actor)
                .maxAttempts(maxAttempts)
                .result(result)
                .error(errorCode, errorDetail)
                .dryRun(dryRun)
                .withDependents(withDependents)
                .next(next)
                .fromStart(fromStart);
        return new Change(builder);
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

    @Override
    public Phase phase() {
        return Phase.CHANGE;
    }

    @Override
    public String what() {
        return "changing jobs (" + verb + ")";
    }

    @Override
    public int weight() {
        return Math.max(1, named().size());
    }

    @Override
    public List<Long> newJobs(ChangeResult answer) {
        return answer.next() == null ? List.of() : List.of(answer.next());
    }
}
