package dev.windrow.testkit;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobCancel;
import dev.windrow.JobContext;
import dev.windrow.JobInfo;
import dev.windrow.JobPark;
import dev.windrow.JobSnooze;
import dev.windrow.JobState;
import dev.windrow.Middleware;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.engine.worker.ManualWorker;
import java.time.Instant;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Runs the jobs of one test on the thread of its caller, with the faults that the test wants. */
final class JobRunner {
    /** The faults of an attempt. */
    enum Fault {
        /** Its process dies when the handler has done its work. */
        CRASH,
        /** It loses its lease before the handler does its work. */
        LOST_LEASE
    }

    private final Windrow windrow;
    private final Stories stories;
    private final ManualWorker worker;
    private final TestClock clock;
    /** The last exception of each job's handler. */
    private final Map<Long, Throwable> thrown = new ConcurrentHashMap<>();

    /** The faults of the next attempts, by job. */
    private final Map<Long, Fault> faults = new ConcurrentHashMap<>();
    /** The calls of handlers that run now, the last one first. */
    private final Deque<Running> running = new ConcurrentLinkedDeque<>();

    private final Turn turn = new Turn(Turn.PATIENCE);
    /** True while the thread that has the turn runs jobs. */
    private boolean runs;

    private volatile boolean interrupted;

    /**
     * Creates a runner and its worker.
     *
     * @param settings makes the settings of the worker
     */
    JobRunner(Windrow windrow, Stories stories, Consumer<Worker.Builder> settings) {
        this.windrow = windrow;
        this.stories = stories;
        this.worker = start(settings);
        this.clock = new TestClock(worker);
    }

    /** Returns a worker that runs what the test says, and tells its calls of handlers to this runner. */
    ManualWorker start(Consumer<Worker.Builder> with) {
        AtomicReference<@Nullable ManualWorker> started = new AtomicReference<>();
        Worker.Builder builder =
                windrow.worker().middleware(new Watching(() -> Objects.requireNonNull(started.get(), "started")));
        with.accept(builder);
        ManualWorker manual = ManualWorker.start(builder);
        started.set(manual);
        return manual;
    }

    ManualWorker worker() {
        return worker;
    }

    TestClock clock() {
        return clock;
    }

    /** Returns the last exception of a job's handler, or null. */
    @Nullable Throwable thrown(long job) {
        return thrown.get(job);
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

    // ---- running ----------------------------------------------------------------------------------------------------

    /** Runs jobs on this thread, when no other thread of the test does. */
    <T> T busy(Supplier<T> work) {
        turn.take();
        boolean ran = runs;
        runs = true;
        try {
            return work.get();
        } finally {
            runs = ran;
            turn.end();
        }
    }

    /** Takes the turn for a commit and the jobs that it makes ready, so that no other thread runs them. */
    void beginInline() {
        turn.take();
    }

    /** Runs the ready jobs, unless this thread runs jobs already: then it runs them later. */
    void runInline() {
        if (!runs) {
            busy(() -> {
                runUntilIdle(Drain.ready(), null);
                return "";
            });
        }
    }

    /** Returns the turn of {@link #beginInline}. */
    void endInline() {
        turn.end();
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
                throw endless(count, attempts);
            }
            if (jobs.isEmpty()) {
                Instant next = how.isScheduled() || until != null ? clock.next(until) : null;
                if (next == null) {
                    break;
                }
                clock.moveTo(next);
            }
        }
        if (until != null) {
            clock.moveTo(until);
        }
    }

    private AssertionError endless(int count, Map<Long, Integer> attempts) {
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
                        .formatted(count, stories.of(most)));
    }

    /** Throws the exceptions of handlers that a test must not miss. */
    private void check(List<Long> jobs, Drain how) {
        if (interrupted) {
            interrupted = false;
            AssertionError failure = new AssertionError(
                    "the thread of the test was interrupted while it ran a handler\n" + stories.of(jobs));
            // The stories cannot be read by an interrupted thread.
            Thread.currentThread().interrupt();
            throw failure;
        }
        for (long job : jobs) {
            Throwable failure = thrown.get(job);
            if (failure instanceof AssertionError || (failure != null && how.isRethrowing() && !isWish(failure))) {
                thrown.remove(job);
                JobRunner.<RuntimeException>rethrow(failure);
            }
        }
    }

    private static boolean isWish(Throwable thrown) {
        return thrown instanceof JobSnooze || thrown instanceof JobCancel || thrown instanceof JobPark;
    }

    @SuppressWarnings("unchecked") // The caller sees the exception of the handler as it was thrown.
    private static <E extends Throwable> void rethrow(Throwable thrown) throws E {
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

    /** Runs the next attempt of a job by the worker of the test. */
    void runAttempt(long job) {
        runAttempt(worker, job);
    }

    /** Runs jobs in the order of their claims up to the next attempt of this one, at the time at which it is due. */
    void runAttempt(ManualWorker by, long id) {
        JobInfo job = windrow.job(id).info();
        if (job.state() == JobState.SCHEDULED) {
            if (by.time() instanceof ManualTime) {
                clock.moveTo(job.scheduledAt());
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
}
