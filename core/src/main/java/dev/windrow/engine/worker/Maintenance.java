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
import java.util.function.LongSupplier;
import org.slf4j.Logger;

/**
 * Watches the running attempts of a worker. It interrupts handlers at their deadlines, when cancellation is requested,
 * and when their leases are lost. It sends reports, gives up slots whose handlers do not end, and retries unrecorded
 * settlements. It starts batches that have waited long enough, and wakes slots that no other slot has woken. It may have to wait for space in the store's queue, so it does not renew leases: {@link Leases} does.
 */
final class Maintenance {
    /** The time that a handler may continue after its interrupt before it counts as stuck. */
    static final Duration STUCK_AFTER = Duration.ofSeconds(10);

    /** The time that a round may wait for the store before it checks deadlines again. */
    private static final long PATIENCE_NANOS = Duration.ofSeconds(1).toNanos();

    /** The time between two tries to wake a slot that has no thread. */
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
    private final LongSupplier batches;
    private final Events tasks;
    private final Loop loop;

    private final ConcurrentLinkedQueue<LeaseToken> lost = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<LeaseToken> cancelRequests = new ConcurrentLinkedQueue<>();
    /** The time of the loop's next check of its attempts. A thread that needs an earlier check signals the loop. */
    private volatile long watchNanos;

    /** The callbacks for an attempt that is taken away from its slot. */
    interface Events {
        /** Settles as timed out an attempt that the caller has ended because its handler did not end in time. */
        void timedOut(Attempt attempt);

        /** Settles as cancelled an attempt that the caller has ended. */
        void cancelled(Attempt attempt);

        /** Notifies that the slot of this attempt is free. */
        void roomFreed(Attempt attempt);

        /** Stops the worker's claims, because a slot had to be given up twice. */
        void unhealthy(String why);
    }

    /**
     * Creates the loop without starting it.
     *
     * @param batches starts the batches that are due; returns the time until the next one is due
     */
    Maintenance(
            Settings settings,
            EngineContext context,
            HeldClaims claims,
            Slots slots,
            Settler settler,
            Reporter reporter,
            LongSupplier batches,
            Events tasks) {
        this.settings = settings;
        this.time = context.time();
        this.losses = new LogThrottle(time);
        this.listeners = context.listeners();
        this.claims = claims;
        this.slots = slots;
        this.settler = settler;
        this.reporter = reporter;
        this.batches = batches;
        this.tasks = tasks;
        this.watchNanos = time.nanoTime();
        this.loop = new Loop("windrow-watch-" + settings.name(), time, this::round);
    }

    void start() {
        loop.start();
    }

    /**
     * Wakes the loop by this time for a deadline or a report of an attempt. The slot calls this after it is visible in
     * {@link Slots#all}.
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
        // During the scan, every attempt that begins signals the loop, because the scan may have passed its slot
        // already.
        watchNanos = now + Loop.UNTIL_SIGNALLED * 1000;
        // First, because the others may have to wait for the store.
        long untilSlots = wakeSlots();
        takeLosses();
        takeCancelRequests();
        long wait = Math.min(Math.min(deadlines(now), reports(now)), batches.getAsLong());
        watchNanos = now + wait;
        return Math.min(Math.min(wait, settler.resend()), untilSlots);
    }

    /** Wakes slots that no other slot has woken. Returns the time until the next try. */
    private long wakeSlots() {
        try {
            return slots.watch(time.nanoTime());
        } catch (Throwable e) {
            log.debug("Worker {} could not wake a slot", settings.name(), e);
            return WAKE_AGAIN_NANOS;
        }
    }

    // ---- losses -----------------------------------------------------------------------------------------------------

    /** Notifies that these claims belong to another worker now. On a thread of the store. */
    void lost(List<LeaseToken> leaseTokens) {
        lost.addAll(leaseTokens);
        loop.signal();
    }

