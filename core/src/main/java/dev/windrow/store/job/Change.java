package dev.windrow.store.job;

import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobState;
import dev.windrow.payload.Metadata;
import dev.windrow.query.JobFilter;
import dev.windrow.query.TimeRange;
import dev.windrow.store.Author;
import dev.windrow.store.Command;
import dev.windrow.store.StoreHints;
import dev.windrow.store.Transition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A change of jobs from outside, not by their holder: by id, or by filter. The cancellation of a running job stores a request, once. Its holder gets
 * the request by {@link StoreHints#cancelRequested}.
 *
 * <p>By id, all jobs are changed or none. By filter, {@link ChangeByFilter} makes the change in batches. Each batch changes the jobs that still
 * match.
 *
 * <p>A change of metadata is of one job. With a {@link #holder} it is made by the job's worker, and refused if that one has lost the job.
 *
 * <p>A completion with {@link #next} writes that job in the same transaction, as a settlement with a next job does. Each change by id, and each batch
 * of a change by filter, writes an {@link dev.windrow.monitor.AuditEntry} if it changed anything, and is not made by the job's worker.
 */
public final class Change implements Command<ChangeResult> {
    private final Verb verb;
    private final @Nullable List<Long> ids;
    private final @Nullable JobFilter filter;
    private final Author author;
    private final @Nullable Integer maxAttempts;
    private final @Nullable String result;
    private final @Nullable String errorCode;
    private final @Nullable String errorDetail;
    private final boolean dryRun;
    private final boolean withDependents;
    private final @Nullable JobRow next;
    private final boolean fromStart;
    private final @Nullable Metadata metadata;
    private final @Nullable LeaseToken holder;
    private final @Nullable Integer max;
    private final Map<Long, Long> expected;
    private final Set<Long> gone;

    private Change(Builder builder) {
        this.verb = builder.verb;
        this.ids = builder.ids;
        this.filter = builder.filter;
        this.author = new Author(builder.actor, builder.reason);
        this.maxAttempts = builder.maxAttempts;
        this.result = builder.result;
        this.errorCode = builder.errorCode;
        this.errorDetail = builder.errorDetail;
        this.dryRun = builder.dryRun;
        this.withDependents = builder.withDependents;
        this.next = builder.next;
        this.fromStart = builder.fromStart;
        this.metadata = builder.metadata;
        this.holder = builder.holder;
        this.max = builder.max;
        this.expected = builder.expected;
        this.gone = builder.gone;
    }

    /** The requested change. The {@link Transition} depends on the job. */
    public enum Verb {
        /** {@link Transition#CANCEL}. For a running job it is a request to its holder, which changes no state. */
        CANCEL,
        /** {@link Transition#RETRY}, or {@link Transition#RETRY_BLOCKED} if it waits for parents or for external completion. */
        RETRY,
        /** {@link Transition#COMPLETE_EXTERNALLY}. */
        COMPLETE,
        /** {@link Transition#FAIL_EXTERNALLY}. */
        FAIL,
        /** {@link Transition#PROMOTE}, at any time. */
        TRIGGER,
        /** {@link Transition#DELETE}. */
        DELETE,
        /** Changes the metadata, in any state, which stays. */
        MERGE_METADATA;

        /** Returns the states of jobs that it can change. */
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
                case DELETE -> Transition.DELETE.from();
                case MERGE_METADATA -> EnumSet.allOf(JobState.class);
            };
        }
    }

    /** Returns a change of jobs by id without further settings. */
    public static Change of(Verb verb, List<Long> ids, String actor) {
        return byId(verb, ids, actor).build();
    }

    /**
     * Returns a builder for a change of jobs by id: all or none are changed.
     *
     * @param actor the author of the change, for the event log
     */
    public static Builder byId(Verb verb, List<Long> ids, String actor) {
        return new Builder(verb, List.copyOf(ids), null, actor);
    }

    /**
     * Returns a builder for a change of jobs by filter: all matching jobs that can be changed are changed.
     *
     * @param actor the author of the change, for the event log
     */
    public static Builder byFilter(Verb verb, JobFilter filter, String actor) {
        return new Builder(verb, null, filter, actor);
    }

    /** Returns the change that ends waits that have timed out. */
    public static Change timeOut(List<Long> ids) {
        return byId(Verb.FAIL, ids, "system")
                .error(ErrorCodes.TIMEOUT_WAIT, "it was not completed externally within its timeout")
                .build();
    }

    /** Returns the rest of a retry with dependents: jobs that were cancelled by the end of a parent. This author has retried the parent. */
    public static Change retryDependents(List<Long> ids, Author author) {
        return byId(Verb.RETRY, ids, author.actor())
                .reason(author.reason())
                .withDependents(true)
                .build();
    }

    /** Builds a change. */
    public static final class Builder {
        private final Verb verb;
        private final String actor;
        private final @Nullable List<Long> ids;
        private final @Nullable JobFilter filter;
        private @Nullable String reason;
        private @Nullable Integer maxAttempts;
        private @Nullable String result;
        private @Nullable String errorCode;
        private @Nullable String errorDetail;
        private boolean dryRun;
        private boolean withDependents;
        private @Nullable JobRow next;
        private boolean fromStart;
        private @Nullable Metadata metadata;
        private @Nullable LeaseToken holder;
        private @Nullable Integer max;
        private Map<Long, Long> expected = Map.of();
        private Set<Long> gone = Set.of();

        private Builder(Verb verb, @Nullable List<Long> ids, @Nullable JobFilter filter, String actor) {
            this.verb = verb;
            this.ids = ids;
            this.filter = filter;
            this.actor = actor;
        }

        /** Sets why, for the event log and the audit; default none. */
        public Builder reason(@Nullable String why) {
            reason = why;
            return this;
        }

        /** Sets the new budget of a {@code RETRY}; default each job's own. */
        public Builder maxAttempts(@Nullable Integer attempts) {
            maxAttempts = attempts;
            return this;
        }

        /** Sets the result of a {@code COMPLETE}: JSON text, or the {@link dev.windrow.payload.BlobRef} of a staged blob; default none. */
        public Builder result(@Nullable String json) {
            result = json;
            return this;
        }

        /** Sets the code and the short detail of a {@code FAIL}. */
        public Builder error(@Nullable String code, @Nullable String detail) {
            errorCode = code;
            errorDetail = detail;
            return this;
        }

        /** Makes the change a dry run, which only counts; default false. */
        public Builder dryRun(boolean counts) {
            dryRun = counts;
            return this;
        }

        /**
         * Makes a {@code RETRY} include dependents; default false. Dependents are jobs that were cancelled because one of these jobs ended without
         * success, and their own dependents in turn. Each is retried with its own budget. By filter, dependents that cannot be retried are left out.
         * The transaction of the change retries a thousand. Later transactions retry the rest, which is not counted.
         */
        public Builder withDependents(boolean dependents) {
            withDependents = dependents;
            return this;
        }

        /**
         * Sets the next job in the same chain, for {@code COMPLETE} of one job by its id; default none. It is written in the same transaction, by the
         * rules of {@link Settle#next}.
         */
        public Builder next(@Nullable JobRow job) {
            next = job;
            return this;
        }

        /** Makes a {@code RETRY} forget the durable steps of these jobs, but not of their dependents; default false. */
        public Builder fromStart(boolean forgets) {
            fromStart = forgets;
            return this;
        }

        /** Sets the merge patch of a {@code MERGE_METADATA}. */
        public Builder metadata(@Nullable Metadata patch) {
            metadata = patch;
            return this;
        }

        /** Ends a change by filter when about this many jobs were changed: jobs that are changed with others may exceed it. Default unlimited. */
        public Builder max(@Nullable Integer jobs) {
            max = jobs;
            return this;
        }

        /** Sets the versions that jobs must have, by their ids, for a change by id; default any. */
        public Builder expected(Map<Long, Long> versions) {
            expected = Map.copyOf(versions);
            return this;
        }

        /** Makes a {@code MERGE_METADATA} the change of the worker that holds the job; default the change of an operator. */
        public Builder holder(@Nullable LeaseToken token) {
            holder = token;
            return this;
        }

        /**
         * Returns the change.
         *
         * @throws IllegalArgumentException if a setting is not allowed for this verb
         */
        public Change build() {
            if (withDependents && verb != Verb.RETRY) {
                throw new IllegalArgumentException("dependents are allowed only for a retry, not for " + verb);
            }
            if (fromStart && verb != Verb.RETRY) {
                throw new IllegalArgumentException(
                        "a start from the beginning is allowed only for a retry, not for " + verb);
            }
            if (next != null && (verb != Verb.COMPLETE || ids == null || ids.size() != 1)) {
                throw new IllegalArgumentException(
                        "a next job is allowed only for the completion of one job by its id");
            }
            if (next != null && next.dedupe() != null) {
                throw new IllegalArgumentException(
                        "the next job of a chain must not have a dedupe key: it has the key that its chain holds");
            }
            if ((verb == Verb.MERGE_METADATA) != (metadata != null) || (metadata == null && holder != null)) {
                throw new IllegalArgumentException(
                        "metadata are required for a change of metadata, and not allowed for " + verb);
            }
            if (metadata != null && (ids == null || ids.size() != 1)) {
                throw new IllegalArgumentException("metadata are changed only for one job by its id");
            }
            if (ids == null ? !expected.isEmpty() : !Set.copyOf(ids).containsAll(expected.keySet())) {
                throw new IllegalArgumentException("a version is expected only of a job that is changed by its id");
            }
            return new Change(this);
        }
    }

    /** Returns the verb. */
    public Verb verb() {
        return verb;
    }

    /** Returns the jobs; null with a filter whose jobs were not searched yet. */
    public @Nullable List<Long> ids() {
        return ids;
    }

    /** Returns the filter; null if the jobs are named by id. */
    public @Nullable JobFilter filter() {
        return filter;
    }

    /** Returns the author. */
    public Author author() {
        return author;
    }

    @Override
    public String actor() {
        return author.actor();
    }

    /** See {@link Builder#maxAttempts}. */
    public @Nullable Integer maxAttempts() {
        return maxAttempts;
    }

    /** See {@link Builder#result}. */
    public @Nullable String result() {
        return result;
    }

    /** Returns the code for {@code FAIL}. */
    public @Nullable String errorCode() {
        return errorCode;
    }

    /** Returns the short detail for {@code FAIL}. */
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

    /** See {@link Builder#metadata}. */
    public @Nullable Metadata metadata() {
        return metadata;
    }

    /** See {@link Builder#holder}. */
    public @Nullable LeaseToken holder() {
        return holder;
    }

    /** See {@link Builder#max}. */
    public @Nullable Integer max() {
        return max;
    }

    /** See {@link Builder#expected}. */
    public Map<Long, Long> expected() {
        return expected;
    }

    /** Returns the jobs that a part of a dry run treats as deleted, because the parts before have counted them; of a deletion only. */
    public Set<Long> gone() {
        return gone;
    }

    /**
     * Returns the ids of its jobs.
     *
     * @throws InvalidRequestException if the jobs of its filter were not searched: only {@link ChangeByFilter} makes such a change
     */
    public List<Long> named() {
        if (ids == null) {
            throw new InvalidRequestException(
                    "a change by filter is made in batches: it is not possible inside a caller's transaction, nor as one command");
        }
        return ids;
    }

    /** Counts the jobs among these that are named. */
    public int countNamed(Set<Long> jobs) {
        return (int) named().stream().distinct().filter(jobs::contains).count();
    }

    /**
     * Returns the same change for some of the jobs of its filter.
     *
     * @param gone see {@link #gone}; must not change until the part has its result
     */
    public Change part(List<Long> some, Set<Long> gone) {
        Builder builder = new Builder(verb, List.copyOf(some), filter, author.actor())
                .reason(author.reason())
                .maxAttempts(maxAttempts)
                .result(result)
                .error(errorCode, errorDetail)
                .dryRun(dryRun)
                .withDependents(withDependents)
                .next(next)
                .fromStart(fromStart)
                .metadata(metadata)
                .holder(holder);
        builder.gone = gone;
        return new Change(builder);
    }

    /** Returns the listings that contain the jobs of the filter that can be changed. There is one for each state, because each state has an index. */
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

    /** True if a job that was found by the filter still matches. Properties that never change are not checked again. */
    public boolean stillMatches(JobState state, @Nullable String code, @Nullable Long finishedAtMillis) {
        return filter == null
                || (filter.allows(state)
                        && (filter.errorCode() == null
                                || (code != null && ErrorCodes.matches(filter.errorCode(), code)))
                        && filter.finished()
                                .contains(finishedAtMillis == null ? null : Instant.ofEpochMilli(finishedAtMillis)));
    }

    /**
     * True if the filter has conditions that can change while a job waits for its turn, in addition to the ones that {@link #stillMatches} checks.
     * For example, a worker hands the job back, or a later enqueue with its dedupe key replaces it. Then the whole filter must be checked again. A
     * deletion checks it for the other jobs of the chains.
     */
    public boolean needsAnotherLook() {
        return filter != null
                && (verb == Verb.DELETE
                        || filter.worker() != null
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
