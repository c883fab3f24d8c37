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
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Records how attempts ended, without keeping a slot waiting. A settlement that could not be recorded is kept and tried
 * again until the store has applied it or says that the job was lost: it is never dropped while the worker lives.
 *
 * <p>Trying again is safe: a settlement is guarded by the token of its claim, so it is applied once. Only after an
 * unknown outcome a refusal may mean that the first try was applied; then the job's history tells.
 */
final class Settler {
    /** A settlement that the store refuses so many times, perhaps for its content, is tried without its texts. */
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
    /** Somebody was told that there is no room. */
    private volatile boolean starved;

    /** The settlements that could not be recorded, to be sent again. */
    private final ConcurrentLinkedQueue<Pending> unrecorded = new ConcurrentLinkedQueue<>();

    private final LongAdder completed = new LongAdder();
    private final LongAdder failedJobs = new LongAdder();
    private final LongAdder cancelled = new LongAdder();
    private final LongAdder retried = new LongAdder();
    private final LongAdder snoozed = new LongAdder();
    private final LongAdder parked = new LongAdder();
    private final LongAdder handedBack = new LongAdder();

    /**
     * @param onRoom called on the store's thread when a further job may be started again
     * @param onFailure called on the store's thread when {@link #resend} has something to do
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

    /** A settlement on its way. Changed by one thread at a time: the one that has it in hand. */
    private static final class Pending {
        private final Attempt attempt;
        private final long ranNanos;
        private final Settle first;
        /** Logged with the failure; kept apart from its text in the settlement, which the store may refuse. */
        private @Nullable Throwable cause;

        private Settle settlement;
        private int failures;
        /** The failures that the settlement's content may be to blame for. */
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

    /** Whether a further job may be started. A caller that is told no is told by {@code onRoom} when to ask again. */
    boolean hasRoom() {
        if (isBelowBound()) {
            return true;
        }
        starved = true;
        // The last acknowledgement may have come between the look and the mark.
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
     * Sends a settlement on its way. The caller has ended the attempt.
     *
     * @param cause what the handler threw, or null
     */
    void settle(Attempt attempt, Settle settlement, @Nullable Throwable cause, long ranNanos) {
        unacknowledged.incrementAndGet();
        send(new Pending(attempt, settlement, cause, ranNanos));
    }

    /** Sends what an attempt tells of itself before it is ended inside a transaction, which nobody else can look behind. */
    void beforeEndInTransaction(Attempt attempt) {
        reporter.sendRest(attempt);
    }

    private void send(Pending pending) {
        reporter.sendRest(pending.attempt);
        Answers.then(store.submit(pending.settlement), (applied, failure) -> {
            if (failure != null) {
                failed(pending, failure);
            } else if (Boolean.TRUE.equals(applied)) {
                applied(pending);
            } else if (pending.outcomeUnknown || pending.attempt.inTransaction() != null) {
                // Lost, or applied by an earlier try: only its history tells, and this thread must not read it.
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
        // Before the worker may close.
        failures.ended(pending.attempt, s, state, pending.cause);
        acknowledge(pending);
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

    /** The state that a settlement has led to: what would live on is cancelled if somebody wanted that. */
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
                "Worker {} had lost {}: its end as {} changes nothing, and another worker owns the job{}",
                worker,
                attempt,
                pending.settlement.outcome(),
                more));
        acknowledge(pending);
        listeners.tell(() -> new WindrowEvent.AttemptLost(attempt.id(), attempt.type(), attempt.attempt()));
    }

    private void acknowledge(Pending pending) {
        // Counted before the hands tell of a change: who waits for the last settlement looks at the count then.
        unacknowledged.decrementAndGet();
        claims.remove(pending.attempt);
        // One call for the crossing, not one for each settlement of a commit: the slot that wakes will wake the next.
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

    /** The same end without anything that a handler wrote, should that be what the store cannot take. */
    private static Settle withoutTexts(Settle s) {
        // With a result the work was done, and its result is lost: like a result that cannot be encoded.
        boolean hadResult = s.result() != null || s.next() != null;
        Transition transition = hadResult ? Transition.FAIL : s.transition();
        AttemptOutcome outcome = hadResult ? AttemptOutcome.FAILED : s.outcome();
        return Settle.of(s.job(), s.worker(), transition, outcome, s.finishedAtMillis())
                .startedAtMillis(s.startedAtMillis())
                .error(
                        hadResult ? ErrorCodes.INVALID_RESULT : s.errorCode(),
                        hadResult ? "the store could not take the result, or the job that was to go on" : null)
                .nextRunAtMillis(s.nextRunAtMillis())
                .awaits(s.awaits())
                .build();
    }

    /** Sends again what is due; returns how many nanoseconds until the next one is. Not called on the store's thread. */
    long resend() {
        long wait = Long.MAX_VALUE;
        int count = unrecorded.size();
        for (int i = 0; i < count; i++) {
            Pending pending = unrecorded.poll();
            if (pending == null) {
                break;
            }
            long left = pending.againNanos - time.nanoTime();
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

    /** Reads the job's history to tell an earlier try that was applied from a job that was lost. */
    private void decide(Pending pending) {
        Settle inTransaction = pending.attempt.inTransaction();
        boolean ours;
        try {
            AttemptOutcome outcome = outcome(pending.settlement);
            if (inTransaction != null && outcome == inTransaction.outcome()) {
                pending.settlement = inTransaction;
                pending.cause = null;
            } else if (outcome == pending.first.outcome()) {
                // An earlier try was applied, before what the store could not take was left out.
                pending.settlement = pending.first;
            }
            // A job that was to be handed back may have been cancelled instead.
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

    /** How this worker's attempt has ended, by the job's history; null: not by this worker. */
    private @Nullable AttemptOutcome outcome(Settle s) {
        return store.history(s.job().id()).map(JobHistory::attempts).orElse(List.of()).stream()
                .filter(attempt ->
                        attempt.token() == s.job().token() && attempt.worker().equals(worker))
                .map(JobHistory.Attempt::outcome)
                .findFirst()
                .orElse(null);
    }
}
