package dev.windrow.testkit;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.BatchHandler;
import dev.windrow.Handler;
import dev.windrow.Handlers;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Jobs;
import dev.windrow.VoidHandler;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.BeforeTestExecutionCallback;
import org.junit.jupiter.api.extension.ExtensionContext;
import org.junit.jupiter.api.extension.ParameterContext;
import org.junit.jupiter.api.extension.ParameterResolver;
import org.junit.jupiter.api.extension.TestExecutionExceptionHandler;

/**
 * An extension of JUnit for tests of handlers, and of code that enqueues jobs. Each test has a store of its own, which is removed after it.
 *
 * <pre>{@code
 * @RegisterExtension
 * WindrowTest test = WindrowTest.manual().handle(SEND, (invoice, job) -> mails.send(invoice));
 *
 * @Test
 * void anInvoiceIsSent(Windrow windrow) {
 *     JobRef<Receipt> job = windrow.enqueue(SEND, new Invoice("Ada", 4200));
 *     test.drain();
 *     test.assertThat(job).isCompleted().hasResult(new Receipt("R-Ada"));
 * }
 * }</pre>
 *
 * <p>Parameters of the types {@link Windrow}, {@link Jobs} and {@link ManualTime} in a test, or in a method with {@code @BeforeEach}, are those of the
 * test.
 *
 * <p>Claims, attempts and settlements are the real ones, on a real store. By default this is a SQLite file: {@code windrow-sqlite} must be on the
 * class path. The clock is a {@link ManualTime}, on PostgreSQL too, except in {@link #live} and {@link #over}.
 *
 * <p>The settings of an instance are made in the initializer of its field, before a test begins. The field must not be static, and JUnit must create an
 * instance of the test class for each method, as it does by default. Then tests may run in parallel, and do not see each other.
 */
