package dev.windrow;

import dev.windrow.monitor.Monitor;
import java.time.Duration;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Runs jobs: claims those that it has handlers for, renews its leases, and records how each attempt ended. Made by {@link
 * Windrow#worker()}; safe for use by many threads.
 */
public interface Worker extends AutoCloseable {
    /** The name under which it is in the registry and in the event log. */
    String name();

    /** The queues that it serves. */
    Set<String> queues();

    /** The types that it handles, aliases included. */
    Set<String> types();

    /**
     * Waits until nothing keeps it busy: no job of its queues and types is ready, running in any process, or scheduled for a
     * retry, and it holds none. Jobs of other types do not count, whoever runs them. Returns as well when the worker is stopped.
     *
     * @throws InterruptedException if the thread is interrupted
     * @throws WindrowException if the worker has become unhealthy, or the store does not answer
     */
    void awaitIdle() throws InterruptedException;

    /**
     * Waits like {@link #awaitIdle()}, at most this long.
     *
     * @param timeout 0 or more; with 0 it looks once
     * @return true when it is idle; false when the time has passed or the worker is stopped
     * @throws InterruptedException if the thread is interrupted
     * @throws InvalidRequestException if the timeout is negative
     * @throws WindrowException if the worker has become unhealthy, or the store does not answer
     */
    boolean awaitIdle(Duration timeout) throws InterruptedException;

    /**
     * Stops: claims nothing more, hands back what is not started, lets handlers go on for {@code drain}, then tells and
     * interrupts them, and hands back what has not ended 2 s later. A job that is handed back does not count as an attempt.
     * When this returns, all that could be recorded is durable and no lease is held. Idempotent: callers at the same
     * time all wait for the same end, the shortest drain counts. An interrupt of the caller ends the drain at once.
     *
     * @param drain 0 or more
     * @throws InvalidRequestException if the drain is negative, or this thread is inside {@link Windrow#inTransaction}, which it would wait
     *     for; nothing is stopped then
     */
    void stop(Duration drain);

    /** Stops without a drain: interrupts handlers and hands everything back at once; see {@link #stop}. */
    void stopNow();

    /**
     * Waits until the worker is closed and its results are durable. Call it last in the {@code main} of a worker process: worker threads are
     * daemon threads. See {@link Windrow#closeOnShutdown()} for SIGTERM. An unhealthy worker goes on trying, and this goes on waiting; {@link
     * Monitor#health} tells.
     *
     * @throws InterruptedException if the thread is interrupted; the worker goes on
     */
    void join() throws InterruptedException;

    /** Returns the counts of what it has recorded since it was started. */
    Totals totals();

    /** Stops with the worker's drain timeout, 30 s by default; see {@link #stop}. */
    @Override
    void close();

    /**
     * Settings and handlers of a worker that is about to be started. Each method changes this builder and returns it. Not
     * safe for use by many threads.
     *
     * <p>A value out of its range is refused at once with an {@link InvalidRequestException}.
     */
    interface Builder extends Handlers {
        /**
         * Registers the handler of a type, under its name and aliases. The worker claims jobs of registered types only;
         * jobs of other types wait for a worker that knows them.
         *
         * @throws InvalidRequestException if one of these names has a handler already, or the type needs a codec and there
         *     is none, or the codec refuses its input or output
         */
        @Override
        <I extends @Nullable Object, O extends @Nullable Object> Builder handle(
                JobType<I, O> type, Handler<I, O> handler);

        /** Registers a handler without a result; see {@link #handle}. */
        @Override
        <I extends @Nullable Object> Builder handleVoid(JobType<I, @Nullable Void> type, VoidHandler<I> handler);

        /**
         * The worker's name in the registry, the event log and thread names, 1 to 200 characters; {@code host-pid-n} by
         * default. It is a label: workers of several processes may share one, and each remains a worker of its own.
         */
        Builder name(String name);

        /**
         * Serves this queue; call it once for each. The named queues are all that the worker serves: without any call it is {@code default}
         * alone, and beside others {@code default} is served only if it is named as well.
         *
         * @throws InvalidRequestException if the queue is named twice
         */
        Builder queue(String name);

        /** Serves this queue as {@link #queue(String)} does, with at most {@code limit} of its jobs in this worker's hands, 1 to 1000. */
        Builder queue(String name, int limit);

        /** Sets how many jobs run at once: 1 to 1000, default 10. */
        Builder concurrency(int concurrency);

        /**
         * Sets the time for which a claim holds without renewal: 1 s to 1 h, default 30 s. It is renewed each third of it. The jobs of a
         * dead worker run again after about one and two thirds of it. Workers that share a store should agree on it.
         */
        Builder lease(Duration lease);

        /**
         * Sets the interval at which an idle worker looks for work without a hint: 10 ms to 1 minute, default 30 s. Hints
         * usually come within milliseconds, and the store itself looks every few seconds whether other processes have left
         * any, which is cheaper: a look of the worker is a write transaction.
         */
        Builder poll(Duration poll);

        /** Sets the time for which {@link Worker#close} lets running handlers continue: 0 to 1 day, default 30 s. */
        Builder drainTimeout(Duration drainTimeout);

        /**
         * The time limit of attempts whose job and type have none, 1 ms to 3650 days; 1 h by default. Measured from the
         * start of the handler.
         */
        Builder defaultTimeout(Duration defaultTimeout);

        /** Wraps each handler call; the first one added is the outermost. */
        Builder middleware(Middleware middleware);

        /**
         * Starts the worker. Handlers run on virtual threads when the JVM has them, else on a bounded pool; all threads are
         * daemons.
         *
         * @throws InvalidRequestException if it has no handlers, or its name is taken by another worker of this {@link
         *     Windrow}
         * @throws StoreUnavailableException if the store is closed
         */
        Worker start();
    }

    /** The counts of a worker since its start. An attempt counts once its end is durable. */
    interface Totals {
        /** Attempts that completed their job. */
        long completed();

        /** Attempts after which the job ended {@code FAILED}. */
        long failed();

        /** Attempts after which the job ended {@code CANCELLED} on request. */
        long cancelled();

        /** Attempts that failed and that another attempt follows. */
        long retried();

        /** Attempts that snoozed; the job runs again later, and the attempt does not count. */
        long snoozed();

        /** Attempts after which the job waits for external completion. */
        long parked();

        /** Jobs that the worker handed back unfinished; the attempt does not count. */
        long handedBack();
    }
}
