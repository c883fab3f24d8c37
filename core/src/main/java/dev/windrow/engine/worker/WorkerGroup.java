package dev.windrow.engine.worker;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.RetryRules;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.engine.EngineContext;
import dev.windrow.engine.retention.Retaining;
import dev.windrow.engine.schedule.Scheduling;
import dev.windrow.engine.step.WaitTimeouts;
import dev.windrow.monitor.Health;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.job.LeaseToken;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** The workers of one {@link Windrow} and their common background tasks. */
public final class WorkerGroup {
    /** The rules for a type that no worker of this process handles. */
    private static final RetryRules UNKNOWN = RetryRules.of(RetryPolicy.DEFAULT);

    private static final Logger log = SafeLogger.of(WorkerGroup.class);

    private final EngineContext context;
    private final Hints hints;
    /** The live workers; read by threads of the store. */
    private final List<EngineWorker> alive;

    private final ReentrantLock lock = new ReentrantLock();
    // Written under the lock.
    private volatile @Nullable Reclaimer reclaimer;
    // Written under the lock.
    private volatile @Nullable WaitTimeouts waits;
    // Written under the lock.
    private volatile @Nullable Scheduling schedules;
    private final @Nullable Retaining retaining;
    // Guarded by lock.
    private boolean closed;

    /**
     * Creates a group without workers.
     *
     * @param retaining starts with the first worker; null for a group without retention
     */
    public WorkerGroup(EngineContext context, Hints hints, @Nullable Retaining retaining) {
        this.context = context;
        this.retaining = retaining;
        this.hints = hints;
        this.alive = hints.workers();
    }

    /** Throws if the codec cannot read or write the values of the type. */
    void checkCodec(JobType<?, ?> type) {
        if (!context.payloads().canHandle(type.input())) {
            context.payloads().codecFor(type.input());
        }
        if (!context.payloads().canHandle(type.output())) {
            context.payloads().codecFor(type.output());
        }
        context.payloads().check(type);
    }

    Worker start(Settings settings) {
        lock.lock();
        try {
            if (closed) {
                throw new StoreUnavailableException("the worker cannot start: its Windrow is closed");
            }
            for (EngineWorker other : alive) {
                if (other.name().equals(settings.name())) {
                    throw new InvalidRequestException("a worker named '%s' runs already".formatted(settings.name()));
                }
            }
            EngineWorker worker = new EngineWorker(settings, context, alive::remove);
            alive.add(worker);
            worker.start();
            if (reclaimer == null) {
                Reclaimer task = new Reclaimer(context, this);
                hints.onWork(task::hint);
                task.start();
                reclaimer = task;
                WaitTimeouts ending = new WaitTimeouts(context);
                hints.onWait(ending::endAt);
                ending.start();
                waits = ending;
                Scheduling making = new Scheduling(context);
                hints.onSchedule(making::dueAt);
                making.start();
                schedules = making;
                if (retaining != null) {
                    retaining.start();
                }
            }
            return worker;
        } finally {
            lock.unlock();
        }
    }

    ManualWorker startManually(Settings settings, boolean everyQueue) {
        ManualWorker worker = new ManualWorker(settings, everyQueue, context, hints);
        worker.start();
        return worker;
    }

    /** Returns the longest lease of the live workers; null if none lives. */
    @Nullable Duration longestLease() {
        return alive.stream().map(EngineWorker::lease).max(Duration::compareTo).orElse(null);
    }

    /** Returns the health of the background tasks of each worker, and of the common ones. */
    public List<Health.Task> tasks() {
        List<Health.Task> tasks = new ArrayList<>();
        alive.forEach(worker -> tasks.addAll(worker.tasks()));
        Reclaimer task = reclaimer;
        if (task != null) {
            tasks.add(task.task());
        }
        WaitTimeouts ending = waits;
        if (ending != null) {
            tasks.add(ending.task());
        }
        Scheduling making = schedules;
        if (making != null) {
            tasks.add(making.task());
            if (retaining != null) {
                tasks.add(retaining.task());
            }
        }
        return tasks;
    }

    /** True if a live worker holds this claim. */
    boolean leaseToken(LeaseToken leaseToken) {
        for (EngineWorker worker : alive) {
            if (worker.leaseTokens(leaseToken)) {
                return true;
            }
        }
        return false;
    }

    /** Returns the retry rules of a type, as far as a live worker knows them. */
    RetryRules retryRules(String type) {
        for (EngineWorker worker : alive) {
            Registration<?, ?> registration = worker.settings().registrations().get(type);
            if (registration != null) {
                return registration.type().retry();
            }
        }
        return UNKNOWN;
    }

    /** Begins to stop all workers, none with a longer drain than this, and does not wait. */
    public void shutDown(Duration drain) {
        lock.lock();
        try {
            closed = true;
        } finally {
            lock.unlock();
        }
        for (EngineWorker worker : alive) {
            try {
                worker.beginClose(drain);
            } catch (RuntimeException | Error e) {
                // The other workers must still stop, and the closing that follows tries this one again.
                log.error("Worker {} could not begin to stop", worker.name(), e);
            }
        }
    }

    /** Stops all workers at the same time, each with its own drain timeout. */
    public void close() {
        Reclaimer task;
        WaitTimeouts ending;
        Scheduling making;
        lock.lock();
        try {
            closed = true;
            task = reclaimer;
            ending = waits;
            making = schedules;
        } finally {
            lock.unlock();
        }
        if (making != null) {
            if (retaining != null) {
                retaining.close();
            }
            // This comes before the workers stop, because they would get the jobs that it enqueues.
            making.close();
        }
        List<EngineWorker> all = List.copyOf(alive);
        List<EngineWorker> stopping = new ArrayList<>();
        for (EngineWorker worker : all) {
            try {
                worker.beginClose();
                stopping.add(worker);
            } catch (RuntimeException | Error e) {
                log.error("Worker {} could not begin to stop; the leases that it holds run out", worker.name(), e);
            }
        }
        stopping.forEach(EngineWorker::close);
        if (task != null) {
            task.close();
        }
        if (ending != null) {
            ending.close();
        }
    }
}
