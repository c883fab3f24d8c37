package dev.windrow.testkit;

import dev.windrow.Durations;
import dev.windrow.Explanation;
import dev.windrow.Handler;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobCancel;
import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobPark;
import dev.windrow.JobRef;
import dev.windrow.JobSnooze;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Middleware;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.engine.worker.ManualWorker;
import dev.windrow.query.JobFilter;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The store, the clock and the worker of one test. */
final class TestRun implements AutoCloseable {
    /** The most due times of schedules and waits that one move of the clock passes. */
    private static final int MOST_DUE_TIMES = 10_000;

    /** The priority of the job of a handler alone, and the minimum of its worker. */
    private static final int ALONE = Short.MAX_VALUE;

    /** The faults of an attempt. */
    enum Fault {
        /** Its process dies when the handler has done its work. */
        CRASH,
        /** It loses its lease before the handler does its work. */
        LOST_LEASE
    }

    /** Closes what a run has opened. */
    interface Closing {
        void close() throws IOException, SQLException;
    }

    final Windrow windrow;
    final ManualWorker worker;
    final Stories stories;
    /** The id of the newest job that the test has not enqueued. */
    final long before;

    private final @Nullable WatchedStore store;
    private final List<Consumer<? super Worker.Builder>> settings;
    private final Closing closing;
    private @Nullable Worker live;
    /** The last exception of each job's handler. */
    private final Map<Long, Throwable> thrown = new ConcurrentHashMap<>();

    /** The faults of the next attempts, by job. */
    private final Map<Long, Fault> faults = new ConcurrentHashMap<>();
    /** The calls of handlers that run now, the last one first. */
    private final Deque<Running> running = new ConcurrentLinkedDeque<>();
    /** The jobs of calls of a handler alone. */
    private final Set<Long> alone = ConcurrentHashMap.newKeySet();
    /** The threads that run jobs. */
    private final Set<Thread> busy = ConcurrentHashMap.newKeySet();

    private volatile boolean interrupted;

    /**
     * Begins a run.
     *
     * @param store the store, to let it fail; null if something else has opened it
     * @param settings the settings of the worker
     */
    TestRun(
            Windrow windrow,
            @Nullable WatchedStore store,
            List<Consumer<? super Worker.Builder>> settings,
            long before,
            Closing closing) {
        this.windrow = windrow;
        this.store = store;
        this.settings = settings;
        this.before = before;
        this.closing = closing;
        this.stories = new Stories(windrow, this::why);
        this.worker = start(worker -> settings.forEach(setting -> setting.accept(worker)));
    }

    /** Returns a worker that runs what the test says, and tells its calls of handlers to this run. */
    private ManualWorker start(Consumer<Worker.Builder> with) {
        AtomicReference<@Nullable ManualWorker> started = new AtomicReference<>();
        Worker.Builder builder =
                windrow.worker().middleware(new Watching(() -> Objects.requireNonNull(started.get(), "started")));
        with.accept(builder);
        ManualWorker manual = ManualWorker.start(builder);
        started.set(manual);
        return manual;
    }

    /** Starts a real worker beside the one that has no threads, which then runs nothing. */
    void startWorker() {
        if (!worker.types().isEmpty()) {
            Worker.Builder builder = windrow.worker();
            settings.forEach(setting -> setting.accept(builder));
            live = builder.start();
        }
    }

    /** A call of a handler, with its jobs. */
    private record Running(ManualWorker worker, List<JobContext> jobs) {}

    /** Sees each call of a handler from outside of all other middleware. */
    private final class Watching implements Middleware {
        private final Supplier<ManualWorker> of;

        Watching(Supplier<ManualWorker> of) {
            this.of = of;
        }

        @Override
        public @Nullable Object around(JobContext job, Call next) throws Exception {
            return watch(List.of(job), next);
        }

        @Override
        public void aroundBatch(List<JobContext> jobs, Call next) throws Exception {
            Object unused = watch(jobs, next);
        }

