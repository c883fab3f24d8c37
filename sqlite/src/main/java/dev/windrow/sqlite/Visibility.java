package dev.windrow.sqlite;

import dev.windrow.WindrowException;
import dev.windrow.store.EnqueuedJob;
import java.util.List;
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

    /** Asks and rings. */
    interface Probe {
        /** Whether the job is visible to others; rings if it is. */
        boolean ring(long id);
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

    void watch(List<EnqueuedJob> jobs) {
        if (!jobs.isEmpty()) {
            ask(jobs.get(jobs.size() - 1).id(), 1, 0);
        }
    }

    private void ask(long id, long delayMillis, long waitedMillis) {
        try {
            timer.schedule(
                    () -> {
                        boolean visible = false;
                        try {
                            visible = probe.ring(id);
                        } catch (WindrowException e) {
                            log.debug("Job {} could not be looked for: {}", id, e.getMessage());
                        }
                        long waited = waitedMillis + delayMillis;
                        if (!visible && waited < PATIENCE_MILLIS) {
                            ask(id, Math.min(MAX_DELAY_MILLIS, delayMillis * 2), waited);
                        }
                    },
                    delayMillis,
                    TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            log.debug("The store is closing; job {} is left to the slow poll", id);
        }
    }

    @Override
    public void close() {
        timer.shutdownNow();
    }
}
