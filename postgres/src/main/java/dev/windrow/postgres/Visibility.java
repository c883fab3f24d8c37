package dev.windrow.postgres;

import dev.windrow.WindrowException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rings for what was done in a caller's transaction. Nobody tells when that transaction commits, so this asks a
 * reader whether it has, after 1, 2, 4 ... 50 ms, for a minute; later the workers' slow poll finds them.
 */
final class Visibility implements AutoCloseable {
    private static final long MAX_DELAY_MILLIS = 50;
    private static final long PATIENCE_MILLIS = 60_000;

    private static final Logger log = LoggerFactory.getLogger(Visibility.class);

    private final ScheduledThreadPoolExecutor timer;

    Visibility(String name) {
        this.timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "windrow-visibility-" + name);
            thread.setDaemon(true);
            return thread;
        });
        timer.setKeepAliveTime(10, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Runs {@code ring} now if the transaction, or the part of it that this is about, is seen to have committed. */
    void ring(BooleanSupplier committed, Runnable ring) {
        ask(committed, ring, 0, PATIENCE_MILLIS);
    }

    /** Runs {@code ring} once the transaction is seen to have committed. */
    void watch(BooleanSupplier committed, Runnable ring) {
        ask(committed, ring, 1, 0);
    }

    private void ask(BooleanSupplier committed, Runnable ring, long delayMillis, long waitedMillis) {
        try {
            // The task reports its own failures; its future has nothing to add.
            var unused = timer.schedule(
                    () -> look(committed, ring, delayMillis, waitedMillis + delayMillis),
                    delayMillis,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            log.debug("The store is closing; what was enqueued is left to the slow poll");
        }
    }

    private void look(BooleanSupplier committed, Runnable ring, long delayMillis, long waitedMillis) {
        boolean visible = false;
        try {
            visible = committed.getAsBoolean();
        } catch (WindrowException e) {
            log.debug("Whether a transaction has committed could not be asked: {}", e.getMessage());
        }
        if (visible) {
            ring.run();
        } else if (waitedMillis < PATIENCE_MILLIS) {
            ask(committed, ring, Math.min(MAX_DELAY_MILLIS, delayMillis * 2), waitedMillis);
        }
    }

    @Override
    public void close() {
        timer.shutdown();
    }
}
