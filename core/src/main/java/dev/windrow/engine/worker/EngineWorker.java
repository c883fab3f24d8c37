package dev.windrow.engine.worker;

import dev.windrow.InvalidRequestException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.Worker;
import dev.windrow.engine.Engine;
import dev.windrow.engine.EngineContext;
import dev.windrow.engine.Loop;
import dev.windrow.monitor.Health;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.WaitingClaim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** A worker of an {@link Engine}: connects its parts. */
final class EngineWorker implements Worker {
    private static final Duration LONG_TIME = Duration.ofDays(3650);
    private static final long FIRST_LOOK_NANOS = Duration.ofMillis(5).toNanos();
    private static final long LAST_LOOK_NANOS = Duration.ofMillis(200).toNanos();

    /** The number of reads that may fail in a row before a wait for idleness gives up. */
    private static final int MAX_READ_FAILURES = 5;

    private static final Logger log = SafeLogger.of(Worker.class);
    private final Settings settings;
    private final EngineContext context;
    private final OpenStore store;
    private final TimeSource time;
    private final HeldClaims claims;
    private final RunTimes runTimes;
    private final Reporter reporter;
    private final Settler settler;
    private final Execution execution;
    private final Slots slots;
    private final Map<Registration<?, ?>, Gathering> gatherings = new HashMap<>();
    private final Claimer claimer;
    private final Maintenance maintenance;
    private final Leases leases;
    private final Stopping stopping;
    private volatile @Nullable String unhealthy;

    EngineWorker(Settings settings, EngineContext context, Consumer<EngineWorker> onEnd) {
        this.settings = settings;
        this.context = context;
        this.store = context.store();
        this.time = context.time();
        this.claims = new HeldClaims(time);
        Parts parts = new Parts();
        int depth = RunTimes.depthOf(
                Runtime.getRuntime().maxMemory(), context.payloads().inlineBytes());
        this.runTimes = new RunTimes(settings.concurrency(), depth);
        this.reporter = new Reporter(settings, context, parts::wakeBy);
        this.settler = new Settler(settings, context, claims, runTimes, reporter, parts::roomToStart, parts::watch);
        this.execution = new Execution(settings, context, claims, runTimes, settler, parts);
        this.slots = new Slots(
                settings,
                settler::hasRoom,
                runTimes::ahead,
                // A clock of a test may stand still. Then it measures no run, and does not wake the watch.
                time == TimeSource.system() ? runTimes::oneSlotSuffices : jobs -> false,
                parts::littleLeft,
                parts::watch,
                (call, slot) -> execution.run(call, slot.name()),
                this::abandon,
                claims::changed);
        this.claimer = new Claimer(settings, context, runTimes, parts);
        settings.registrations().values().forEach(registration -> {
            if (registration instanceof Registration.OfBatch<?, ?> batch) {
                gatherings.computeIfAbsent(batch, key -> new Gathering(batch, claimer.calls(batch), slots, time));
            }
        });
        this.maintenance =
                new Maintenance(settings, context, claims, slots, settler, reporter, parts::startBatches, parts);
        this.leases = new Leases(settings, context, claims, slots, claimer::begin, maintenance::lost);
        this.stopping = new Stopping(this, () -> onEnd.accept(this));
    }

    /** The callbacks between the parts of this worker. */
    private final class Parts implements Execution.Hooks, Claimer.Delivery, Maintenance.Events {
        void roomToStart() {
            slots.wake();
        }

        void watch() {
            maintenance.signal();
        }

        @Override
        public void wakeBy(long nanos) {
            maintenance.wakeBy(nanos);
        }

        long startBatches() {
            return gatherings.values().stream()
                    .mapToLong(Gathering::startDue)
                    .min()
                    .orElse(Loop.UNTIL_SIGNALLED);
        }

        void littleLeft() {
            claimer.claim();
        }

        @Override
        public void roomFreed(Attempt attempt) {
            claimer.roomFreed(attempt.group());
        }

        @Override
        public void deliver(List<ClaimedJob> jobs, Claimer.Group group) {
            List<Attempt> attempts = new ArrayList<>(jobs.size());
            Gathering gathering = null;
            boolean delivered = false;
            try {
                for (ClaimedJob job : jobs) {
                    Registration<?, ?> registration = settings.registrations().get(job.type());
                    if (registration == null) {
                        log.error(
                                "Job {} was claimed, but this worker has no handler for type {}; its lease runs out",
                                job.id(),
                                job.type());
                        claimer.roomFreed(group);
                        continue;
                    }
                    Attempt attempt = new Attempt(job, registration, group, context, reporter);
                    attempts.add(attempt);
                    claims.add(attempt);
                    // Jobs of a batch handler are claimed by themselves.
                    gathering = gatherings.get(registration);
                }
                if (gathering == null) {
                    slots.deliver(attempts);
                } else {
                    gathering.add(attempts);
                }
                delivered = true;
            } finally {
                if (!delivered) {
                    // No slot will run these jobs, so their leases must run out.
                    attempts.forEach(claims::remove);
                }
            }
            try {
                if (gathering == null) {
                    slots.wake(attempts.size(), runTimes.areShort());
                } else {
                    maintenance.wakeBy(time.nanoTime() + gathering.startDue());
                }
            } catch (Throwable e) {
                log.error("Worker {} could not wake a slot, and tries again", settings.name(), e);
                maintenance.signal();
            }
        }

