package dev.windrow.postgres;

import dev.windrow.WindrowException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Rings for jobs that were enqueued in a caller's transaction. Nobody tells when that transaction commits, so this asks a
 * reader whether the jobs are visible, after 1, 2, 4 ... 50 ms, for a minute; later the workers' slow poll finds them.
 */
final class Visibility implements AutoCloseable {
    private static final long MAX_DELAY_MILLIS = 50;
    private static final long PATIENCE_MILLIS = 60_000;

    private static final Logger log = LoggerFactory.getLogger(Visibility.class);

    /** Asks. */
    interface Probe {
        /** Whether the job is visible to others. */
        boolean isVisible(long id);
    }

    private final Probe probe;
    private final ScheduledThreadPoolExecutor timer;

    Visibility(Probe probe, String name) {
        this.probe = probe;
        this.timer = new ScheduledThreadPoolExecutor(1, task -> {
            Thread thread = new Thread(task, "windrow-visibility-" + name);
            thread.setDaemon(true);
            return thread;
        });
        timer.setKeepAliveTime(10, TimeUnit.SECONDS);
        timer.allowCoreThreadTimeOut(true);
        timer.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /** Runs {@code ring} once the job is visible. */
    void watch(long id, Runnable ring) {
        ask(id, ring, 1, 0);
    }

    private void ask(long id, Runnable ring, long delayMillis, long waitedMillis) {
        try {
            // The task reports its own failures; its future has nothing to add.
            var unused = timer.schedule(
                    () -> look(id, ring, delayMillis, waitedMillis + delayMillis), delayMillis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            log.debug("The store is closing; job {} is left to the slow poll", id);
        }
    }

    private void look(long id, Runnable ring, long delayMillis, long waitedMillis) {
        boolean visible = false;
        try {
            visible = probe.isVisible(id);
        } catch (WindrowException e) {
            log.debug("Job {} could not be looked for: {}", id, e.getMessage());
        }
        if (visible) {
            ring.run();
        } else if (waitedMillis < PATIENCE_MILLIS) {
            ask(id, ring, Math.min(MAX_DELAY_MILLIS, delayMillis * 2), waitedMillis);
        }
    }

    @Override
    public void close() {
        timer.shutdown();
    }
}
