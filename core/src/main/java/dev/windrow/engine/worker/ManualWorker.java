package dev.windrow.engine.worker;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobContext;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.RetryPolicy;
import dev.windrow.RetryRules;
import dev.windrow.TimeSource;
import dev.windrow.WindrowException;
import dev.windrow.Worker;
import dev.windrow.engine.Answers;
import dev.windrow.engine.EngineContext;
import dev.windrow.engine.Loop;
import dev.windrow.engine.Machine;
import dev.windrow.engine.schedule.Scheduling;
import dev.windrow.monitor.SuggestField;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.job.Touch;
import dev.windrow.store.job.Withdraw;
import dev.windrow.store.processes.Announce;
import dev.windrow.store.processes.WorkerRow;
import dev.windrow.store.step.EndWaits;
import java.lang.reflect.Type;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * A worker without threads, for tests of handlers. Its caller claims jobs and runs them, one after the other, on its own thread. Claims, attempts,
 * settlements and reclaims are those of every worker: the parts of this package do them. Nothing happens between two calls. Only the module of
 * the test kit sees this class.
 */
public final class ManualWorker implements AutoCloseable {
    private static final int PAGE = 1000;
    /** The number of tries to record the end of an attempt. */
    private static final int SETTLE_TRIES = 100;

    private static final Duration LONG_TIME = Duration.ofDays(3650);
    private static final Logger log = SafeLogger.of(ManualWorker.class);

    private final Settings settings;
    private final boolean everyQueue;
    private final EngineContext context;
    private final Hints hints;
    private final OpenStore store;
    private final TimeSource time;
    private final HeldClaims claims;
    private final Settler settler;
    private final Reporter reporter;
    private final Execution execution;
    private final Scheduling schedules;
    /** No group of claims is limited. */
    private final Claimer.Group group =
            new Claimer.Group(Set.of(), new Claimer.Share(Set.of(), 1), Settings.UNLIMITED, new AtomicInteger(), 0);

    /** The starts that are about to be recorded. */
    private final Map<Attempt, CompletableFuture<Void>> starts = new ConcurrentHashMap<>();

    private volatile boolean unrecorded;
    private volatile Set<String> queues;
    private volatile @Nullable Long nextDueMillis;
    private volatile boolean announced;
    private volatile long announcedNanos;
    private volatile Instant ticked = Instant.MIN;

    ManualWorker(Settings settings, boolean everyQueue, EngineContext context, Hints hints) {
        this.settings = settings;
        this.everyQueue = everyQueue;
        this.context = context;
        this.hints = hints;
        this.store = context.store();
        this.time = context.time();
        this.claims = new HeldClaims(time);
        this.queues = settings.queues().keySet();
        RunTimes runTimes = new RunTimes(1, 1);
        this.reporter = new Reporter(settings, context, nanos -> {});
        this.settler = new Settler(settings, context, claims, runTimes, reporter, () -> {}, this::unrecorded);
        this.execution = new Execution(settings, context, claims, runTimes, settler, new Execution.Hooks() {
            @Override
            public void wakeBy(long nanos) {}

            @Override
            public void roomFreed(Attempt attempt) {}

            @Override
            public void starting(Attempt attempt, CompletableFuture<Void> recorded) {
                starts.put(attempt, recorded);
            }
        });
        this.schedules = new Scheduling(context);
    }

    /**
     * Returns a worker with the settings of a builder. A builder without a queue makes a worker that serves every queue. The worker enters the registry
     * with its first claim.
     *
     * @throws InvalidRequestException if the builder is not one of a {@link dev.windrow.Windrow}, or {@link Worker.Builder#start} would refuse it for
     *     another reason than that it has no handlers
     */
    public static ManualWorker start(Worker.Builder builder) {
        if (builder instanceof EngineWorkerBuilder settings) {
            return settings.startManually();
        }
        throw new InvalidRequestException("a worker builder of %s is not allowed: it must come from Windrow.worker()"
                .formatted(builder.getClass().getName()));
    }

    void start() {
        hints.add(this);
    }