        @Override
        public void answered() {
            claims.changed();
        }

        @Override
        public boolean isDry() {
            return slots.readyCount() <= 0;
        }

        @Override
        public void timedOut(Attempt attempt) {
            execution.settleGivenUp(
                    attempt, new Ending.TimedOut(attempt.timeout(), null), time.nanoTime() - attempt.startNanos());
        }

        @Override
        public void cancelled(Attempt attempt) {
            long ran = attempt.startedAtMillis() == null ? 0 : time.nanoTime() - attempt.startNanos();
            execution.settleGivenUp(attempt, new Ending.Cancelled(null), ran);
        }

        @Override
        public void unhealthy(String why) {
            unhealthy = why;
            log.error("Worker {} claims no more jobs: {}; restart the process", settings.name(), why);
            claimer.close();
            handBackReady();
            claims.changed();
        }
    }

    void start() {
        leases.start();
        maintenance.start();
        claimer.start();
        log.info(
                "Worker {} serves {} with {} slots on {} threads",
                settings.name(),
                settings.queues().keySet(),
                settings.concurrency(),
                SlotThreads.areVirtual() ? "virtual" : "platform");
    }

    /** Handles a hint of the store that work may exist. Called on a thread of the store. */
    void ready(String queue, String type) {
        claimer.hint(queue, type);
    }

    /** Returns a claim for jobs that are about to be ready, if a slot is free. Called on a thread of the store. */
    @Nullable WaitingClaim waitingClaim(String queue, String type) {
        return claimer.waitingClaim(queue, type);
    }

    /** Handles a hint of the store that a job is due at this time. Called on a thread of the store. */
    void due(long atMillis) {
        claimer.due(atMillis);
    }

    /**
     * Handles a hint of the store that cancellation of a running job was requested. Called on a thread of the store.
     */
    void cancelRequested(LeaseToken leaseToken) {
        if (claims.get(leaseToken) != null) {
            maintenance.cancelRequested(leaseToken);
        }
    }

    /**
     * Handles a hint of the store that this claim was ended from outside. With null, a claim of this worker may have
     * been ended. Called on a thread of the store.
     */
    void superseded(@Nullable LeaseToken leaseToken) {
        if (leaseToken == null) {
            leases.renewSoon();
        } else if (claims.get(leaseToken) != null) {
            maintenance.lost(List.of(leaseToken));
        }
    }

    /** True if this worker, alive, holds this claim. */
    boolean leaseTokens(LeaseToken leaseToken) {
        return claims.get(leaseToken) != null;
    }

    Duration lease() {
        return settings.lease();
    }

    /** Returns the health of the background tasks, and of the worker as a whole. */
    List<Health.Task> tasks() {
        return List.of(
                claimer.task(),
                leases.task(),
                maintenance.task(),
                new Health.Task("worker " + name(), unhealthy, Duration.ZERO));
    }

    /** Hands back the jobs that are claimed and not started, including a job that a slot has just taken. */
    void handBackReady() {
        slots.takeReady();
        for (Attempt attempt : claims.all()) {
            if (attempt.takeBack()) {
                claimer.roomFreed(attempt.group());
                execution.settleGivenUp(attempt, new Ending.HandedBack(), 0);
            }
        }
    }

    /**
     * Hands back the running jobs. Their handlers continue, but their results change nothing.
     *
     * @param asked true if the caller requested this at once, so that handlers had no time to end; false if handlers
     *     ignored the request to stop
     */
    void handBackRunning(boolean asked) {
        for (Attempt attempt : claims.all()) {
            if (attempt.end()) {
                if (asked) {
                    log.info("Worker {} hands back {} at once", settings.name(), attempt);
                } else {
                    log.warn("Worker {} hands back {}, whose handler has not ended", settings.name(), attempt);
                }
                claimer.roomFreed(attempt.group());
                execution.settleGivenUp(attempt, new Ending.HandedBack(), time.nanoTime() - attempt.startNanos());
            }
        }
    }

    /** Tells all running handlers to stop. */
    void interruptRunning() {
        for (Attempt attempt : claims.all()) {
            attempt.interrupt(Attempt.Reason.STOP);
        }
    }

    /**
     * True if none of the held jobs is ready or running. The remaining ones wait for the acknowledgement of their end.
     */
    boolean hasEndedAll() {
        for (Attempt attempt : claims.all()) {
            if (!attempt.isEnded()) {
                return false;
            }
        }
        return true;
    }

