package dev.windrow.postgres.connection;

import java.util.concurrent.TimeUnit;

/** Waits for threads to end. */
public final class Threads {
    private Threads() {}

    /** Waits at most so long for the end of a thread. An interrupt of the caller is kept for later. */
    public static void join(Thread thread, long nanos) {
        boolean interrupted = false;
        long deadline = System.nanoTime() + nanos;
        while (thread.isAlive() && System.nanoTime() - deadline < 0) {
            try {
                thread.join(TimeUnit.NANOSECONDS.toMillis(Math.max(1_000_000, deadline - System.nanoTime())));
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
