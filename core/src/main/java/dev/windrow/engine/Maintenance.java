package dev.windrow.engine;

import dev.windrow.Durations;
import dev.windrow.Health;
import dev.windrow.TimeSource;
import dev.windrow.WindrowEvent;
import dev.windrow.store.Hold;
import dev.windrow.store.Report;
import dev.windrow.store.Store;
import dev.windrow.store.WorkerRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Keeps what a worker holds: renews leases and its entry in the registry each third of a lease, interrupts handlers at
 * their deadlines and when their jobs are to be cancelled, sends what they report, gives up slots whose handlers do not end, and tries unrecorded settlements again.
 */
final class Maintenance {
    /** How long a handler may go on after its interrupt before it counts as stuck. */
    static final Duration STUCK_AFTER = Duration.ofSeconds(10);

    private static final Logger log = LoggerFactory.getLogger(Maintenance.class);

    private final Settings settings;
    private final Store store;
    private final TimeSource time;
    private final Listeners listeners;
    private final Hands hands;
    private final Slots slots;
    private final Settler settler;
    private final Reporter reporter;
    private final Duties duties;
    private final Loop loop;

    private final ConcurrentLinkedQueue<Hold> lost = new ConcurrentLinkedQueue<>();
    private final ConcurrentLinkedQueue<Hold> cancelRequests = new ConcurrentLinkedQueue<>();
    /** When the loop looks at its attempts again. Who needs it earlier signals the loop. */
    private volatile long watchNanos;

    private volatile boolean renewing;
    private final AtomicInteger renewalFailures = new AtomicInteger();
    private volatile String renewalFailure = "";
    private volatile long renewedNanos;
    private volatile long renewAtNanos;

    /** What a worker does about a handler that is taken away from its slot. */
    interface Duties {
        /** The handler did not end in time: its attempt, which the caller has ended, is to be settled as timed out. */
        void timedOut(Attempt attempt);

        /** An attempt that the caller has ended is to be settled as cancelled. */
        void cancelled(Attempt attempt);

        /** The room that this attempt took up is free. */
        void released(Attempt attempt);

        /** A slot had to be given up twice: the worker must not claim any more. */
        void unhealthy(String why);
    }

    Maintenance(
            Settings settings,
            Surroundings surroundings,
            Hands hands,
            Slots slots,
            Settler settler,
            Reporter reporter,
            Duties duties) {
        this.settings = settings;
        this.store = surroundings.store();
        this.time = surroundings.time();
        this.listeners = surroundings.listeners();
        this.hands = hands;
        this.slots = slots;
        this.settler = settler;
        this.reporter = reporter;
        this.duties = duties;
        this.renewAtNanos = time.nanoTime();
        this.renewedNanos = renewAtNanos;
        this.watchNanos = renewAtNanos;
        this.loop = new Loop("windrow-lease-" + settings.name(), time, this::round);
    }

    /** The entry in the registry is queued before any claim: what this worker holds is never found under an older entry. */
    void start() {
        announce();
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
        if (now - renewAtNanos >= 0) {
            renewAtNanos = now + settings.renewNanos();
            renew();
        }
        takeLosses();
        takeCancelRequests();
        long wait = Math.min(renewAtNanos - now, deadlines(now));
        watchNanos = now + wait;
        return Math.min(wait, settler.retry());
    }

    // ---- leases -----------------------------------------------------------------------------------------------------

    private void announce() {
        Answers.then(store.announce(row()), (done, failure) -> {
            if (failure != null) {
                log.debug("Worker {} could not renew its entry in the registry", settings.name(), failure);
            }
        });
    }

    private void renew() {
        announce();
        List<Hold> holds = new ArrayList<>();
        for (Attempt attempt : hands.all()) {
            holds.add(attempt.hold());
        }
        if (holds.isEmpty() || renewing) {
            return;
        }
        renewing = true;
        Answers.then(store.renew(holds, settings.lease().toMillis()), (gone, failure) -> {
            renewing = false;
            if (gone == null) {
                notRenewed(String.valueOf(failure));
            } else {
                renewed(gone);
            }
        });
    }

    private WorkerRow row() {
        return new WorkerRow(
                settings.name(),
                Machine.host(),
                Machine.PID,
                Machine.process(),
                Machine.version(),
                settings.queues().keySet(),
                settings.types(),
                settings.concurrency(),
                settings.lease().toMillis(),
                slots.stuck());
    }

