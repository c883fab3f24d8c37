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
 * The numbers of the store, read at most once in {@link #FRESH}, whoever asks, on a thread of its own. Who asks waits for them for {@link
 * #PATIENCE} at most, once for each reading, and has the ones before then.
 */
final class Numbers {
    static final Duration FRESH = Duration.ofSeconds(10);
    /** Older ones are not told: they would say that all is well for as long as the store is out of reach. */
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
     * What was read at one time.
     *
     * @param statistics the numbers of the store
     * @param workers the registry
     * @param at by the wall clock
     * @param nanos by the monotonic clock
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

    /** The newest numbers that there are; null if there are none, or they are {@link #STALE}. */
    @Nullable Reading get() {
        CompletableFuture<Reading> begun = beginIfOld();
        if (begun != null) {
            try {
                Reading unused = begun.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            } catch (TimeoutException | ExecutionException e) {
                log.debug("The numbers of the store are not there yet: those before are told", e);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
        Reading newest = last;
        return newest == null || time.nanoTime() - newest.nanos > STALE.toNanos() ? null : newest;
    }

    /** How old the newest numbers are, stale ones as well; not a number if there were none ever. */
    double ageSeconds() {
        Reading newest = last;
        return newest == null ? Double.NaN : (time.nanoTime() - newest.nanos) / 1e9;
    }

    /** The health of the background tasks of this process; reads nothing from the store. */
    Health health() {
        return windrow.monitor().health();
    }

    /** Null unless this call has begun a reading. */
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
                        "The numbers of the store cannot be read: its gauges stand still, and are gone after {} min; tried again each {} s: {}",
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