    /** Enters the registry, and renews the entry every third of a lease. */
    private void announceIfDue() {
        long now = time.nanoTime();
        if (announced && now - announcedNanos < settings.renewNanos()) {
            return;
        }
        Answers.get(
                store,
                new Announce(new WorkerRow(
                        settings.id(),
                        new WorkerRow.WorkerProcess(Machine.host(), Machine.PID, Machine.process(), Machine.version()),
                        new WorkerRow.Work(queues, settings.types(), 1, settings.minPriority()),
                        settings.lease().toMillis(),
                        0)));
        announced = true;
        announcedNanos = now;
    }

    /** Returns the name of the worker. */
    public String name() {
        return settings.name();
    }

    /** Returns the source of time. */
    public TimeSource time() {
        return time;
    }

    /** Returns the types that the worker handles, by their names and aliases. */
    public Set<String> types() {
        return settings.types();
    }

    /** True if the worker claims jobs from this queue. */
    public boolean serves(String queue) {
        return everyQueue || queues.contains(queue);
    }

    /** Returns the counts of the ends of attempts since the start. */
    public Worker.Totals totals() {
        return settler.totals();
    }

    /** Returns the type of the input of a handled type, by its name or alias; null if it has no handler. */
    public @Nullable Type input(String type) {
        Registration<?, ?> registration = settings.registrations().get(type);
        return registration == null ? null : registration.type().input();
    }

    /** Decodes a stored payload or result, as an attempt does. */
    public @Nullable Object decode(@Nullable Json stored, Type type) {
        return context.payloads().decode(stored == null ? null : stored.text(), type);
    }

    // ---- running jobs -----------------------------------------------------------------------------------------------

    /** Claims the next ready job, or the jobs of the next batch, and runs them to their ends. Returns their ids; none if no job is ready. */
    public List<Long> runNext() {
        tickIfMoved();
        List<ClaimedJob> first = claim(settings.types(), 1);
        if (first.isEmpty()) {
            return List.of();
        }
        List<ClaimedJob> jobs = new ArrayList<>(first);
        if (registration(first.get(0)) instanceof Registration.OfBatch<?, ?> batch && batch.max() > 1) {
            Set<String> names = new HashSet<>(batch.type().aliases());
            names.add(batch.type().name());
            jobs.addAll(claim(names, batch.max() - 1));
        }
        return run(jobs);
    }

    /** Claims all jobs that are ready now, then runs them in the order of their claims. Returns their ids. */
    public List<Long> runReady() {
        tickIfMoved();
        List<ClaimedJob> jobs = new ArrayList<>();
        List<ClaimedJob> more;
        do {
            more = claim(settings.types(), PAGE);
            jobs.addAll(more);
        } while (!more.isEmpty());
        return run(jobs);
    }

    private List<ClaimedJob> claim(Set<String> types, int limit) {
        if (types.isEmpty()) {
            return List.of();
        }
        announceIfDue();
        Claimed claimed = claim(queues, types, limit);
        if (claimed.jobs().isEmpty() && everyQueue) {
            Set<String> known = new HashSet<>(settings.queues().keySet());
            known.addAll(store.suggest(SuggestField.QUEUE, "", PAGE));
            if (!known.equals(queues)) {
                queues = Set.copyOf(known);
                claimed = claim(queues, types, limit);
            }
        }
        return claimed.jobs();
    }

    private Claimed claim(Set<String> from, Set<String> types, int limit) {
        Claimed claimed = Answers.get(
                store,
                new Claim(
                        /* worker= */ settings.id(),
                        /* queues= */ from,
                        /* types= */ types,
                        /* limit= */ limit,
                        /* leaseMillis= */ settings.lease().toMillis(),
                        /* minPriority= */ settings.minPriority()));
        nextDueMillis = claimed.nextDueMillis();
        return claimed;
    }

    private Registration<?, ?> registration(ClaimedJob job) {
        Registration<?, ?> registration = settings.registrations().get(job.type());
        if (registration == null) {
            throw new IllegalStateException(
                    "job %d of type %s was claimed without a handler".formatted(job.id(), job.type()));
        }
        return registration;
    }

