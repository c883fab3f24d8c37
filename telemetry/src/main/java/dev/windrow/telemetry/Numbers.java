package dev.windrow.telemetry;

import dev.windrow.TimeSource;
import dev.windrow.Windrow;
import dev.windrow.monitor.Health;
import dev.windrow.monitor.Statistics;
import dev.windrow.monitor.WorkerInfo;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The numbers of the store, read at most once in {@link #FRESH} for all callers, on a separate thread. A caller waits
 * for a reading once, for {@link #PATIENCE} at most. After that it gets the numbers of the previous reading.
 */
final class Numbers {
    static final Duration FRESH = Duration.ofSeconds(10);
    /**
     * The age from which numbers are not shown any more. They would report a healthy store for as long as the store
     * cannot be reached.
     */
    static final Duration STALE = Duration.ofMinutes(2);

    private static final Duration PATIENCE = Duration.ofSeconds(1);

    private static final Logger log = LoggerFactory.getLogger(Numbers.class);

    private final Windrow windrow;
    private final TimeSource time;
    private final Consumer<Reading> onReading;
    private final ThreadPoolExecutor executor;

    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable Reading last;
    // Guarded by lock.
    private @Nullable CompletableFuture<Reading> underWay;
    private boolean tried;
    private long triedNanos;
    private boolean failing;

    /**
     * The numbers of one time.
     *
     * @param statistics the numbers of the store
     * @param workers the registry
     * @param at the time by the wall clock
     * @param nanos the time by the monotonic clock
     */
    record Reading(Statistics statistics, List<WorkerInfo> workers, Instant at, long nanos) {}

    Numbers(Windrow windrow, TimeSource time, Consumer<Reading> onReading) {
        this.windrow = windrow;
        this.time = time;
        this.onReading = onReading;
        this.executor = new ThreadPoolExecutor(1, 1, 30, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            Thread thread = new Thread(task, "windrow-metrics");
            thread.setDaemon(true);
            return thread;
        });
        executor.allowCoreThreadTimeOut(true);
    }

    /** Returns the newest numbers; null if none were read, or they are {@link #STALE}. */
    @Nullable Reading get() {
        CompletableFuture<Reading> begun = beginIfOld();
        if (begun != null) {
            try {
                Reading unused = begun.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException | ExecutionException e) {
                log.debug("The numbers of the store are not read yet: the previous ones are shown", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        Reading newest = last;
        return newest == null || time.nanoTime() - newest.nanos > STALE.toNanos() ? null : newest;
    }

    /** Returns the age of the newest numbers, even if they are stale; NaN if none were ever read. */
    double ageSeconds() {
        Reading newest = last;
        return newest == null ? Double.NaN : (time.nanoTime() - newest.nanos) / 1e9;
    }

    /** Returns the health of the background tasks of this process; reads nothing from the store. */
    Health health() {
        return windrow.monitor().health();
    }

    /** Begins a reading if the last one is old; null unless this call has begun one. */
    private @Nullable CompletableFuture<Reading> beginIfOld() {
        lock.lock();
        try {
            if (underWay != null
                    || (tried && time.nanoTime() - triedNanos < FRESH.toNanos())
                    || executor.isShutdown()) {
                return null;
            }
            tried = true;
            triedNanos = time.nanoTime();
            CompletableFuture<Reading> begun = CompletableFuture.supplyAsync(this::read, executor);
            underWay = begun;
            return begun;
        } finally {
            lock.unlock();
        }
    }

    private Reading read() {
        @Nullable RuntimeException failure = null;
        try {
            Reading reading = new Reading(
                    windrow.monitor().statistics(), windrow.monitor().workers(), time.now(), time.nanoTime());
            onReading.accept(reading);
            last = reading;
            return reading;
        } catch (RuntimeException e) {
            failure = e;
            throw e;
        } finally {
            done(failure);
        }
    }

    private void done(@Nullable RuntimeException failure) {
        lock.lock();
        try {
            underWay = null;
            if (failure != null && !failing) {
                log.warn(
                        "The numbers of the store cannot be read: its gauges do not change, and disappear after {} min; the read is retried every {} s: {}",
                        STALE.toMinutes(),
                        FRESH.toSeconds(),
                        failure.getMessage());
            } else if (failure == null && failing) {
                log.info("The numbers of the store can be read again");
            }
            failing = failure != null;
        } finally {
            lock.unlock();
        }
    }

    void close() {
        executor.shutdown();
    }
}