public final class WindrowTest
        implements Handlers,
                BeforeEachCallback,
                BeforeTestExecutionCallback,
                AfterEachCallback,
                ParameterResolver,
                TestExecutionExceptionHandler {
    private final TestSettings settings;
    private final AtomicReference<@Nullable TestRun> run = new AtomicReference<>();

    private WindrowTest(TestSettings settings) {
        this.settings = settings;
    }

    // ---- settings ---------------------------------------------------------------------------------------------------

    /** Returns an extension whose jobs run only when the test says so, on the thread of the test: by {@link #runNext}, {@link #drain()} and others. */
    @CheckReturnValue
    public static WindrowTest manual() {
        return new WindrowTest(new TestSettings(TestSettings.Mode.MANUAL, null));
    }

    /**
     * Returns an extension whose jobs run at once, on the thread that enqueues them, after the commit and before the call returns. Jobs that a handler
     * enqueues run when the handler has ended. A job that is due later runs when the clock has {@linkplain #advance moved}.
     *
     * <p>One thread at a time enqueues and runs jobs, and each thread runs its own ones. So a handler must not wait for another thread that enqueues:
     * the enqueue of that thread fails after 30 seconds, and writes nothing. Windrow's own threads run no jobs. A job that was enqueued by {@link
     * Windrow#enqueueAsync}, by a callback, or on the caller's connection, runs with the next commit of the test or the next {@link #drain()}.
     */
    @CheckReturnValue
    public static WindrowTest inline() {
        return new WindrowTest(new TestSettings(TestSettings.Mode.INLINE, null));
    }

    /**
     * Returns an extension whose jobs run on the threads of a real worker, by the clocks of the machine. Use {@link JobAssert#within} to wait for them.
     * The methods that run jobs or move the clock are not available.
     */
    @CheckReturnValue
    public static WindrowTest live() {
        return new WindrowTest(new TestSettings(TestSettings.Mode.LIVE, null));
    }

    /**
     * Returns an extension that runs the jobs of a Windrow that something else has opened, such as the context of a Spring test. Jobs run only when the
     * test says so, as with {@link #manual}: start no worker. The extension neither creates, empties nor closes the store. Assertions about enqueued
     * jobs see the jobs of the test alone. The clock can be moved if the Windrow was opened with a {@link ManualTime}. {@link #storeFails} is not
     * available.
     *
     * @param windrow returns the Windrow; called before each test, when the fields of the test are injected. If it returns null then, because a method
     *     with {@code @BeforeEach} opens the Windrow, it is called again after these methods
     */
    @CheckReturnValue
    public static WindrowTest over(Supplier<? extends @Nullable Windrow> windrow) {
        return new WindrowTest(new TestSettings(TestSettings.Mode.MANUAL, Objects.requireNonNull(windrow, "windrow")));
    }

    /** Registers the handler of a type, as with a worker. */
    @Override
    public <I extends @Nullable Object, O extends @Nullable Object> WindrowTest handle(
            JobType<I, O> type, Handler<I, O> handler) {
        return worker(worker -> worker.handle(type, handler));
    }

    /** Registers the handler of a type without a result, as with a worker. */
    @Override
    public <I extends @Nullable Object> WindrowTest handleVoid(
            JobType<I, @Nullable Void> type, VoidHandler<I> handler) {
        return worker(worker -> worker.handleVoid(type, handler));
    }

    /**
     * Registers a handler that takes several jobs in one call, as with a worker. A call takes the jobs that are ready, at most {@code max}. The linger
     * counts in {@link #live} only.
     */
    @Override
    public <I extends @Nullable Object, O extends @Nullable Object> WindrowTest handleBatch(
            JobType<I, O> type, int max, Duration linger, BatchHandler<I, O> handler) {
        return worker(worker -> worker.handleBatch(type, max, linger, handler));
    }

    /**
     * Changes the settings of the worker, such as its queues, its middleware and its lease. Without a queue, the worker of {@link #manual} and {@link
     * #inline} serves every queue.
     */
    public WindrowTest worker(Consumer<? super Worker.Builder> setting) {
        requireNoTest();
        settings.workers.add(Objects.requireNonNull(setting, "setting"));
        return this;
    }

    /**
     * Changes the settings of the Windrow, such as its codec. Not available with {@link #over}.
     *
     * @throws InvalidRequestException if something else opens the Windrow
     */
    public WindrowTest configure(Consumer<? super Windrow.Builder> setting) {
        requireNoTest();
        settings.requireOwnStore("configure");
        settings.windrows.add(Objects.requireNonNull(setting, "setting"));
        return this;
    }

    /**
     * Gives each test a schema of its own in the PostgreSQL database of a URL, and drops it afterwards. {@code windrow-postgres} must be on the class
     * path. A schema takes some tenths of a second.
     *
     * @throws InvalidRequestException if something else opens the Windrow
     */
    public WindrowTest postgres(String url) {
        Objects.requireNonNull(url, "url");
        return place(context -> StorePlace.ofUrl(url));
    }

    /**
     * Gives each test a schema of its own in the PostgreSQL database of a data source; see {@link #postgres(String)}.
     *
     * @param source returns the data source; called before each test. The caller closes it
     */
    public WindrowTest postgres(Supplier<? extends DataSource> source) {
        Objects.requireNonNull(source, "source");
        return place(context -> StorePlace.of(source.get()));
    }

    private WindrowTest place(TestSettings.Place place) {
        requireNoTest();
        settings.requireOwnStore("postgres");
        settings.place = place;
        return this;
    }

    private void requireNoTest() {
        if (run.get() != null) {
            throw new InvalidRequestException(
                    "a test has begun: the settings of a WindrowTest are made in the initializer of its field");
        }
    }

    // ---- the parts of a test ----------------------------------------------------------------------------------------

    private TestRun run() {
        TestRun current = run.get();
        if (current == null) {
            throw new InvalidRequestException(
                    "no test runs: a WindrowTest is used in a test or its @BeforeEach, and its field must have @RegisterExtension");
        }
        return current;
    }

    private TestRun running(String method) {
        TestRun current = run();
        if (settings.mode == TestSettings.Mode.LIVE) {
            throw new InvalidRequestException(method
                    + " is not possible with live(): a real worker runs the jobs. Use assertThat(job).within(...)");
        }
        return current;
    }

    /** Returns the Windrow of the test. */
    public Windrow windrow() {
        return run().windrow;
    }

    /**
     * Returns the clock of the test.
     *
     * @throws InvalidRequestException if the clock is not a {@link ManualTime}
     */
    public ManualTime time() {
        return run().runner.clock().time();
    }

    // ---- running jobs -----------------------------------------------------------------------------------------------

    /**
     * Claims the next ready job and runs it on this thread, until its end is recorded. If its type has a batch handler, runs the jobs of one call.
     *
     * @return the counts of this call: all zero if no job is ready
     * @throws AssertionError of a handler, when the end of its attempt is recorded
     */
    public Worker.Totals runNext() {
        return running("runNext").runner.runNext();
    }

    /**
     * Claims all jobs that are ready now, and runs them on this thread in the order of their claims. Jobs that become ready by that stay ready.
     *
     * @return the counts of this call
     * @throws AssertionError of a handler, when the end of its attempt is recorded
     */
    public Worker.Totals runReady() {
        return running("runReady").runner.runReady();
    }

    /** Runs jobs on this thread until none is ready; see {@link #drain(Drain)}. */
    public Worker.Totals drain() {
        return drain(Drain.ready());
    }

    /**
     * Claims one job after the other and runs it on this thread, until none is ready.
     *
     * @return the counts of this call
     * @throws AssertionError of a handler, when the end of its attempt is recorded. Also if jobs are still ready after 10 000 attempts
     */
    public Worker.Totals drain(Drain how) {
        return running("drain").runner.drain(how, null);
    }

    /**
     * Runs jobs on this thread until none is ready, moves the clock to the time at which the next one is due, and so on. Jobs are due by their delays
     * and retries, by {@linkplain Windrow#schedules schedules}, and by the timeouts of awaited events.
     *
     * @param until the time at which the clock stands at the end
     * @return the counts of this call
     * @throws InvalidRequestException if the clock is not a {@link ManualTime}
     * @throws AssertionError of a handler, when the end of its attempt is recorded. Also after 10 000 attempts
     */
    public Worker.Totals drainSkippingTime(Instant until) {
        return running("drainSkippingTime").runner.drain(Drain.ready(), Objects.requireNonNull(until, "until"));
    }

    /** Calls a handler alone, in the first attempt of a job; see {@link #call(Handler, Object, CallContext)}. */
    public <I extends @Nullable Object, O extends @Nullable Object> Outcome<O> call(
            Handler<I, O> handler, I input, JobType<I, O> type) {
        return call(handler, input, CallContext.of(type));
    }

    /**
     * Calls a handler alone: enqueues a job, runs it with this handler and without the middleware of the settings, and returns its outcome. The
     * handler need not be registered, and other jobs do not run. The input and the result are encoded and decoded as always. Assertions about
     * enqueued jobs do not see the job.
     *
     * @throws AssertionError of the handler, when the end of the attempt is recorded. Also if the job cannot run
     * @throws InvalidRequestException if the job is not allowed, such as by its options
     */
    public <I extends @Nullable Object, O extends @Nullable Object> Outcome<O> call(
            Handler<I, O> handler, I input, CallContext<I, O> context) {
        return running("call").call(Objects.requireNonNull(handler, "handler"), input, context);
    }

    /**
     * Moves the clock forward. On its way it stops at each time at which a schedule enqueues a job, or a wait for an event ends. Handlers that have
     * passed their deadlines are interrupted. Jobs that are due now do not run before the test says so, except with {@link #inline}.
     *
     * @throws InvalidRequestException if the time is negative, or the clock is not a {@link ManualTime}
     */
    public void advance(Duration time) {
        running("advance").advance(time);
    }

    // ---- faults -----------------------------------------------------------------------------------------------------

    /**
     * Runs the next attempt of a job, and lets its process crash when the handler has returned and before its end is recorded. This is the worst moment
     * for a crash, because the work is done and the store does not know it. Then the job is taken back, as after the end of its lease. The attempt
     * counts, and the job's retry policy says when the next one is due: run it with {@code drain(Drain.ready().withScheduled())}.
     *
     * <p>Jobs that are claimed before this one run too. If the job is due later, the clock moves to that time. A handler that has completed its job in
     * a {@linkplain dev.windrow.JobContext#completeInTransaction transaction} has completed it. With {@link #inline} a job has run when its enqueue
     * returns, so use {@link #manual}.
     *
     * @throws AssertionError if the job cannot run, or its handler is not called
     */
    public void crashDuring(JobRef<?> job) {
        running("crashDuring").runner.run(job.id(), JobRunner.Fault.CRASH);
    }

    /**
     * Lets the process of the running attempt crash at this point: call it in a handler, or in what a handler calls. The call throws an error that the
     * handler must not catch. The job is taken back, as by {@link #crashDuring}.
     *
     * @throws InvalidRequestException if no handler runs
     */
    @SuppressWarnings("DoNotCallSuggester") // A test calls it for the crash.
    public void crashHere() {
        throw running("crashHere").runner.crashHere();
    }

    /**
     * Runs the next attempt of a job, which loses its lease before the handler begins its work: as with a process that stood still for longer than its
     * lease. The job is taken back, and another attempt runs to its end. Only then the handler of the first attempt does its work. It is a zombie: what
     * it writes to its job changes nothing. Jobs that are claimed before this one run too. If an attempt is due later, the clock moves to that time.
     *
     * @throws AssertionError if the job cannot run, or its handler is not called
     */
    public void loseLease(JobRef<?> job) {
        running("loseLease").runner.run(job.id(), JobRunner.Fault.LOST_LEASE);
    }

    /**
     * Lets the running attempt lose its lease at this point: call it in a handler, or in what a handler calls. The job is taken back, and another
     * attempt runs to its end. When this returns, the handler continues as a zombie, as by {@link #loseLease}.
     *
     * @throws InvalidRequestException if no handler runs
     */
    public void loseLeaseHere() {
        running("loseLeaseHere").runner.loseLeaseHere();
    }

    /**
     * Lets the next commits fail with {@link dev.windrow.StoreUnavailableException}. Commits are those of the application, such as an enqueue, a change
     * of a job or a transaction of {@link Windrow#inTransaction}, and those of the ends and the steps of attempts. Claims do not fail. The end of an
     * attempt is recorded again until it succeeds, as every worker does.
     *
     * @param commits 0 or more
     * @throws InvalidRequestException if the number is negative, or something else has opened the Windrow
     */
    public void storeFails(int commits) {
        run().storeFails(commits);
    }

    // ---- assertions -------------------------------------------------------------------------------------------------

    /** Returns assertions about a job. */
    @CheckReturnValue
    public <O extends @Nullable Object> JobAssert<O> assertThat(JobRef<O> job) {
        return new JobAssert<>(run(), job);
    }

    /**
     * Asserts that a handler is safe to repeat. Enqueues a job, and runs it. Its process crashes when the handler has returned, and before its end is
     * recorded. Then the job runs again. Both runs must succeed, and after the second one the observed state must equal the state after the first one.
     *
     * @param observed returns what the handler has changed, such as the number of mails or the rows of a table. Collections and maps are copied; other
     *     values must not change between the two calls, and have an {@link Object#equals}
     * @throws AssertionError if the handler fails in one of the runs, or the states differ
     */
    public <I extends @Nullable Object> void assertRepeatable(JobType<I, ?> type, I input, Supplier<?> observed) {
        running("assertRepeatable").requireRepeatable(type, input, Objects.requireNonNull(observed, "observed"));
    }

    /**
     * Asserts that payloads of former releases can still be read. Each folder in this folder has the name of a type, and each file in it is a stored
     * payload: {@code payloads/invoice.send/2026-01.json}. Each one must decode to the input of the handler that takes its type by the name or an
     * alias. A failure names all files that do not.
     *
     * @throws AssertionError if a payload does not decode, a type has no handler, or there is no file
     */
    public void assertDecodes(Path folder) {
        OldPayloads.requireDecoding(folder, run().worker());
    }

    /**
     * Asserts that the test has enqueued a job of this type, under its name or an alias, and returns assertions about such jobs. The jobs may have
     * ended.
     */
    @CheckReturnValue
    public <I extends @Nullable Object, O extends @Nullable Object> EnqueuedAssert<I, O> enqueued(JobType<I, O> type) {
        return new EnqueuedAssert<>(run(), type);
    }

    /** Asserts that the test has enqueued no job of this type, neither under its name nor under an alias. */
    public void notEnqueued(JobType<?, ?> type) {
        run().requireNone(type);
    }

    // ---- the life of a test -----------------------------------------------------------------------------------------

    @Override
    public void beforeEach(ExtensionContext context) throws IOException, SQLException {
        if (run.get() != null) {
            throw new InvalidRequestException(
                    "two tests use one WindrowTest at once: it must be a field that is not static, in a class that JUnit creates for each method");
        }
        if (settings.isOpen()) {
            begin(context);
        }
    }

    @Override
    public void beforeTestExecution(ExtensionContext context) throws IOException, SQLException {
        if (run.get() == null) {
            begin(context);
        }
    }

    private void begin(ExtensionContext context) throws IOException, SQLException {
        TestRun begun = settings.begin(context);
        if (!run.compareAndSet(null, begun)) {
            begun.close();
            beforeEach(context);
        }
    }

    @Override
    public void afterEach(ExtensionContext context) throws IOException, SQLException {
        TestRun ended = run.getAndSet(null);
        if (ended != null) {
            ended.close();
        }
    }

    @Override
    public void handleTestExecutionException(ExtensionContext context, Throwable failure) throws Throwable {
        TestRun current = run.get();
        if (current != null) {
            current.tell(failure);
        }
        throw failure;
    }

    @Override
    public boolean supportsParameter(ParameterContext parameter, ExtensionContext context) {
        Class<?> type = parameter.getParameter().getType();
        return type == Windrow.class || type == Jobs.class || type == ManualTime.class;
    }

    @Override
    public Object resolveParameter(ParameterContext parameter, ExtensionContext context) {
        return parameter.getParameter().getType() == ManualTime.class ? time() : windrow();
    }
}