    private List<Long> run(List<ClaimedJob> jobs) {
        List<Attempt> attempts = new ArrayList<>(jobs.size());
        for (ClaimedJob job : jobs) {
            Attempt attempt = new Attempt(job, registration(job), group, context, reporter);
            attempts.add(attempt);
            claims.add(attempt);
        }
        for (Call call : calls(attempts)) {
            run(call);
        }
        return jobs.stream().map(ClaimedJob::id).toList();
    }

    /** Returns the calls for these attempts, in the order of their first ones. */
    private List<Call> calls(List<Attempt> attempts) {
        Map<Object, List<Attempt>> together = new LinkedHashMap<>();
        for (Attempt attempt : attempts) {
            boolean isBatch = attempt.registration() instanceof Registration.OfBatch<?, ?>;
            together.computeIfAbsent(isBatch ? attempt.registration() : attempt, key -> new ArrayList<>())
                    .add(attempt);
        }
        List<Call> calls = new ArrayList<>();
        together.forEach((key, group) -> {
            if (key instanceof Registration.OfBatch<?, ?> batch) {
                for (int from = 0; from < group.size(); from += batch.max()) {
                    List<Attempt> part = group.subList(from, Math.min(group.size(), from + batch.max()));
                    calls.add(new BatchCall(() -> List.copyOf(part), new AtomicInteger(), time));
                }
            } else {
                calls.addAll(group);
            }
        });
        return calls;
    }

    private void run(Call call) {
        call.attempts().forEach(this::endIfCancelled);
        boolean done = false;
        try {
            execution.run(call, settings.name() + "/1");
            done = true;
        } finally {
            if (!done) {
                call.attempts().forEach(this::forget);
            }
        }
        for (Attempt attempt : call.attempts()) {
            awaitRecorded(attempt);
            starts.remove(attempt);
            if (attempt.hasActions()) {
                awaitCallbacks();
            }
        }
    }

    /** Ends an attempt whose job was cancelled after its claim: its handler is not called. */
    private void endIfCancelled(Attempt attempt) {
        if (attempt.isCancelRequested() && attempt.takeBack()) {
            execution.settleGivenUp(attempt, new Ending.Cancelled(null), 0);
        }
    }

    /** Waits until the end of an attempt is recorded, or known to be lost. A failed settlement is sent again at once. */
    private void awaitRecorded(Attempt attempt) {
        for (int tries = 0; !isRecorded(attempt); tries++) {
            if (tries == SETTLE_TRIES) {
                // The settlement stays, and is sent again after the next attempt.
                unrecorded = true;
                forget(attempt);
                throw new WindrowException("the end of %s could not be recorded in %d tries".formatted(attempt, tries));
            }
            try {
                boolean unused =
                        claims.await(() -> isRecorded(attempt) || unrecorded, time.nanoTime() + LONG_TIME.toNanos());
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new WindrowException("interrupted while the end of %s was recorded".formatted(attempt), e);
            }
            if (unrecorded) {
                unrecorded = false;
                long unused = settler.resend(time.nanoTime() + Loop.UNTIL_SIGNALLED);
            }
        }
    }

    /** True if no settlement is on its way. The settlement of an attempt that has lost its lease is not among the claims. */
    private boolean isRecorded(Attempt attempt) {
        return claims.get(attempt.leaseToken()) != attempt && settler.unacknowledged() == 0;
    }

    private void unrecorded() {
        unrecorded = true;
        claims.changed();
    }