    /** Drops attempts after an internal error. Their leases are not renewed any more, and the jobs are reclaimed. */
    private void abandon(Call call) {
        for (Attempt attempt : call.attempts()) {
            if (attempt.takeBack() || attempt.end()) {
                claimer.roomFreed(attempt.group());
            }
            claims.remove(attempt);
        }
    }

    Settings settings() {
        return settings;
    }

    EngineContext context() {
        return context;
    }

    HeldClaims claims() {
        return claims;
    }

    Slots slots() {
        return slots;
    }

    Claimer claimer() {
        return claimer;
    }

    Settler settler() {
        return settler;
    }

    /** Stops the renewal of leases and of the entry in the registry. */
    void endRenewing() {
        leases.end();
    }

    /** Ends the loops; after that nothing is renewed. */
    void endLoops() {
        claimer.end();
        slots.retire();
        maintenance.end();
        leases.end();
    }

    @Override
    public String name() {
        return settings.name();
    }

    @Override
    public Set<String> queues() {
        return Set.copyOf(settings.queues().keySet());
    }

    @Override
    public Set<String> types() {
        return Set.copyOf(settings.types());
    }

    @Override
    public void awaitIdle() throws InterruptedException {
        awaitIdle(LONG_TIME);
    }

    @Override
    public boolean awaitIdle(Duration timeout) throws InterruptedException {
        Settings.notNegative("timeout", timeout);
        long start = time.nanoTime();
        long limit = timeout.compareTo(LONG_TIME) > 0 ? LONG_TIME.toNanos() : timeout.toNanos();
        long pause = FIRST_LOOK_NANOS;
        int failures = 0;
        while (true) {
            long taken = claims.taken();
            boolean seemed = seemsIdle();
            try {
                if (isIdle()) {
                    return true;
                }
                failures = 0;
            } catch (StoreUnavailableException e) {
                if (++failures > MAX_READ_FAILURES || stopping.hasBegun()) {
                    throw e;
                }
            }
            if (unhealthy != null) {
                throw new WindrowException("worker %s will not become idle: %s".formatted(name(), unhealthy));
            }
            long waited = time.nanoTime() - start;
            if (waited >= limit || stopping.hasBegun()) {
                return false;
            }
            // If this worker has no work, another worker has some, or a retry is due later. Neither sends a
            // notification.
            claims.await(
                    () -> stopping.hasBegun() || (seemsIdle() && (!seemed || claims.taken() != taken)),
                    start + Math.min(limit, waited + pause));
            pause = Math.min(LAST_LOOK_NANOS, pause * 2);
        }
    }

    /** True if this worker has run out of work, as far as it knows. */
    private boolean seemsIdle() {
        return claims.isEmpty() && claimer.hasFoundNothing();
    }

    private boolean isIdle() {
        return claims.isEmpty()
                && store.unfinished(settings.queues().keySet(), settings.types(), settings.minPriority()) == 0
                && claims.isEmpty();
    }

    @Override
    public void stop(Duration drain) {
        Settings.notNegative("drain", drain);
        requireOtherThread();
        stopping.stop(drain.compareTo(LONG_TIME) > 0 ? LONG_TIME : drain, false);
    }

    @Override
    public void stopNow() {
        requireOtherThread();
        stopping.stop(Duration.ZERO, true);
    }

    /**
     * Throws if the caller is inside a transaction. A stop waits until all commands are written, and this thread's
     * transaction would prevent that.
     */
    private void requireOtherThread() {
        if (store.isInTransaction()) {
            throw new InvalidRequestException(
                    "stopping a worker is not possible inside inTransaction: do it after the transaction");
        }
    }

    /** Begins the same stop as {@link #close}, and does not wait. */
    void beginClose() {
        beginClose(settings.drainTimeout());
    }

    /** Begins the same stop with a drain that may be shorter. */
    void beginClose(Duration drain) {
        stopping.begin(drain.compareTo(settings.drainTimeout()) < 0 ? drain : settings.drainTimeout(), false);
        // If a stop with an earlier deadline has begun before, the call above does not make it check for exits.
        endExiting();
    }

    /**
     * Fails the attempts whose handlers have called {@code System.exit}. Such a handler never returns, so a drain would
     * wait in vain. If its job were handed back, it would end the next process as well.
     */
    void endExiting() {
        for (Attempt attempt : claims.all()) {
            Throwable exit = attempt.exiting();
            if (exit != null && attempt.end()) {
                claimer.roomFreed(attempt.group());
                execution.settleGivenUp(attempt, new Ending.Exited(exit), time.nanoTime() - attempt.startNanos());
            }
        }
    }

    @Override
    public void join() throws InterruptedException {
        stopping.join();
    }

    @Override
    public Worker.Totals totals() {
        return settler.totals();
    }

    @Override
    public void close() {
        stop(settings.drainTimeout());
    }
}
