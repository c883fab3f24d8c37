package dev.windrow.store.job;

import dev.windrow.AttemptOutcome;
import dev.windrow.store.Command;
import dev.windrow.store.OpenStore;
import dev.windrow.store.Transition;
import dev.windrow.store.Weight;
import org.jspecify.annotations.Nullable;

/**
 * Records the end of an attempt, as its holder decided it. Returns false when the holder had lost the job, and nothing was written.
 *
 * <p>A job that has a request to cancel does not continue. Instead of {@code RETRY_LATER}, {@code SNOOZE}, {@code HAND_BACK} and {@code PARK} it
 * takes {@code CANCEL_RUNNING}, in the same transaction. A failed attempt keeps its outcome, with code and detail. An attempt that did not fail ends
 * {@code CANCELLED}.
 */
public final class Settle implements Command<Boolean> {
    private final ClaimedJob job;
    private final String worker;
    private final Transition transition;
    private final AttemptOutcome outcome;
    private final long finishedAtMillis;
    private final @Nullable Long startedAtMillis;
    private final @Nullable String result;
    private final @Nullable String errorCode;
    private final @Nullable String errorDetail;
    private final @Nullable String stackTrace;
    private final @Nullable String output;
    private final @Nullable Long nextRunAtMillis;
    private final @Nullable JobRow next;
    private final @Nullable String awaits;
    private final @Nullable String traceparent;

    private Settle(Builder builder) {
        this.job = builder.job;
        this.worker = builder.worker;
        this.transition = builder.transition;
        this.outcome = builder.outcome;
        this.finishedAtMillis = builder.finishedAtMillis;
        this.startedAtMillis = builder.startedAtMillis;
        this.result = builder.result;
        this.errorCode = builder.errorCode;
        this.errorDetail = builder.errorDetail;
        this.stackTrace = builder.stackTrace;
        this.output = builder.output;
        this.nextRunAtMillis = builder.nextRunAtMillis;
        this.next = builder.next;
        this.awaits = builder.awaits;
        this.traceparent = builder.traceparent;
    }

    /**
     * Returns a builder for the end of an attempt. Some transitions need more values.
     *
     * @param job the claim that ends
     * @param worker the worker's name
     * @param transition one of the holder's transitions
     * @param outcome the outcome of the attempt
     * @param finishedAtMillis when it ended
     */
    public static Builder of(
            ClaimedJob job, String worker, Transition transition, AttemptOutcome outcome, long finishedAtMillis) {
        return new Builder(job, worker, transition, outcome, finishedAtMillis);
    }

    /** Builds the end of an attempt. */
    public static final class Builder {
        private final ClaimedJob job;
        private final String worker;
        private final Transition transition;
        private final AttemptOutcome outcome;
        private final long finishedAtMillis;
        private @Nullable Long startedAtMillis;
        private @Nullable String result;
        private @Nullable String errorCode;
        private @Nullable String errorDetail;
        private @Nullable String stackTrace;
        private @Nullable String output;
        private @Nullable Long nextRunAtMillis;
        private @Nullable JobRow next;
        private @Nullable String awaits;
        private @Nullable String traceparent;

        private Builder(
                ClaimedJob job, String worker, Transition transition, AttemptOutcome outcome, long finishedAtMillis) {
            this.job = job;
            this.worker = worker;
            this.transition = transition;
            this.outcome = outcome;
            this.finishedAtMillis = finishedAtMillis;
        }

        /** See {@link Settle#startedAtMillis}; default null. */
        public Builder startedAtMillis(@Nullable Long value) {
            startedAtMillis = value;
            return this;
        }

        /** See {@link Settle#result}; default null. */
        public Builder result(@Nullable String value) {
            result = value;
            return this;
        }

        /** Sets the code and the short detail of its failure; default none. */
        public Builder error(@Nullable String code, @Nullable String detail) {
            errorCode = code;
            errorDetail = detail;
            return this;
        }

        /** See {@link Settle#stackTrace}; default null. */
        public Builder stackTrace(@Nullable String value) {
            stackTrace = value;
            return this;
        }

