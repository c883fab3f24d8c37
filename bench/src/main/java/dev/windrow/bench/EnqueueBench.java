package dev.windrow.bench;

import dev.windrow.Windrow;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Enqueue without a worker. Each run ends after a second, or when it has enqueued as many jobs as the other
 * measurements run. So slow disks also give a rate within a limited time.
 */
final class EnqueueBench {
    private static final long NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The most jobs that are not durable yet, if the caller does not wait for each. */
    private static final int IN_FLIGHT = 10_000;

    private final Ground ground;
    private final BenchSettings settings;
    private final String payload;
    private final @Nullable FlushLoop flushLoop;
    private final Samples flushes = new Samples();
    private final Samples oneThreadByFlushes = new Samples();
    private final Samples oneThread = new Samples();
    private final Samples eightThreads = new Samples();
    private final Samples sixtyFourThreads = new Samples();
    private final Samples bulk = new Samples();
    private final Samples async = new Samples();

    /**
     * Creates a measurement.
     *
     * @param flushLoop the limit of one thread; null if the database has none
     */
    EnqueueBench(Ground ground, @Nullable FlushLoop flushLoop) {
        this.ground = ground;
        this.flushLoop = flushLoop;
        this.settings = ground.settings();
        this.payload = settings.payload();
    }

    private interface Way {
        /** Enqueues for a while; returns how many jobs are durable. */
        int enqueue(Windrow windrow) throws InterruptedException;
    }

    BenchReport.EnqueueRates run() throws SQLException, IOException, InterruptedException {
        for (int run = 0; run <= Ground.RUNS; run++) {
            ground.begins("enqueue", run);
            boolean counted = run > 0;
            Double raw = flushLoop == null ? null : (Double) flushLoop.perSecond(settings.jobs());
            double one = measure(windrow -> threads(windrow, 1), counted ? oneThread : new Samples());
            if (counted && raw != null) {
                flushes.add(raw);
                oneThreadByFlushes.add(one / raw);
            }
            measure(windrow -> threads(windrow, 8), counted ? eightThreads : new Samples());
            measure(windrow -> threads(windrow, 64), counted ? sixtyFourThreads : new Samples());
            measure(this::bulk, counted ? bulk : new Samples());
            measure(this::async, counted ? async : new Samples());
        }
        return new BenchReport.EnqueueRates(
                oneThread.median(), eightThreads.median(), sixtyFourThreads.median(), bulk.median(), async.median());
    }

    /** Returns the median rate of the flush loop; null if the database has none. */
    @Nullable Double flushesPerSecond() {
        return flushes.median();
    }

    /** Returns the median ratio of one thread to the flush loop of the same round; null if the database has none. */
    @Nullable Double oneThreadByFlushes() {
        return oneThreadByFlushes.median();
    }

    private double measure(Way way, Samples rates) throws SQLException, IOException, InterruptedException {
        Database database = ground.databases().next();
        int jobs;
        double rate;
        try (Windrow windrow = database.open()) {
            long start = System.nanoTime();
            jobs = way.enqueue(windrow);
            rate = jobs / ((System.nanoTime() - start) / 1e9);
        }
        rates.add(rate);
        Audit.pending(database, jobs);
        database.remove();
        return rate;
    }

    private int threads(Windrow windrow, int count) throws InterruptedException {
        long end = System.nanoTime() + NANOS;
        AtomicInteger left = new AtomicInteger(settings.jobs());
        ExecutorService threads = Executors.newFixedThreadPool(count);
        try {
            List<Future<Integer>> all = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                all.add(threads.submit(() -> {
                    int done = 0;
                    while (System.nanoTime() - end < 0 && left.getAndDecrement() > 0) {
                        windrow.enqueue(Work.NO_OP.job(payload));
                        done++;
                    }
                    return done;
                }));
            }
            int jobs = 0;
            for (Future<Integer> each : all) {
                jobs += each.get();
            }
            return jobs;
        } catch (ExecutionException e) {
            throw new BenchException("enqueue failed: " + e.getCause(), e.getCause());
        } finally {
            threads.shutdownNow();
        }
    }

    private int bulk(Windrow windrow) {
        long end = System.nanoTime() + NANOS;
        int jobs = 0;
        while (System.nanoTime() - end < 0 && jobs < settings.jobs()) {
            int count = Math.min(Work.BULK, settings.jobs() - jobs);
            windrow.enqueueAll(Work.noOps(count, payload));
            jobs += count;
        }
        return jobs;
    }

    private int async(Windrow windrow) throws InterruptedException {
        long end = System.nanoTime() + NANOS;
        Semaphore room = new Semaphore(IN_FLIGHT);
        AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        int jobs = 0;
        while (System.nanoTime() - end < 0 && jobs < settings.jobs()) {
            room.acquire();
            windrow.enqueueAsync(Work.NO_OP.job(payload)).whenComplete((enqueued, error) -> {
                if (error != null) {
                    failure.set(error);
                }
                room.release();
            });
            jobs++;
        }
        room.acquire(IN_FLIGHT);
        if (failure.get() != null) {
            throw new BenchException("enqueue failed: " + failure.get(), failure.get());
        }
        return jobs;
    }
}