        private @Nullable Object watch(List<JobContext> jobs, Call next) throws Exception {
            ManualWorker worker = of.get();
            Instant begun = worker.time().now();
            jobs.forEach(job -> thrown.remove(job.id()));
            boolean crashes = jobs.stream().anyMatch(job -> faults.remove(job.id(), Fault.CRASH));
            Running call = new Running(worker, jobs);
            running.push(call);
            try {
                for (JobContext job : jobs) {
                    if (faults.remove(job.id(), Fault.LOST_LEASE)) {
                        loseLease(worker, job);
                    }
                }
                return next.call();
            } catch (ProcessCrash e) {
                throw e;
            } catch (Throwable e) {
                jobs.forEach(job -> thrown.put(job.id(), e));
                if (e instanceof InterruptedException && jobs.stream().noneMatch(worker::isStopped)) {
                    interrupted = true;
                }
                throw e;
            } finally {
                running.remove(call);
                if (!worker.time().now().equals(begun)) {
                    // A handler that has passed its deadline has timed out, even if it returns.
                    worker.tick();
                }
                if (crashes) {
                    jobs.forEach(worker::crash);
                }
            }
        }
    }

    /** Returns the last exception of a job's handler, or null. */
    @Nullable Throwable thrown(long job) {
        return thrown.get(job);
    }

    /** Adds the stories of the jobs of the test to the failure of the test, unless it has some. */
    void tell(Throwable failure) {
        if (!Stories.areIn(failure)) {
            try {
                List<Long> jobs = jobs();
                if (!jobs.isEmpty()) {
                    failure.addSuppressed(new JobsOfTheTest(stories.of(jobs)));
                }
            } catch (RuntimeException e) {
                failure.addSuppressed(e);
            }
        }
    }

    /** Returns why a job does not run. The worker of the test is not in the registry before it has claimed. */
    private String why(JobInfo job) {
        Explanation explanation = windrow.job(job.id()).explain();
        if (live != null) {
            return explanation.text();
        }
        if (!worker.types().contains(job.type())) {
            return "no handler of the test takes type '%s'".formatted(job.type());
        }
        List<String> reasons = explanation.reasons().stream()
                .filter(reason -> !(reason instanceof Explanation.TypeNotHandled)
                        && !(reason instanceof Explanation.Ready)
                        && !(reason instanceof Explanation.QueueNotServed && worker.serves(job.queue())))
                .map(reason -> reason.text(job.id()))
                .toList();
        return reasons.isEmpty() ? "it is ready, and runs when the test says so" : String.join("; ", reasons);
    }

    /** Returns the ids of the jobs that the test has enqueued, the first one first. */
    List<Long> jobs() {
        List<Long> jobs = new ArrayList<>();
        windrow.jobs(JobFilter.ALL).oldestFirst().after(before).forEach(job -> jobs.add(job.id()));
        jobs.removeAll(alone);
        return jobs;
    }

    /** Reads the jobs of a type that the test has enqueued, under its name and its aliases, the first one first. */
    List<JobHistory> jobsOf(JobType<?, ?> type) {
        List<JobHistory> jobs = new ArrayList<>();
        List<String> names = new ArrayList<>(type.aliases());
        names.add(type.name());
        for (String name : names) {
            windrow.jobs(JobFilter.ALL.withType(name))
                    .oldestFirst()
                    .after(before)
                    .forEach(job -> jobs.add(windrow.job(job.id()).history()));
        }
        jobs.removeIf(history -> alone.contains(history.job().id()));
        jobs.sort(Comparator.comparingLong(history -> history.job().id()));
        return jobs;
    }

    void requireNone(JobType<?, ?> type) {
        List<JobHistory> jobs = jobsOf(type);
        if (!jobs.isEmpty()) {
            throw new AssertionError("\nexpected: no job of type '%s' was enqueued\n but was: %d\n\n%s"
                    .formatted(
                            type.name(),
                            jobs.size(),
                            stories.of(jobs.stream().map(job -> job.job().id()).toList())));
        }
    }

    // ---- jobs -------------------------------------------------------------------------------------------------------

