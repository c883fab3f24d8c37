package dev.windrow.engine.worker;

import dev.windrow.AttemptOutcome;
import dev.windrow.ErrorCodes;
import dev.windrow.JobHistory;
import dev.windrow.JobState;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.Worker;
import dev.windrow.engine.Answers;
import dev.windrow.engine.EngineContext;
import dev.windrow.engine.Loop;
import dev.windrow.engine.monitor.FailureLog;
import dev.windrow.engine.monitor.Listeners;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.store.LogThrottle;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Settle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Records how attempts ended, without keeping a slot waiting. A settlement that could not be recorded is kept and
 * retried until the store has applied it or reports that the job was lost. It is never dropped while the worker lives.
 *
 * <p>A retry is safe: a settlement is guarded by the token of its claim, so it is applied once. Only after an unknown
 * outcome a refusal may mean that the first try was applied. Then the job's history decides.
 */
final class Settler {
    /**
     * The number of refusals, perhaps because of its content, after which a settlement is retried without its texts.
     */
    private static final int TRIES_WITH_TEXTS = 3;

    private static final Logger log = SafeLogger.of(Settler.class);

    private final String worker;
    private final OpenStore store;
    private final TimeSource time;
    private final Listeners listeners;
    private final HeldClaims claims;
    private final Runnable onRoom;
    private final Runnable onFailure;
    private final RunTimes runTimes;
    private final Reporter reporter;
    private final FailureLog failures;
    private final LogThrottle outage;
    private final LogThrottle losses;

    private final AtomicInteger unacknowledged = new AtomicInteger();
    /** True if {@link #hasRoom} has returned false to a caller. */
    private volatile boolean starved;

    /** The settlements that could not be recorded and will be sent again. */
    private final ConcurrentLinkedQueue<Pending> unrecorded = new ConcurrentLinkedQueue<>();

    private final LongAdder completed = new LongAdder();
    private final LongAdder failedJobs = new LongAdder();
    private final LongAdder cancelled = new LongAdder();
    private final LongAdder retried = new LongAdder();
    private final LongAdder snoozed = new LongAdder();
    private final LongAdder parked = new LongAdder();
    private final LongAdder handedBack = new LongAdder();

    /**
     * Creates a settler.
     *
     * @param onRoom called on a thread of the store when a further job may be started again
     * @param onFailure called on a thread of the store when {@link #resend} has work
     */
    Settler(
            Settings settings,
            EngineContext context,
            HeldClaims claims,
            RunTimes runTimes,
            Reporter reporter,
            Runnable onRoom,
            Runnable onFailure) {
        this.worker = settings.name();
        this.store = context.store();
        this.time = context.time();
        this.listeners = context.listeners();
        this.claims = claims;
        this.onRoom = onRoom;
        this.onFailure = onFailure;
        this.runTimes = runTimes;
        this.reporter = reporter;
        this.failures = context.failures();
        this.outage = new LogThrottle(time);
        this.losses = new LogThrottle(time);
    }

    /** A settlement that is not acknowledged yet. Changed only by the one thread that handles it. */
    private static final class Pending {
        private final Attempt attempt;
        private final long ranNanos;
        private final Settle first;
        /**
         * The cause that is logged with the failure. It is stored separately from its text in the settlement, which the
         * store may refuse.
         */
        private @Nullable Throwable cause;

        private Settle settlement;
        private int failures;
        /** The number of failures that the settlement's content may have caused. */
        private int refusals;

        private boolean outcomeUnknown;
        private boolean refused;
        private long againNanos;

        Pending(Attempt attempt, Settle settlement, @Nullable Throwable cause, long ranNanos) {
            this.attempt = attempt;
            this.cause = settlement.stackTrace() == null ? null : cause;
            this.first = settlement;
            this.settlement = settlement;
            this.ranNanos = ranNanos;
        }
    }

    /** True if a further job may be started. If not, {@code onRoom} tells when to check again. */
    boolean hasRoom() {
        if (isBelowBound()) {
            return true;
        }
        starved = true;
        // The last acknowledgement may have come between the check and the flag.
        return isBelowBound();
    }

    private boolean isBelowBound() {
        return unacknowledged.get() < runTimes.behind();
    }

    int unacknowledged() {
        return unacknowledged.get();
    }

