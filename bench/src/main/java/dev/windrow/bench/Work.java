package dev.windrow.bench;

import dev.windrow.JobRequest;
import dev.windrow.JobType;
import dev.windrow.TimeSource;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The jobs of all measurements, and a worker that runs them. */
final class Work {
    static final String QUEUE = "default";
    /** The number of jobs of one bulk enqueue. */
    static final int BULK = 1000;

    /** A job without work. */
    static final JobType<String, Void> NO_OP = JobType.of("no-op", String.class);
    /**
     * A job that returns the time when its handler was called, in microseconds since 1970, by the clock that processes
     * share.
     */
    static final JobType<String, Long> WAKE = JobType.of("wake", String.class, Long.class);

    private Work() {}

    static Worker start(Windrow windrow, int slots) {
        return windrow.worker()
                .handleVoid(NO_OP, (input, job) -> {})
                .handle(WAKE, (input, job) -> micros())
                .concurrency(slots)
                .start();
    }

    static void enqueue(Windrow windrow, int jobs, String payload) {
        for (int left = jobs; left > 0; left -= BULK) {
            windrow.enqueueAll(noOps(Math.min(BULK, left), payload));
        }
    }

    static List<JobRequest<String, Void>> noOps(int count, String payload) {
        List<JobRequest<String, Void>> jobs = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            jobs.add(NO_OP.job(payload));
        }
        return jobs;
    }

    /** Returns the JSON of a payload that needs no escapes. */
    static String json(String payload) {
        return '"' + payload + '"';
    }

    static long micros() {
        Instant now = TimeSource.system().now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
    }

    /** Waits long enough that a worker without work is idle again. */
    static void pause() {
        waitUntil(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(15));
    }

    static void waitUntil(long nanoTime) {
        for (long left = nanoTime - System.nanoTime(); left > 0; left = nanoTime - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