    /** Runs jobs on this thread. */
    private <T> T busy(Supplier<T> work) {
        boolean first = busy.add(Thread.currentThread());
        try {
            return work.get();
        } finally {
            if (first) {
                busy.remove(Thread.currentThread());
            }
        }
    }

    /** Runs the ready jobs, unless this thread runs jobs already: then it runs them later. */
    void runInline() {
        if (!busy.contains(Thread.currentThread())) {
            busy(() -> {
                runUntilIdle(Drain.ready(), null);
                return "";
            });
        }
    }

    Worker.Totals runNext() {
        return counted(worker::runNext);
    }

    Worker.Totals runReady() {
        return counted(worker::runReady);
    }

    private Worker.Totals counted(Supplier<List<Long>> work) {
        Worker.Totals start = worker.totals();
        List<Long> jobs = busy(() -> {
            worker.tick();
            return work.get();
        });
        check(jobs, Drain.ready());
        return Counts.since(start, worker.totals());
    }

    /**
     * Runs jobs until none is ready.
     *
     * @param until the time up to which the clock moves to each due time; null to move it as the drain says
     */
    Worker.Totals drain(Drain how, @Nullable Instant until) {
        Worker.Totals start = worker.totals();
        busy(() -> {
            worker.tick();
            runUntilIdle(how, until);
            return "";
        });
        return Counts.since(start, worker.totals());
    }

    private void runUntilIdle(Drain how, @Nullable Instant until) {
        Map<Long, Integer> attempts = new HashMap<>();
        int count = 0;
        while (count < how.max()) {
            List<Long> jobs = worker.runNext();
            check(jobs, how);
            jobs.forEach(job -> attempts.merge(job, 1, Integer::sum));
            count += jobs.size();
            if (count >= Drain.LIMIT && how.max() == Integer.MAX_VALUE) {
                throw endless(attempts);
            }
            if (jobs.isEmpty()) {
                Instant next = nextDue(how, until);
                if (next == null) {
                    break;
                }
                moveTo(next);
            }
        }
        if (until != null) {
            moveTo(until);
        }
    }

    private @Nullable Instant nextDue(Drain how, @Nullable Instant until) {
        long now = worker.time().now().toEpochMilli();
        long next = Long.MAX_VALUE;
        if (until != null || how.isScheduled()) {
            next = later(worker.nextDueMillis(), now);
        }
        if (until != null) {
            next = Math.min(next, later(worker.nextTickMillis(), now));
        }
        return next == Long.MAX_VALUE || (until != null && next > until.toEpochMilli())
                ? null
                : Instant.ofEpochMilli(next);
    }

    private static long later(@Nullable Long millis, long now) {
        return millis == null || millis <= now ? Long.MAX_VALUE : millis;
    }