    Worker.Totals totals() {
        return new WorkerTotals(
                /* completed= */ completed.sum(),
                /* failed= */ failedJobs.sum(),
                /* cancelled= */ cancelled.sum(),
                /* retried= */ retried.sum(),
                /* snoozed= */ snoozed.sum(),
                /* parked= */ parked.sum(),
                /* handedBack= */ handedBack.sum());
    }

    /**
     * Sends a settlement. The caller has ended the attempt.
     *
     * @param cause the handler's exception, or null
     */
    void settle(Attempt attempt, Settle settlement, @Nullable Throwable cause, long ranNanos) {
        unacknowledged.incrementAndGet();
        send(new Pending(attempt, settlement, cause, ranNanos));
    }

    /**
     * Sends the reports of an attempt before it is ended inside a transaction, because other transactions cannot see
     * its state before the commit.
     */
    void beforeEndInTransaction(Attempt attempt) {
        reporter.sendRest(attempt);
    }

    private void send(Pending pending) {
        reporter.sendRest(pending.attempt);
        CompletableFuture<Boolean> answer = store.submit(pending.settlement);
        if (!answer.isCompletedExceptionally()) {
            pending.attempt.endRecordsStart();
        }
        Answers.then(answer, (applied, failure) -> {
            if (failure != null) {
                failed(pending, failure);
            } else if (Boolean.TRUE.equals(applied)) {
                applied(pending);
            } else if (pending.outcomeUnknown || pending.attempt.inTransaction() != null) {
                // The job was lost, or an earlier try was applied. Only its history tells which, and this thread must
                // not read it.
                pending.refused = true;
                again(pending, time.nanoTime());
            } else {
                lost(pending);
            }
        });
    }

    private void applied(Pending pending) {
        Settle s = pending.settlement;
        JobState state = stateAfter(pending);
        count(s.transition(), state);
        if (state == JobState.COMPLETED) {
            pending.attempt.completed();
        }
        try {
            failures.ended(pending.attempt, s, state, pending.cause);
            outage.over(how -> log.info("Worker {} can record ends of attempts again: failed {}", worker, how));
            listeners.tell(() -> new EndedAttempt(
                    /* id= */ s.job().id(),
                    /* type= */ s.job().type(),
                    /* queue= */ s.job().queue(),
                    /* attempt= */ s.job().attempt(),
                    /* outcome= */ s.outcome(),
                    /* state= */ state,
                    /* errorCode= */ s.errorCode(),
                    /* ran= */ Duration.ofNanos(pending.ranNanos)));
        } finally {
            // Last, because then the worker may close.
            acknowledge(pending);
        }
    }

    private void count(Transition transition, JobState after) {
        if (after == JobState.CANCELLED) {
            cancelled.increment();
            return;
        }
        switch (transition) {
            case COMPLETE -> completed.increment();
            case FAIL -> failedJobs.increment();
            case RETRY_LATER -> retried.increment();
            case SNOOZE -> snoozed.increment();
            case PARK -> parked.increment();
            case HAND_BACK -> handedBack.increment();
            default -> {}
        }
    }

    /**
     * Returns the state after a settlement. A job that would not have ended is cancelled if cancellation was requested.
     */
    private static JobState stateAfter(Pending pending) {
        JobState to = pending.settlement.transition().to();
        if (to == null) {
            return JobState.RUNNING;
        }
        return !to.isFinished() && pending.attempt.isCancelRequested() ? JobState.CANCELLED : to;
    }

    private void lost(Pending pending) {
        Attempt attempt = pending.attempt;
        losses.tell(more -> log.warn(
                "Worker {} had lost {}: its end as {} changes nothing, because another worker owns the job or it was ended from outside{}",
                worker,
                attempt,
                pending.settlement.outcome(),
                more));
        try {
            listeners.tell(() -> new WindrowEvent.AttemptLost(attempt.id(), attempt.type(), attempt.attempt()));
        } finally {
            acknowledge(pending);
        }
    }

    private void acknowledge(Pending pending) {
        // The count changes before the claims report a change: a thread that waits for the last settlement reads the
        // count then.
        unacknowledged.decrementAndGet();
        claims.remove(pending.attempt);
        // One call when the bound is crossed, not one for each settlement of a commit: the slot that wakes will wake
        // the next one if the ready jobs need it.
        if (starved && isBelowBound()) {
            starved = false;
            onRoom.run();
        }
    }