        /** See {@link Settle#output}; default null. */
        public Builder output(@Nullable String value) {
            output = value;
            return this;
        }

        /** See {@link Settle#nextRunAtMillis}; default null. */
        public Builder nextRunAtMillis(@Nullable Long value) {
            nextRunAtMillis = value;
            return this;
        }

        /** See {@link Settle#next}; default null. */
        public Builder next(@Nullable JobRow value) {
            next = value;
            return this;
        }

        /** See {@link Settle#awaits}; default null. */
        public Builder awaits(@Nullable String value) {
            awaits = value;
            return this;
        }

        /** See {@link Settle#traceparent}; default null. */
        public Builder traceparent(@Nullable String value) {
            traceparent = value;
            return this;
        }

        /**
         * Returns the end of the attempt.
         *
         * @throws IllegalArgumentException if the transition is not the holder's, or a value is not for this transition
         */
        public Settle build() {
            if (transition.guard() != Transition.Guard.HOLDER) {
                throw new IllegalArgumentException(transition + " is not a transition of the holder");
            }
            if (next != null && transition != Transition.COMPLETE) {
                throw new IllegalArgumentException("a next job is allowed only when the job completes");
            }
            if (next != null && next.dedupe() != null) {
                throw new IllegalArgumentException(
                        "the next job of a chain must not have a dedupe key: it has the key that its chain holds");
            }
            if (awaits != null && transition != Transition.PARK) {
                throw new IllegalArgumentException("only a job that is parked awaits an event, not " + transition);
            }
            return new Settle(this);
        }
    }

    /** Returns the claim that ends. */
    public ClaimedJob job() {
        return job;
    }

    /** Returns the worker's name. */
    public String worker() {
        return worker;
    }

    /** Returns one of the holder's transitions. */
    public Transition transition() {
        return transition;
    }

    /** Returns the outcome of the attempt. */
    public AttemptOutcome outcome() {
        return outcome;
    }

    /** Returns the time of its end. */
    public long finishedAtMillis() {
        return finishedAtMillis;
    }

    /** Returns the time at which the handler was called; null when it never was. */
    public @Nullable Long startedAtMillis() {
        return startedAtMillis;
    }

    /** Returns the result for {@code COMPLETE}: JSON text, or the {@link dev.windrow.payload.BlobRef} of a staged blob; or null. */
    public @Nullable String result() {
        return result;
    }

    /** Returns the code of its failure, or null. */
    public @Nullable String errorCode() {
        return errorCode;
    }

    /** Returns the short detail of its failure, or null. */
    public @Nullable String errorDetail() {
        return errorDetail;
    }

    /** Returns the whole stack trace, which is stored separately; or null. */
    public @Nullable String stackTrace() {
        return stackTrace;
    }

    /** Returns the text that the handler kept, or null. */
    public @Nullable String output() {
        return output;
    }

    /** Returns the time at which the job is due again, for transitions to {@code SCHEDULED} and {@code PARK}; or null. */
    public @Nullable Long nextRunAtMillis() {
        return nextRunAtMillis;
    }

    /**
     * Returns the next job in the same chain, for {@code COMPLETE}; or null. It is written in the same transaction. It has no dedupe key of its own,
     * because it has the key that its chain holds.
     */
    public @Nullable JobRow next() {
        return next;
    }

    /**
     * Returns the name of the event that the handler awaits, for {@code PARK}. The handler continues when the event comes or its time is over. Null
     * if the job waits for external completion.
     */
    public @Nullable String awaits() {
        return awaits;
    }

    /** Returns the trace context of the attempt, for attempts that follow from it ({@link OpenStore#links}); or null. */
    public @Nullable String traceparent() {
        return traceparent;
    }

    @Override
    public Phase phase() {
        return Phase.SETTLE;
    }

    @Override
    public String what() {
        return "settling job " + job.id();
    }

    @Override
    public int weight() {
        return Weight.of(this);
    }

    @Override
    public Long attemptOf() {
        return job.id();
    }

    @Override
    public String actor() {
        return worker;
    }
}