    private void awaitCallbacks() {
        CountDownLatch before = new CountDownLatch(1);
        context.callbacks().run(before::countDown);
        try {
            before.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    // ---- crashes and lost leases ------------------------------------------------------------------------------------

    /**
     * Ends a running attempt as if its process had been killed: nothing of its end is recorded. The job is taken back, as from a process of which
     * the kernel reports the end. Has no effect on an attempt that has ended, in a batch or in a transaction.
     */
    public void crash(JobContext job) {
        Attempt attempt = (Attempt) job;
        if (!attempt.isEnded()) {
            forget(attempt);
            calmly(() -> takeBack(attempt));
        }
    }

    /** Takes the job of a running attempt back, as from a worker that does not renew its lease. The attempt is not told, and continues. */
    public void loseLease(JobContext job) {
        Attempt attempt = (Attempt) job;
        claims.remove(attempt);
        calmly(() -> takeBack(attempt));
    }

    /** True if the worker has a reason to stop the attempt: its deadline, or a request to cancel the job. */
    public boolean isStopped(JobContext job) {
        return ((Attempt) job).reason() != null;
    }

    private void forget(Attempt attempt) {
        boolean unused = attempt.takeBack() || attempt.end();
        claims.remove(attempt);
    }

    private void takeBack(Attempt attempt) {
        // The recorded start decides if the attempt counts.
        CompletableFuture<Void> start = starts.remove(attempt);
        Answers.get(store, new Touch());
        if (start != null) {
            Answers.getCalmly(start, "recording the start of " + attempt);
        }
        String process = Machine.process();
        List<Suspect> held = process == null
                ? List.of()
                : store.heldBy(process, PAGE).stream()
                        .filter(suspect -> suspect.leaseToken().equals(attempt.leaseToken()))
                        .toList();
        if (!held.isEmpty()) {
            Reclaimer.takeBack(context, this::rules, held, Long.MAX_VALUE);
        }
    }

    private RetryRules rules(String type) {
        Registration<?, ?> registration = settings.registrations().get(type);
        return registration == null
                ? RetryRules.of(RetryPolicy.DEFAULT)
                : registration.type().retry();
    }

    // ---- time -------------------------------------------------------------------------------------------------------

    private void tickIfMoved() {
        if (!time.now().equals(ticked)) {
            tick();
        }
    }

    /**
     * Does what the loops of a worker do when time has passed: interrupts handlers that have passed their deadlines, ends waits that have timed out,
     * and enqueues the jobs of schedules that are due.
     */
    public void tick() {
        ticked = time.now();
        calmly(() -> {
            int ended;
            do {
                ended = Answers.get(store, new EndWaits(PAGE));
            } while (ended == PAGE);
            schedules.fireDue();
        });
        // This may interrupt the thread of the caller, if a handler has moved the clock.
        long now = time.nanoTime();
        for (Attempt attempt : claims.all()) {
            boolean unused = Maintenance.interruptIfLate(attempt, now);
        }
    }

    /** Runs work of the engine on the thread of a handler, whose interrupt is not for the engine. */
    private static void calmly(Runnable work) {
        boolean interrupted = Thread.interrupted();
        try {
            work.run();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns the time at which the next scheduled job is due, as the last claim found it, in epoch milliseconds; null if none is. */
    public @Nullable Long nextDueMillis() {
        return nextDueMillis;
    }

    /** Returns the time at which the next wait times out or the next schedule is due, in epoch milliseconds; null if none does. */
    public @Nullable Long nextTickMillis() {
        Long next = store.dueSchedules(null, 1).nextMillis();
        @Nullable Long before = Long.MAX_VALUE;
        while (before != null) {
            JobPage page = store.list(JobFilter.inState(JobState.BLOCKED), before, PAGE);
            for (JobInfo job : page.jobs()) {
                Instant wake = job.wakeAt();
                if (wake != null && (next == null || wake.toEpochMilli() < next)) {
                    next = wake.toEpochMilli();
                }
            }
            before = page.next();
        }
        return next;
    }

    // ---- hints of the store -----------------------------------------------------------------------------------------

    /** Handles a request to cancel a running job. Called on a thread of the store. */
    void cancelRequested(LeaseToken leaseToken) {
        Attempt attempt = claims.get(leaseToken);
        if (attempt != null) {
            attempt.cancelRequested();
            boolean unused = attempt.interrupt(Attempt.Reason.CANCEL);
        }
    }

    /** Leaves the registry. Jobs that are claimed are taken back when their leases run out. */
    @Override
    public void close() {
        hints.remove(this);
        if (!announced) {
            return;
        }
        try {
            Answers.get(store, new Withdraw(settings.id()));
        } catch (WindrowException e) {
            log.debug("Worker {} could not leave the registry; its entry runs out", settings.name(), e);
        }
    }
}
