package dev.windrow.engine.worker;

import dev.windrow.Durations;
import dev.windrow.TimeSource;
import dev.windrow.engine.EngineContext;
import dev.windrow.engine.Loop;
import dev.windrow.engine.monitor.Listeners;
import dev.windrow.monitor.Health;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.store.LogThrottle;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Report;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/**
 * Looks after what a worker runs: interrupts handlers at their deadlines, when their jobs are to be cancelled, and when
 * they are lost; sends what they report, gives up slots whose handlers do not end, and tries unrecorded settlements again.
 * It may have to wait for room in the store's queue, and so does not renew leases: {@link Leases} does.
 */
final class Maintenance {
    /** How long a handler may go on after its interrupt before it counts as stuck. */
    static final Duration STUCK_AFTER = Duration.ofSeconds(10);

    /** How long a round may wait for the store before it looks at deadlines again. */
    private static final long PATIENCE_NANOS = Duration.ofSeconds(1).toNanos();

    /** Between two tries to wake a slot for which there is no thread. */
    private static final long WAKE_AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);

    private static final Logger log = SafeLogger.of(Maintenance.class);

    private final Settings settings;
    private final TimeSource time;
    private final LogThrottle losses;
    private final Listeners listeners;
    private final HeldClaims claims;
    private final Slots slots;
    private final Settler settler;
    private final Reporter reporter;
    private final Events tasks;
    private final Loop loop;

    private final ConcurrentLinkedQueue<LeaseToken> lost = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<LeaseToken> cancelRequests = new ConcurrentLinkedQueue<>();
    /** When the loop looks at its attempts again. Who needs it earlier signals the loop. */
    private volatile long watchNanos;

    /** What a worker does about a handler that is taken away from its slot. */
    interface Events {
        /** The handler did not end in time: its attempt, which the caller has ended, is to be settled as timed out. */
        void timedOut(Attempt attempt);

        /** An attempt that the caller has ended is to be settled as cancelled. */
        void cancelled(Attempt attempt);

        /** The room that this attempt took up is free. */
        void roomFreed(Attempt attempt);

        /** A slot had to be given up twice: the worker must not claim any more. */
        void unhealthy(String why);
    }

    Maintenance(
            Settings settings,
            EngineContext context,
            HeldClaims claims,
            Slots slots,
            Settler settler,
            Reporter reporter,
            Events tasks) {
        this.settings = settings;
        this.time = context.time();
        this.losses = new LogThrottle(time);
        this.listeners = context.listeners();
        this.claims = claims;
        this.slots = slots;
        this.settler = settler;
        this.reporter = reporter;
        this.tasks = tasks;
        this.watchNanos = time.nanoTime();
        this.loop = new Loop("windrow-watch-" + settings.name(), time, this::round);
    }

    void start() {
        loop.start();
    }

    /**
     * Something is to be done for an attempt at this time: its deadline, or a report. Called by its slot after it can be
     * seen in {@link Slots#all}.
     */
    void wakeBy(long nanos) {
        if (nanos - watchNanos < 0) {
            loop.signal();
        }
    }

    void signal() {
        loop.signal();
    }

    private long round() {
        long now = time.nanoTime();
        // Until the scan is over, every attempt that begins signals: the scan may have passed its slot already.
        watchNanos = now + Loop.UNTIL_SIGNALLED * 1000;
        takeLosses();
        takeCancelRequests();
        long wait = Math.min(deadlines(now), reports(now));
        watchNanos = now + wait;
        return Math.min(Math.min(wait, settler.resend()), wakeSlots());
    }

    /** As a rule nothing is to be done: who delivers jobs wakes slots, unless there is no thread for one. Returns how long until it is tried again. */
    private long wakeSlots() {
        try {
            slots.wake();
            return Loop.UNTIL_SIGNALLED;
        } catch (Throwable e) {
            log.debug("Worker {} could not wake a slot", settings.name(), e);
            return WAKE_AGAIN_NANOS;
        }
    }

    // ---- losses -----------------------------------------------------------------------------------------------------

    /** These are somebody else's now. On the store's thread. */
    void lost(List<LeaseToken> leaseTokens) {
        lost.addAll(leaseTokens);
        loop.signal();
    }

    private void takeLosses() {
        LeaseToken leaseToken;
        while ((leaseToken = lost.poll()) != null) {
            Attempt attempt = claims.get(leaseToken);
            // An attempt that has ended is on its way to be settled: the answer to that says whether it was lost.
            // One that was ended inside a transaction may have been committed: that is decided when its handler has
            // returned.
            if (attempt == null || attempt.isEnded() || attempt.inTransaction() != null) {
                continue;
            }
            if (attempt.takeBack()) {
                tasks.roomFreed(attempt);
            } else if (!attempt.interrupt(Attempt.Reason.LOST)) {
                continue;
            }
            claims.remove(attempt);
            Attempt gone = attempt;
            losses.tell(more -> log.warn(
                    "Worker {} has lost {}: what its handler returns changes nothing, and another worker owns the job{}",
                    settings.name(),
                    gone,
                    more));
            listeners.tell(() -> new WindrowEvent.AttemptLost(gone.id(), gone.type(), gone.attempt()));
        }
    }

    // ---- requests to cancel -----------------------------------------------------------------------------------------

    /** Somebody wants this job cancelled. On a thread of the store, perhaps again and again. */
    void cancelRequested(LeaseToken leaseToken) {
        cancelRequests.add(leaseToken);
        loop.signal();
    }

    private void takeCancelRequests() {
        LeaseToken leaseToken;
        while ((leaseToken = cancelRequests.poll()) != null) {
            Attempt attempt = claims.get(leaseToken);
            if (attempt == null) {
                continue;
            }
            attempt.cancelRequested();
            // An attempt that has ended is on its way to be settled: if its job would live on, the store cancels it.
            if (attempt.isEnded()) {
                continue;
            }
            if (attempt.takeBack()) {
                log.info("{} is cancelled before it was started", attempt);
                tasks.roomFreed(attempt);
                tasks.cancelled(attempt);
            } else if (attempt.interrupt(Attempt.Reason.CANCEL)) {
                log.info("{} is to be cancelled: its handler is interrupted", attempt);
            }
        }
    }

    // ---- deadlines --------------------------------------------------------------------------------------------------

    /** Enforces the deadlines that have passed; returns how long until the next. */
    private long deadlines(long now) {
        long wait = Loop.UNTIL_SIGNALLED;
        for (Slot slot : slots.all()) {
            Attempt attempt = slot.current();
            if (attempt == null || !attempt.isRunning()) {
                continue;
            }
            Attempt.Reason reason = attempt.reason();
            if (reason == null) {
                long left = attempt.deadlineNanos() - now;
                if (left > 0) {
                    wait = Math.min(wait, left);
                    continue;
                }
                log.debug(
                        "{} has passed its deadline of {} and is interrupted",
                        attempt,
                        Durations.text(attempt.timeout()));
                attempt.interrupt(Attempt.Reason.TIMEOUT);
                wait = Math.min(wait, STUCK_AFTER.toNanos());
            } else if (reason != Attempt.Reason.STOP) {
                long left = attempt.interruptedNanos() + STUCK_AFTER.toNanos() - now;
                if (left > 0) {
                    wait = Math.min(wait, left);
                } else {
                    stuck(slot, attempt);
                }
            }
        }
        return wait;
    }

    /** Sends what is due to be reported; returns how long until more is. */
    private long reports(long now) {
        long wait = Loop.UNTIL_SIGNALLED;
        for (Slot slot : slots.all()) {
            Attempt attempt = slot.current();
            if (attempt == null || !attempt.isRunning()) {
                continue;
            }
            wait = Math.min(wait, reporter.sendIfDue(attempt, now));
            if (time.nanoTime() - now > PATIENCE_NANOS) {
                // The store's queue is full: deadlines and requests to cancel come first, then the next report.
                return 0;
            }
        }
        return wait;
    }

    private void stuck(Slot slot, Attempt attempt) {
        Thread thread = attempt.thread();
        StackTraceElement[] where = thread == null ? new StackTraceElement[0] : thread.getStackTrace();
        if (!attempt.end()) {
            return;
        }
        Throwable location = new IllegalStateException("the handler is here");
        location.setStackTrace(where);
        log.error(
                "The handler of {} on {} has ignored its interrupt for {} and is given up",
                attempt,
                slot.name(),
                Durations.text(STUCK_AFTER),
                location);
        // Before its place is free and its end can be seen: a worker that claims no more must not claim one more then.
        if (!slots.replace(slot)) {
            tasks.unhealthy("two handlers in a row did not end on slot " + slot.name());
        }
        tasks.roomFreed(attempt);
        // Goes with the settlement. A job that was lost is somebody else's, and so is its log.
        attempt.reports()
                .stuck(new Report.Stuck(
                        time.now().toEpochMilli(), slot.name(), where.length == 0 ? "unknown" : where[0].toString()));
        if (attempt.reason() == Attempt.Reason.TIMEOUT) {
            tasks.timedOut(attempt);
        } else if (attempt.reason() == Attempt.Reason.CANCEL) {
            tasks.cancelled(attempt);
        }
        listeners.tell(() -> new WindrowEvent.HandlerStuck(attempt.id(), attempt.type(), attempt.attempt()));
    }

    void end() {
        loop.stopAndJoin(Duration.ofSeconds(1));
    }

    Health.Task task() {
        return loop.task();
    }
}
