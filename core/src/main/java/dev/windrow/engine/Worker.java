package dev.windrow.engine;

import java.time.Duration;

/**
 * Runs jobs: claims those that it has handlers for, renews its leases, and records how each attempt ended. Made by {@link
 * Windrow#worker()}; safe for use by many threads.
 */
public final class Worker implements AutoCloseable {
    private final Settings settings;

    Worker(Settings settings) {
        this.settings = settings;
    }

    /** The name under which it is in the registry and in the event log. */
    public String name() {
        return settings.name();
    }

    void ready(String queue, String type) {}

    /**
     * Waits until nothing keeps it busy: no job of its queues is running anywhere, none that it handles is ready or
     * scheduled for a retry, and it holds none. Returns as well when the worker is stopped.
     *
     * @throws InterruptedException if the thread is interrupted
     * @throws dev.windrow.WindrowException if the worker has become unhealthy, or the store does not answer
     */
    public void awaitIdle() throws InterruptedException {
        throw new UnsupportedOperationException();
    }

    /**
     * Waits like {@link #awaitIdle()}, at most this long.
     *
     * @return true when it is idle; false when the time has passed or the worker is stopped
     * @throws InterruptedException if the thread is interrupted
     * @throws dev.windrow.WindrowException if the worker has become unhealthy, or the store does not answer
     */
    public boolean awaitIdle(Duration timeout) throws InterruptedException {
        throw new UnsupportedOperationException();
    }

    /**
     * Stops: claims nothing more, hands back what is not started, lets handlers go on for {@code drain}, then tells and
     * interrupts them, and hands back what has not ended 2 s later. A job that is handed back has burned no attempt.
     * When this returns, all that could be recorded is durable and no lease is held. Idempotent: callers at the same
     * time all wait for the same end, the shortest drain counts.
     */
    public void stop(Duration drain) {}

    /** Stops without a drain: interrupts handlers and hands everything back at once. */
    public void stopNow() {}

    /** What it has recorded since it was started. */
    public WorkerTotals totals() {
        return new WorkerTotals(0, 0, 0, 0);
    }

    /** Stops with the worker's drain timeout, 30 s by default; see {@link #stop}. */
    @Override
    public void close() {
        stop(settings.drainTimeout());
    }
}