    private void failed(Pending pending, Throwable failure) {
        pending.failures++;
        if (failure instanceof OutcomeUnknownException) {
            pending.outcomeUnknown = true;
        } else if (!(failure instanceof StoreUnavailableException) && ++pending.refusals >= TRIES_WITH_TEXTS) {
            pending.settlement = withoutTexts(pending.settlement);
        }
        if (pending.failures == 1) {
            outage.tell(more -> log.warn(
                    "Worker {} could not record the end of {} and tries again: {}{}",
                    worker,
                    pending.attempt,
                    failure.getMessage(),
                    more));
        } else {
            log.debug("Recording the end of {} failed {} times", pending.attempt, pending.failures, failure);
        }
        again(pending, time.nanoTime() + Loop.pauseNanos(pending.failures));
    }

    private void again(Pending pending, long nanos) {
        pending.againNanos = nanos;
        unrecorded.add(pending);
        onFailure.run();
    }

    /** Returns the same end without the handler's texts, in case the store refuses them. */
    private static Settle withoutTexts(Settle s) {
        // With a result the work was done, and its result is lost, as with a result that cannot be encoded.
        boolean hadResult = s.result() != null || s.next() != null;
        Transition transition = hadResult ? Transition.FAIL : s.transition();
        AttemptOutcome outcome = hadResult ? AttemptOutcome.FAILED : s.outcome();
        return Settle.of(s.job(), s.worker(), transition, outcome, s.finishedAtMillis())
                .startedAtMillis(s.startedAtMillis())
                .error(
                        hadResult ? ErrorCodes.INVALID_RESULT : s.errorCode(),
                        hadResult ? "the store refused the result, or the next job of the chain" : null)
                .nextRunAtMillis(s.nextRunAtMillis())
                .awaits(s.awaits())
                .build();
    }

    /**
     * Sends the due settlements again; returns the nanoseconds until the next one is due. Not called on a thread of
     * the store.
     */
    long resend() {
        return resend(time.nanoTime());
    }

    /** Sends the settlements again that are due by this time of the monotonic clock, as {@link #resend()} does. */
    long resend(long dueNanos) {
        long wait = Long.MAX_VALUE;
        int count = unrecorded.size();
        for (int i = 0; i < count; i++) {
            Pending pending = unrecorded.poll();
            if (pending == null) {
                break;
            }
            long left = pending.againNanos - dueNanos;
            if (left > 0) {
                unrecorded.add(pending);
                wait = Math.min(wait, left);
            } else if (pending.refused) {
                decide(pending);
            } else {
                send(pending);
            }
        }
        return wait;
    }

    /** Reads the job's history, to distinguish an applied earlier try from a lost job. */
    private void decide(Pending pending) {
        Settle inTransaction = pending.attempt.inTransaction();
        boolean ours;
        try {
            AttemptOutcome outcome = outcome(pending.settlement);
            if (inTransaction != null && outcome == inTransaction.outcome()) {
                pending.settlement = inTransaction;
                pending.cause = null;
            } else if (outcome == pending.first.outcome()) {
                // An earlier try was applied, before the refused texts were left out.
                pending.settlement = pending.first;
            }
            // A job may have been cancelled instead of handed back.
            boolean wasCancelled = outcome == AttemptOutcome.CANCELLED;
            if (wasCancelled) {
                pending.attempt.cancelRequested();
            }
            ours = outcome != null && (outcome == pending.settlement.outcome() || wasCancelled);
        } catch (WindrowException e) {
            failed(pending, e);
            return;
        }
        if (ours) {
            applied(pending);
        } else {
            lost(pending);
        }
    }

    /**
     * Returns how this worker's attempt has ended by the job's history; null if it was not this worker that ended it.
     */
    private @Nullable AttemptOutcome outcome(Settle s) {
        return store.history(s.job().id()).map(JobHistory::attempts).orElse(List.of()).stream()
                .filter(attempt ->
                        attempt.token() == s.job().token() && attempt.worker().equals(worker))
                .map(JobHistory.Attempt::outcome)
                .findFirst()
                .orElse(null);
    }
}