    private AssertionError endless(Map<Long, Integer> attempts) {
        List<Long> most = attempts.entrySet().stream()
                .sorted(Map.Entry.<Long, Integer>comparingByValue()
                        .reversed()
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(3)
                .map(Map.Entry::getKey)
                .toList();
        return new AssertionError(
                ("a drain has run %d attempts and jobs are still ready: does a job enqueue itself, or retry without a delay?"
                                + " Drain.ready().withMax(n) allows more\n%s")
                        .formatted(Drain.LIMIT, stories.of(most)));
    }

    /** Throws the exceptions of handlers that a test must not miss. */
    private void check(List<Long> jobs, Drain how) {
        if (interrupted) {
            interrupted = false;
            // An interrupted thread could not read the stories.
            AssertionError failure = new AssertionError(
                    "the thread of the test was interrupted while it ran a handler\n" + stories.of(jobs));
            Thread.currentThread().interrupt();
            throw failure;
        }
        for (long job : jobs) {
            Throwable failure = thrown.get(job);
            if (failure instanceof AssertionError || (failure != null && how.isRethrowing() && !isWish(failure))) {
                thrown.remove(job);
                throw TestRun.<RuntimeException>unchecked(failure);
            }
        }
    }

    /** Requires that a wait can end: other threads run jobs, and time passes. */
    void requireWaiting(Duration time) {
        if (time.isNegative()) {
            throw new InvalidRequestException("within %s is not allowed: 0s or more".formatted(Durations.text(time)));
        }
        if (worker.time() instanceof ManualTime) {
            throw new InvalidRequestException(
                    "within(...) is not possible with manual() and inline(): no other thread runs jobs. Run them with drain()");
        }
    }

    Waiting waiting(Duration patience) {
        return new Waiting(worker.time(), patience);
    }

    private static boolean isWish(Throwable thrown) {
        return thrown instanceof JobSnooze || thrown instanceof JobCancel || thrown instanceof JobPark;
    }

    @SuppressWarnings("unchecked") // The caller sees the exception of the handler as it was thrown.
    private static <E extends Throwable> E unchecked(Throwable thrown) throws E {
        throw (E) thrown;
    }

    // ---- faults -----------------------------------------------------------------------------------------------------

    /** Runs the next attempt of a job with a fault. */
    void run(long job, Fault fault) {
        faults.put(job, fault);
        try {
            busy(() -> {
                runAttempt(worker, job);
                return "";
            });
            if (faults.containsKey(job)) {
                throw new AssertionError("the handler of job %d was not called\n%s".formatted(job, stories.of(job)));
            }
        } finally {
            faults.remove(job);
        }
    }

    /** Runs a job twice, the first time with a crash, and compares what it leaves. */
    <I extends @Nullable Object> void requireRepeatable(JobType<I, ?> type, I input, Supplier<?> observed) {
        // A job with one attempt would not run again.
        JobRef<?> job = windrow.enqueue(type.job(input).withMaxAttempts(Math.max(2, type.maxAttempts())));
        run(job.id(), Fault.CRASH);
        Throwable failure = thrown.get(job.id());
        if (failure != null) {
            throw notRepeatable(
                    job, "completes", "threw " + Stories.thrown(failure), "the first run of the handler", failure);
        }
        Object first = Observed.of(observed.get());
        if (windrow.job(job).info().state() == JobState.SCHEDULED) {
            busy(() -> {
                runAttempt(worker, job.id());
                return "";
            });
        }
        failure = thrown.get(job.id());
        JobState state = windrow.job(job).info().state();
        if (failure != null || state != JobState.COMPLETED) {
            throw notRepeatable(
                    job,
                    "completes again",
                    failure == null ? "is " + state : "threw " + Stories.thrown(failure),
                    "the second run of the handler, after a crash,",
                    failure);
        }
        Object second = Observed.of(observed.get());
        if (!Objects.deepEquals(first, second)) {
            throw notRepeatable(
                    job,
                    "leaves " + Stories.text(first) + ", as the first one",
                    "left " + Stories.text(second),
                    "the second run of the handler, after a crash,",
                    null);
        }
    }

    private AssertionError notRepeatable(
            JobRef<?> job, String expected, String found, String who, @Nullable Throwable failure) {
        AssertionError error = new AssertionError(
                "\nexpected: %s %s\n but was: it %s\n\n%s".formatted(who, expected, found, stories.of(job.id())));
        if (failure != null) {
            error.addSuppressed(failure);
        }
        return error;
    }

    /** Runs jobs in the order of their claims up to the next attempt of this one, at the time at which it is due. */
    private void runAttempt(ManualWorker by, long id) {
        JobInfo job = windrow.job(id).info();
        if (job.state() == JobState.SCHEDULED) {
            if (by.time() instanceof ManualTime) {
                moveTo(job.scheduledAt());
            } else {
                windrow.job(id).trigger();
            }
        }
        by.tick();
        List<Long> jobs;
        do {
            jobs = by.runNext();
            if (jobs.isEmpty()) {
                throw new AssertionError("job %d cannot run now\n%s".formatted(id, stories.of(id)));
            }
            check(jobs, Drain.ready());
        } while (!jobs.contains(id));
    }

    private void loseLease(ManualWorker holder, JobContext job) {
        holder.loseLease(job);
        if (!windrow.job(job.id()).info().state().isFinished()) {
            runAttempt(holder, job.id());
        }
    }

    void storeFails(int commits) {
        if (store == null) {
            throw new InvalidRequestException(
                    "storeFails is not possible with over(...): something else has opened the store");
        }
        store.fail(commits);
    }

    private Running here(String method) {
        Running call = running.peek();
        if (call == null) {
            throw new InvalidRequestException(method + " is not possible here: no handler of the test runs");
        }
        return call;
    }

    ProcessCrash crashHere() {
        Running call = here("crashHere");
        call.jobs.forEach(call.worker::crash);
        return new ProcessCrash();
    }

    void loseLeaseHere() {
        Running call = here("loseLeaseHere");
        call.jobs.forEach(job -> loseLease(call.worker, job));
    }

    // ---- a handler alone --------------------------------------------------------------------------------------------

    /** Runs one job with this handler, by a worker of its own, which takes no other job. */
    <I extends @Nullable Object, O extends @Nullable Object> Outcome<O> call(
            Handler<I, O> handler, I input, CallContext<I, O> context) {
        return busy(() -> {
            JobRef<O> job = windrow.enqueue(context.request(input).withPriority(ALONE));
            alone.add(job.id());
            ManualWorker caller = start(worker -> worker.minPriority(ALONE).handle(context.type(), (given, attempt) -> {
                if (attempt.attempt() < context.attempt()) {
                    throw JobFailure.retryAfter("TEST:EARLIER", "an attempt before the one of the test", Duration.ZERO);
                }
                return handler.handle(given, attempt);
            }));
            try {
                for (int i = 1; i <= context.attempt(); i++) {
                    runAttempt(caller, job.id());
                }
            } finally {
                caller.close();
            }
            return outcome(job);
        });
    }

    // The result was encoded by the type of the job.
    @SuppressWarnings({"unchecked", "NullAway"})
    private <O extends @Nullable Object> Outcome<O> outcome(JobRef<O> job) {
        JobHistory history = windrow.job(job).history();
        return new CallOutcome<>(
                job,
                history.job(),
                () -> {
                    if (history.job().state() != JobState.COMPLETED) {
                        throw new AssertionError("\nexpected: %s has a result\n but was: %s\n\n%s"
                                .formatted(
                                        Stories.name(history.job()),
                                        history.job().state(),
                                        stories.of(job.id())));
                    }
                    return (O) worker.decode(history.result(), job.output());
                },
                Optional.ofNullable(thrown.get(job.id())));
    }

    private record CallOutcome<O extends @Nullable Object>(
            JobRef<O> job, JobInfo info, Supplier<O> decoded, Optional<Throwable> thrown) implements Outcome<O> {
        @Override
        public O result() {
            return decoded.get();
        }
    }

    // ---- time -------------------------------------------------------------------------------------------------------

    ManualTime time() {
        if (worker.time() instanceof ManualTime time) {
            return time;
        }
        throw new InvalidRequestException(
                "the clock of this test cannot be moved: its Windrow has another source of time than ManualTime");
    }

    void advance(Duration by) {
        if (by.isNegative()) {
            throw new InvalidRequestException("advance %s is not allowed: 0s or more".formatted(Durations.text(by)));
        }
        moveTo(time().now().plus(by));
        if (store != null) {
            store.committed();
        }
    }

    /** Moves the clock forward, and stops at each time at which a schedule is due or a wait ends. */
    private void moveTo(Instant target) {
        ManualTime time = time();
        for (int i = 0; ; i++) {
            long next = later(worker.nextTickMillis(), time.millis());
            if (next > target.toEpochMilli()) {
                break;
            }
            if (i == MOST_DUE_TIMES) {
                throw new InvalidRequestException(
                        "a move of the clock to %s is not allowed: it passes more than %d due times of schedules and waits"
                                .formatted(target, MOST_DUE_TIMES));
            }
            time.advance(Duration.between(time.now(), Instant.ofEpochMilli(next)));
            worker.tick();
        }
        if (target.isAfter(time.now())) {
            time.advance(Duration.between(time.now(), target));
        }
        worker.tick();
    }

    @Override
    public void close() throws IOException, SQLException {
        try {
            worker.close();
            if (live != null) {
                live.stopNow();
            }
        } finally {
            closing.close();
        }
    }
}
