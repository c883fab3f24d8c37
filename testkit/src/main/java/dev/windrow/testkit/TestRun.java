package dev.windrow.testkit;

import dev.windrow.Durations;
import dev.windrow.Explanation;
import dev.windrow.Handler;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.engine.worker.ManualWorker;
import dev.windrow.query.JobFilter;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The store, the clock and the worker of one test. */
final class TestRun implements AutoCloseable {
    /** Closes what a run has opened. */
    interface Closing {
        void close() throws IOException, SQLException;
    }

    final Windrow windrow;
    final Stories stories;
    final JobRunner runner;
    final HandlerCalls calls;
    /** The id of the newest job that the test has not enqueued. */
    final long before;

    private final @Nullable WatchedStore store;
    private final List<Consumer<? super Worker.Builder>> settings;
    private final Closing closing;
    private @Nullable Worker live;
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
        this.runner = new JobRunner(windrow, stories, worker -> settings.forEach(setting -> setting.accept(worker)));
        this.calls = new HandlerCalls(windrow, runner, stories);
    }

    ManualWorker worker() {
        return runner.worker();
    }

    /** Starts a real worker beside the one that has no threads, which then runs nothing. */
    void startWorker() {
        if (!worker().types().isEmpty()) {
            Worker.Builder builder = windrow.worker();
            settings.forEach(setting -> setting.accept(builder));
            live = builder.start();
        }
    }

    /** Adds the stories of the jobs of the test to the failure of the test, unless it has some. */
    void tell(Throwable failure) {
        if (!Stories.areIn(failure)) {
            boolean wasInterrupted = Thread.interrupted();
            try {
                List<Long> jobs = jobs();
                if (!jobs.isEmpty()) {
                    failure.addSuppressed(new JobsOfTheTest(stories.of(jobs)));
                }
            } catch (RuntimeException e) {
                failure.addSuppressed(e);
            } finally {
                if (wasInterrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    /** Returns why a job does not run. The worker of the test is not in the registry before it has claimed. */
    private String why(JobInfo job) {
        Explanation explanation = windrow.job(job.id()).explain();
        if (live != null) {
            return explanation.text();
        }
        if (!worker().types().contains(job.type())) {
            return "no handler of the test takes type '%s'".formatted(job.type());
        }
        List<String> reasons = explanation.reasons().stream()
                .filter(reason -> !(reason instanceof Explanation.TypeNotHandled)
                        && !(reason instanceof Explanation.Ready)
                        && !(reason instanceof Explanation.QueueNotServed && worker().serves(job.queue())))
                .map(reason -> reason.text(job.id()))
                .toList();
        return reasons.isEmpty() ? "it is ready, and runs when the test says so" : String.join("; ", reasons);
    }

    /** Returns the ids of the jobs that the test has enqueued, the first one first. */
    List<Long> jobs() {
        List<Long> jobs = new ArrayList<>();
        windrow.jobs(JobFilter.ALL).oldestFirst().after(before).forEach(job -> jobs.add(job.id()));
        jobs.removeIf(calls::has);
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
        jobs.removeIf(history -> calls.has(history.job().id()));
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

    /** Requires that a wait can end: other threads run jobs, and time passes. */
    void requireWaiting(Duration time) {
        if (time.isNegative()) {
            throw new InvalidRequestException("within %s is not allowed: 0s or more".formatted(Durations.text(time)));
        }
        if (worker().time() instanceof ManualTime) {
            throw new InvalidRequestException(
                    "within(...) is not possible with manual() and inline(): no other thread runs jobs. Run them with drain()");
        }
    }

    Waiting waiting(Duration patience) {
        return new Waiting(worker().time(), patience);
    }

    void storeFails(int commits) {
        if (store == null) {
            throw new InvalidRequestException(
                    "storeFails is not possible with over(...): something else has opened the store");
        }
        store.fail(commits);
    }

    /** Calls a handler alone. With {@link WindrowTest#inline} its job does not run as well. */
    <I extends @Nullable Object, O extends @Nullable Object> Outcome<O> call(
            Handler<I, O> handler, I input, CallContext<I, O> context) {
        return runner.busy(() -> calls.call(handler, input, context));
    }

    /** Runs a job of this type twice, the first time with a crash, and compares what it leaves. */
    <I extends @Nullable Object> void requireRepeatable(JobType<I, ?> type, I input, Supplier<?> observed) {
        runner.busy(() -> {
            new Repeats(windrow, runner, stories).require(type, input, observed);
            return "";
        });
    }

    void advance(Duration by) {
        runner.clock().advance(by);
        if (store != null) {
            store.committed();
        }
    }

    @Override
    public void close() throws IOException, SQLException {
        try {
            worker().close();
            if (live != null) {
                live.stopNow();
            }
        } finally {
            closing.close();
        }
    }
}
