package dev.windrow;

import dev.windrow.monitor.Monitor;
import dev.windrow.monitor.WorkerInfo;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs: claims jobs for which it has handlers, renews its leases, and records the outcome of each attempt. Made by {@link Windrow#worker()}.
 * Safe for use by many threads.
 */
public interface Worker extends AutoCloseable {
    /** The worker's name in the registry and in the event log. */
    String name();

    /** The queues that the worker serves. */
    Set<String> queues();

    /** The types that the worker handles, aliases included. */
    Set<String> types();

    /**
     * Waits until the worker is idle: it holds no job, and no job of its queues and types is ready, running in any process, or scheduled for a retry.
     * Jobs of other types, and jobs below the worker's minimum priority, do not count. The call also returns when the worker is stopped.
     *
     * @throws InterruptedException if the thread is interrupted
     * @throws WindrowException if the worker has become unhealthy, or the store cannot be read
     */
    void awaitIdle() throws InterruptedException;

    /**
     * Waits like {@link #awaitIdle()}, at most for this time.
     *
     * @param timeout 0 or more. With 0 the state is read once
     * @return true when the worker is idle; false when the time has passed or the worker is stopped
     * @throws InterruptedException if the thread is interrupted
     * @throws InvalidRequestException if the timeout is negative
     * @throws WindrowException if the worker has become unhealthy, or the store cannot be read
     */
    boolean awaitIdle(Duration timeout) throws InterruptedException;

    /**
     * Stops the worker. It claims no more jobs, and hands back the jobs whose handlers have not begun. Running handlers may continue for the time of
     * {@code drain}. Then they are interrupted. A job whose handler has not ended 2 s later is handed back. A job that is handed back does not count
     * as an attempt.
     *
     * <p>When this returns, everything that could be recorded is durable, and the worker holds no lease. Idempotent: concurrent callers wait for the
     * same end, and the shortest drain counts. An interrupt of the caller ends the drain at once.
     *
     * @param drain 0 or more
     * @throws InvalidRequestException if the drain is negative, or this thread is inside {@link Windrow#inTransaction}, for which the call would
     *     wait. Nothing is stopped
     */
    void stop(Duration drain);

    /** Stops the worker without a drain: interrupts the handlers and hands all jobs back at once; see {@link #stop}. */
    void stopNow();

    /**
     * Waits until the worker is closed and its results are durable. Call it last in the {@code main} of a worker process, because the threads of a
     * worker are daemon threads. See {@link Windrow#closeOnShutdown()} for SIGTERM. An unhealthy worker continues to try, and this call continues to
     * wait. {@link Monitor#health} reports the problem.
     *
     * @throws InterruptedException if the thread is interrupted. The worker continues
     */
    void join() throws InterruptedException;

    /** Returns the worker's counts since its start. */
    Totals totals();

    /** Stops the worker with its drain timeout, default 30 s; see {@link #stop}. */
    @Override
    void close();

    /**
     * The settings and handlers of a worker that is to be started. Each method changes this builder and returns it. Not safe for use by many threads.
     *
     * <p>A value out of its range is refused at once with an {@link InvalidRequestException}.
     */
    interface Builder extends Handlers {
        /**
         * Registers the handler of a type, under its name and aliases. The worker claims jobs of registered types only. Jobs of other types wait for
         * a worker that handles them.
         *
         * @throws InvalidRequestException if one of these names has a handler already. Also if the type needs a codec and there is none, or the codec
         *     refuses its input or output
         */
        @Override
        <I extends @Nullable Object, O extends @Nullable Object> Builder handle(
                JobType<I, O> type, Handler<I, O> handler);

        /** Registers a handler without a result; see {@link #handle}. */
        @Override
        <I extends @Nullable Object> Builder handleVoid(JobType<I, @Nullable Void> type, VoidHandler<I> handler);

        /**
         * Registers the batch handler of a type; see {@link Handlers#handleBatch}. One call takes one slot, from its first claimed job on. The worker
         * claims up to {@code max} jobs for each free slot, and renews their leases while they wait. A {@linkplain #queue(String, int) limit} of a
         * queue counts each job.
         */
        @Override
        <I extends @Nullable Object, O extends @Nullable Object> Builder handleBatch(
                JobType<I, O> type, int max, Duration linger, BatchHandler<I, O> handler);

        /**
         * Sets the worker's name in the registry, the event log and thread names: 1 to 200 characters, default {@code host-pid-n}. The name is a
         * label. Workers of several processes may have the same one, and stay separate workers.
         */
        Builder name(String name);

        /**
         * Serves this queue. Call it once for each queue. The worker serves the named queues only. Without a call it serves {@code default}. With a
         * call it serves {@code default} only if that is named as well.
         *
         * @throws InvalidRequestException if the queue is named twice
         */
        Builder queue(String name);

        /** Serves this queue like {@link #queue(String)}, and holds at most {@code limit} of its jobs at once: 1 to 1000. */
        Builder queue(String name, int limit);

        /** Sets how many jobs run at once: 1 to 1000, default 10. A call of a batch handler counts as one. */
        Builder concurrency(int concurrency);

        /**
         * Sets the lowest priority of jobs that the worker takes: -32768 to 32767, default every priority. Other workers take the jobs below it; see
         * {@link Worker#awaitIdle()} and {@link WorkerInfo#minPriority}. A job below it that has the permit of a concurrency key keeps the permit
         * until another worker runs it.
         */
        Builder minPriority(int minPriority);

        /**
         * Sets the time for which a claim is valid without a renewal: 1 s to 1 h, default 30 s. The worker renews its leases after each third of it.
         * The jobs of a dead worker run again after about one and two thirds of it. All workers of a store should have the same lease.
         */
        Builder lease(Duration lease);

        /**
         * Sets the interval at which an idle worker polls without a hint: 10 ms to 1 minute, default 30 s. Hints usually come within milliseconds.
         * The store itself looks every few seconds for jobs of other processes. That is cheaper, because a poll of the worker is a write transaction.
         */
        Builder poll(Duration poll);

        /** Sets the time for which {@link Worker#close} lets running handlers continue: 0 to 1 day, default 30 s. */
        Builder drainTimeout(Duration drainTimeout);

        /** Sets the time limit of attempts whose job and type have none, measured from the start of the handler: 1 ms to 3650 days, default 1 h. */
        Builder defaultTimeout(Duration defaultTimeout);

        /**
         * Sets the time limit of attempts of this queue whose job and type have none: 1 ms to 3650 days, default {@link #defaultTimeout(Duration)}. A
         * second call for the same queue replaces the first one. {@link #start} refuses a queue that the worker does not serve.
         */
        Builder defaultTimeout(String queue, Duration defaultTimeout);

        /** Adds a middleware, which wraps each handler call. The first one added is the outermost. */
        Builder middleware(Middleware middleware);

        /**
         * Starts the worker. Handlers run on virtual threads if the JVM has them, else on a bounded pool. All threads are daemon threads.
         *
         * @throws InvalidRequestException if the worker has no handlers, or another worker of this {@link Windrow} has its name
         * @throws StoreUnavailableException if the store is closed
         */
        Worker start();
    }

    /** The counts of a worker since its start. An attempt counts once its end is durable. */
    interface Totals {
        /** The attempts that completed their job. */
        long completed();

        /** The attempts after which the job ended {@code FAILED}. */
        long failed();

        /** The attempts after which the job ended {@code CANCELLED} on request. */
        long cancelled();

        /** The failed attempts that another attempt follows. */
        long retried();

        /** The snoozed attempts. The job runs again later, and the attempt does not count. */
        long snoozed();

        /** The attempts after which the job waits for an event or for its external completion. */
        long parked();

        /** The jobs that the worker handed back unfinished. The attempt does not count. */
        long handedBack();
    }
}