    /** On the store's thread. */
    private void renewed(List<Hold> gone) {
        renewedNanos = time.nanoTime();
        if (renewalFailures.getAndSet(0) > 0) {
            log.info("Worker {} can renew its leases again", settings.name());
        }
        if (!gone.isEmpty()) {
            lost.addAll(gone);
            loop.signal();
        }
    }

    /** On the store's thread. */
    private void notRenewed(String failure) {
        renewalFailure = failure;
        int failures = renewalFailures.incrementAndGet();
        if (failures == 1) {
            log.warn("Worker {} could not renew its leases and tries again: {}", settings.name(), failure);
        }
        renewAtNanos = time.nanoTime() + Math.min(settings.renewNanos() / 4, Loop.pauseNanos(failures));
        loop.signal();
    }

    private void takeLosses() {
        Hold hold;
        while ((hold = lost.poll()) != null) {
            Attempt attempt = hands.get(hold);
            // An attempt that has ended is on its way to be settled: the answer to that says whether it was lost.
            if (attempt == null || attempt.isEnded()) {
                continue;
            }
            if (attempt.takeBack()) {
                duties.released(attempt);
            } else if (!attempt.interrupt(Attempt.Reason.LOST)) {
                continue;
            }
            hands.remove(attempt);
            log.warn("Worker {} has lost {}: what its handler returns changes nothing", settings.name(), attempt);
            Attempt gone = attempt;
            listeners.tell(() -> new WindrowEvent.AttemptLost(gone.id(), gone.type(), gone.attempt()));
        }
    }

    // ---- requests to cancel -----------------------------------------------------------------------------------------

    /** Somebody wants this job cancelled. On a thread of the store, perhaps again and again. */
    void cancelRequested(Hold hold) {
        cancelRequests.add(hold);
        loop.signal();
    }

    private void takeCancelRequests() {
        Hold hold;
        while ((hold = cancelRequests.poll()) != null) {
            Attempt attempt = hands.get(hold);
            // What has ended is on its way to be settled: if it would live on, the store cancels it.
            if (attempt == null || attempt.isEnded()) {
                continue;
            }
            attempt.cancelRequested();
            if (attempt.takeBack()) {
                log.info("{} is cancelled before it was started", attempt);
                duties.released(attempt);
                duties.cancelled(attempt);
            } else if (attempt.interrupt(Attempt.Reason.CANCEL)) {
                log.info("{} is to be cancelled: its handler is interrupted", attempt);
            }
        }
    }

    // ---- deadlines --------------------------------------------------------------------------------------------------

    /** Enforces the deadlines that have passed, and sends what is to be reported; returns how long until the next of either. */
    private long deadlines(long now) {
        long wait = Loop.UNTIL_SIGNALLED;
        for (Slot slot : slots.all()) {
            Attempt attempt = slot.current();
            if (attempt == null || !attempt.isRunning()) {
                continue;
            }
            wait = Math.min(wait, reporter.sendIfDue(attempt, now));
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
        duties.released(attempt);
        // Goes with the settlement. A job that was lost is somebody else's, and so is its log.
        attempt.reports()
                .stuck(new Report.Stuck(
                        time.now().toEpochMilli(), slot.name(), where.length == 0 ? "unknown" : where[0].toString()));
        if (attempt.reason() == Attempt.Reason.TIMEOUT) {
            duties.timedOut(attempt);
        } else if (attempt.reason() == Attempt.Reason.CANCEL) {
            duties.cancelled(attempt);
        }
        listeners.tell(() -> new WindrowEvent.HandlerStuck(attempt.id(), attempt.type(), attempt.attempt()));
        if (!slots.replace(slot)) {
            duties.unhealthy("two handlers in a row did not end on slot " + slot.name());
        }
    }

    /** Ends the loop: nothing is renewed any more. */
    void end() {
        loop.stopAndJoin(Duration.ofSeconds(1));
    }

    /** How the loop is, and whether leases can be renewed. */
    Health.Duty duty() {
        Health.Duty duty = loop.duty();
        int failures = renewalFailures.get();
        if (duty.isOk() && failures > 0) {
            return new Health.Duty(
                    duty.name(),
                    "could not renew its leases %d times in a row: %s".formatted(failures, renewalFailure),
                    Duration.ofNanos(Math.max(0, time.nanoTime() - renewedNanos)));
        }
        return duty;
    }
}
