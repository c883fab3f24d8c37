package dev.windrow.engine.worker;

import dev.windrow.TimeSource;
import dev.windrow.engine.Answers;
import dev.windrow.engine.EngineContext;
import dev.windrow.engine.Loop;
import dev.windrow.engine.Machine;
import dev.windrow.monitor.Health;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Renew;
import dev.windrow.store.processes.Announce;
import dev.windrow.store.processes.WorkerRow;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Renews the leases of a worker's claims, and the worker's entry in the registry, every third of a lease. It has its
 * own loop and no other work. So a renewal does not wait behind work that waits for the store.
 */
final class Leases {
    private static final Logger log = SafeLogger.of(Leases.class);

    private final Settings settings;
    private final OpenStore store;
    private final TimeSource time;
    private final HeldClaims claims;
    private final Slots slots;
    private final Consumer<List<LeaseToken>> onLoss;
    private final Loop loop;

    private volatile boolean renewing;
    /** True if a renewal is requested that begins from now on. */
    private volatile boolean soon;

    private final AtomicInteger failures = new AtomicInteger();
    private volatile String failure = "";
    private volatile long renewedNanos;
    private volatile long renewAtNanos;

    /** The action that begins once this worker is in the registry; null after that. */
    private final AtomicReference<@Nullable Runnable> onceEntered;

    private final AtomicInteger notEntered = new AtomicInteger();
    private volatile String whyNotEntered = "";

    /**
     * Creates the loop without starting it.
     *
     * @param onceEntered called once, on a thread of the store, when this worker is in the registry
     * @param onLoss called on a thread of the store with the claims that could not be renewed because they belong to
     *     another worker now
     */
    Leases(
            Settings settings,
            EngineContext context,
            HeldClaims claims,
            Slots slots,
            Runnable onceEntered,
            Consumer<List<LeaseToken>> onLoss) {
        this.onceEntered = new AtomicReference<>(onceEntered);
        this.settings = settings;
        this.store = context.store();
        this.time = context.time();
        this.claims = claims;
        this.slots = slots;
        this.onLoss = onLoss;
        this.renewAtNanos = time.nanoTime();
        this.renewedNanos = renewAtNanos;
        this.loop = new Loop("windrow-lease-" + settings.name(), time, this::round);
    }

    /**
     * Enters the registry, then starts the loop. A claim before that would be found under the entry of an ended process
     * that had the same name.
     */
    void start() {
        announce();
        loop.start();
    }

    private long round() {
        long now = time.nanoTime();
        boolean inFlight = renewing;
        if (now - renewAtNanos >= 0 || (soon && !inFlight)) {
            // A renewal in flight may have read before the loss. Its result does not answer a request for a renewal.
            if (!inFlight) {
                soon = false;
            }
            renewAtNanos = now + settings.renewNanos();
            renew();
            announce();
        }
        return renewAtNanos - now;
    }

    /**
     * Requests a renewal, which finds out if a lease was lost. Sends nothing while the worker holds no claims. Called
     * on a thread of the store.
     */
    void renewSoon() {
        if (!claims.all().isEmpty()) {
            soon = true;
            loop.signal();
        }
    }

    private void announce() {
        Answers.then(store.submit(new Announce(row())), (done, notDone) -> {
            if (notDone != null) {
                notEntered(notDone);
                return;
            }
            notEntered.set(0);
            Runnable once = onceEntered.getAndSet(null);
            if (once != null) {
                once.run();
            }
        });
    }

    /**
     * Handles a failed announcement, on a thread of the store. An existing entry lasts for a lease; the next renewal
     * renews it.
     */
    private void notEntered(Throwable why) {
        log.debug("Worker {} could not renew its entry in the registry", settings.name(), why);
        if (onceEntered.get() == null) {
            return;
        }
        whyNotEntered = String.valueOf(why.getMessage());
        int inARow = notEntered.incrementAndGet();
        if (inARow == 1) {
            log.warn(
                    "Worker {} could not enter the registry and tries again; it claims nothing before: {}",
                    settings.name(),
                    whyNotEntered);
        }
        renewAtNanos = time.nanoTime() + Math.min(settings.renewNanos() / 4, Loop.pauseNanos(inARow));
        loop.signal();
    }

    private WorkerRow row() {
        return new WorkerRow(
                settings.id(),
                new WorkerRow.WorkerProcess(Machine.host(), Machine.PID, Machine.process(), Machine.version()),
                new WorkerRow.Work(
                        settings.queues().keySet(), settings.types(), settings.concurrency(), settings.minPriority()),
                settings.lease().toMillis(),
                slots.stuck());
    }

    private void renew() {
        List<LeaseToken> leaseTokens = new ArrayList<>();
        for (Attempt attempt : claims.all()) {
            leaseTokens.add(attempt.leaseToken());
        }
        if (leaseTokens.isEmpty() || renewing) {
            return;
        }
        renewing = true;
        Answers.then(store.submit(new Renew(leaseTokens, settings.lease().toMillis())), (gone, notRenewed) -> {
            renewing = false;
            if (soon) {
                loop.signal();
            }
            if (gone == null) {
                notRenewed(String.valueOf(notRenewed));
            } else {
                renewed(gone);
            }
        });
    }

    /** Handles a renewal, on a thread of the store. */
    private void renewed(List<LeaseToken> gone) {
        renewedNanos = time.nanoTime();
        if (failures.getAndSet(0) > 0) {
            log.info("Worker {} can renew its leases again", settings.name());
        }
        if (!gone.isEmpty()) {
            onLoss.accept(gone);
        }
    }

    /** Handles a failed renewal, on a thread of the store. */
    private void notRenewed(String why) {
        failure = why;
        int inARow = failures.incrementAndGet();
        if (inARow == 1) {
            log.warn("Worker {} could not renew its leases and tries again: {}", settings.name(), why);
        }
        renewAtNanos = time.nanoTime() + Math.min(settings.renewNanos() / 4, Loop.pauseNanos(inARow));
        loop.signal();
    }

    /** Ends the loop; after that nothing is renewed. */
    void end() {
        loop.stopAndJoin(Duration.ofSeconds(1));
    }

    /** Returns the health of the loop and of renewing. */
    Health.Task task() {
        Health.Task task = loop.task();
        if (task.isOk() && notEntered.get() > 0) {
            return new Health.Task(
                    task.name(),
                    "could not enter the registry %d times in a row: %s".formatted(notEntered.get(), whyNotEntered),
                    Duration.ofNanos(Math.max(0, time.nanoTime() - renewedNanos)));
        }
        int inARow = failures.get();
        if (task.isOk() && inARow > 0) {
            return new Health.Task(
                    task.name(),
                    "could not renew its leases %d times in a row: %s".formatted(inARow, failure),
                    Duration.ofNanos(Math.max(0, time.nanoTime() - renewedNanos)));
        }
        return task;
    }
}