    private void takeLosses() {
        LeaseToken leaseToken;
        while ((leaseToken = lost.poll()) != null) {
            Attempt attempt = claims.get(leaseToken);
            // An attempt that has ended will be settled, and the result of that tells if it was lost. An attempt that
            // was ended inside a transaction may be committed. That is decided when its handler has returned.
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
                    "Worker {} has lost {}: the result of its handler changes nothing, because another worker owns the job or it was ended from outside{}",
                    settings.name(),
                    gone,
                    more));
            listeners.tell(() -> new WindrowEvent.AttemptLost(gone.id(), gone.type(), gone.attempt()));
        }
    }

    // ---- requests to cancel -----------------------------------------------------------------------------------------

    /** Requests the cancellation of this job. Called on a thread of the store, perhaps repeatedly. */
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
            // An attempt that has ended will be settled. If its job would not end with that, the store cancels it.
            if (attempt.isEnded()) {
                continue;
            }
            if (attempt.takeBack()) {
                log.info("{} is cancelled before it was started", attempt);
                tasks.roomFreed(attempt);
                tasks.cancelled(attempt);
            } else if (attempt.interrupt(Attempt.Reason.CANCEL)) {
                log.info(
                        "{} is to be cancelled: its handler {}",
                        attempt,
                        attempt.isInterrupted() ? "is interrupted" : "continues with the other jobs of its batch");
            }
        }
    }

    // ---- deadlines --------------------------------------------------------------------------------------------------

    /** Enforces the deadlines that have passed; returns the time until the next one. */
    private long deadlines(long now) {
        long wait = Loop.UNTIL_SIGNALLED;
        for (Slot slot : slots.all()) {
            Call call = slot.current();
            if (call != null) {
                wait = Math.min(wait, deadlines(slot, call, now));
            }
        }
        return wait;
    }

    private long deadlines(Slot slot, Call call, long now) {
        long wait = Loop.UNTIL_SIGNALLED;
        for (Attempt attempt : call.attempts()) {
            if (!attempt.isRunning()) {
                continue;
            }
            Attempt.Reason reason = attempt.reason();
            if (reason == null) {
                long left = attempt.deadlineNanos() - now;
                if (left > 0) {
                    wait = Math.min(wait, left);
                    continue;
                }
                boolean unused = interruptIfLate(attempt, now);
                wait = Math.min(wait, STUCK_AFTER.toNanos());
            } else if (reason != Attempt.Reason.STOP && attempt.isInterrupted()) {
                long left = attempt.interruptedNanos() + STUCK_AFTER.toNanos() - now;
                if (left > 0) {
                    wait = Math.min(wait, left);
                } else {
                    stuck(slot, attempt, call);
                    return wait;
                }
            }
        }
        return wait;
    }

    /** Interrupts the handler of a running attempt if its deadline has passed and it has no other reason to stop; true if it did. */
    static boolean interruptIfLate(Attempt attempt, long now) {
        if (!attempt.isRunning() || attempt.reason() != null || attempt.deadlineNanos() - now > 0) {
            return false;
        }
        log.debug("{} has passed its deadline of {} and is interrupted", attempt, Durations.text(attempt.timeout()));
        return attempt.interrupt(Attempt.Reason.TIMEOUT);
    }

    /** Sends the reports that are due; returns the time until the next one is due. */
    private long reports(long now) {
        long wait = Loop.UNTIL_SIGNALLED;
        for (Slot slot : slots.all()) {
            Call call = slot.current();
            for (Attempt attempt : call == null ? List.<Attempt>of() : call.attempts()) {
                if (!attempt.isRunning()) {
                    continue;
                }
                wait = Math.min(wait, reporter.sendIfDue(attempt, now));
                if (time.nanoTime() - now > PATIENCE_NANOS) {
                    // The store's queue is full: deadlines and requests to cancel come first, then the next report.
                    return 0;
                }
            }
        }
        return wait;
    }

    /** Gives up a slot whose handler does not end, with all attempts of the call. */
    private void stuck(Slot slot, Attempt first, Call call) {
        Thread thread = first.thread();
        StackTraceElement[] where = thread == null ? new StackTraceElement[0] : thread.getStackTrace();
        List<Attempt> ended = call.attempts().stream().filter(Attempt::end).toList();
        if (ended.isEmpty()) {
            return;
        }
        Throwable location = new IllegalStateException("the handler is here");
        location.setStackTrace(where);
        log.error(
                "The handler of {} on {} has ignored its interrupt for {} and is given up",
                ended.size() == 1 ? ended.get(0) : ended,
                slot.name(),
                Durations.text(STUCK_AFTER),
                location);
        // This comes before the slot is free and the end of the attempt is visible. A worker that claims no more must
        // not claim once more then.
        if (call instanceof BatchCall batch) {
            batch.leaveSlot();
        }
        if (!slots.replace(slot)) {
            tasks.unhealthy("two handlers in a row did not end on slot " + slot.name());
        }
        for (Attempt attempt : ended) {
            tasks.roomFreed(attempt);
            // The report is sent with the settlement. A lost job belongs to another worker, and so does its log.
            attempt.reports()
                    .stuck(new Report.Stuck(
                            time.now().toEpochMilli(),
                            slot.name(),
                            where.length == 0 ? "unknown" : where[0].toString()));
            if (attempt.reason() == Attempt.Reason.TIMEOUT) {
                tasks.timedOut(attempt);
            } else if (attempt.reason() == Attempt.Reason.CANCEL) {
                tasks.cancelled(attempt);
            }
            listeners.tell(() -> new WindrowEvent.HandlerStuck(attempt.id(), attempt.type(), attempt.attempt()));
        }
    }

    void end() {
        loop.stopAndJoin(Duration.ofSeconds(1));
    }

    Health.Task task() {
        return loop.task();
    }
}
