package dev.windrow.sqlite;

import dev.windrow.Health;
import java.io.IOException;
import java.nio.file.ClosedWatchServiceException;
import java.nio.file.Path;
import java.nio.file.StandardWatchEventKinds;
import java.nio.file.WatchKey;
import java.nio.file.WatchService;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hears what other processes have committed: it watches the folder of the {@link Neighbours}, and looks into the database
 * when one of them has rung, and every second in any case. Where watching does not work it polls the bell.
 *
 * <p>The other direction is {@link #changed}: after a commit that concerns others, this process rings, at most once in
 * {@link #RING_NANOS}.
 */
final class Doorbell implements AutoCloseable {
    /** A hint may be lost: after this long, everything is looked at without one. */
    private static final long SAFETY_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** How often to look whether the others are gone, while nobody rings. */
    private static final long CENSUS_NANOS = TimeUnit.SECONDS.toNanos(10);
    /** How often the bell is polled where it cannot be watched. */
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    /** Rings follow each other no faster: one wakes everybody, however much was committed. */
    private static final long RING_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    /** Without a look for this long, something is wrong. */
    private static final long STALLED_NANOS = TimeUnit.SECONDS.toNanos(15);
    /** After a look, this long passes before the next: under load, one look finds what many rings were for. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    private static final Logger log = LoggerFactory.getLogger(Doorbell.class);

    private final Neighbours neighbours;
    private final Elsewhere elsewhere;
    private final @Nullable WatchService watch;
    private final Thread thread;
    private volatile boolean open = true;
    private volatile @Nullable String problem;
    private volatile long lastLookNanos = System.nanoTime();

    // Used by the writer's thread only.
    private boolean pending;
    private long lastRingNanos = System.nanoTime() - RING_NANOS;

    // Used by the bell's thread only.
    private long lastSeen;
    private long lastCensusNanos = System.nanoTime();
    private int failures;

    Doorbell(Neighbours neighbours, Elsewhere elsewhere, String name) {
        this(neighbours, elsewhere, name, watch(neighbours.folder()));
    }

    /** Without a watch, the bell is polled. */
    Doorbell(Neighbours neighbours, Elsewhere elsewhere, String name, @Nullable WatchService watch) {
        this.neighbours = neighbours;
        this.elsewhere = elsewhere;
        this.watch = watch;
        this.lastSeen = neighbours.lastRing();
        this.thread = new Thread(this::run, "windrow-bell-" + name);
        thread.setDaemon(true);
    }

    private static @Nullable WatchService watch(Path folder) {
        try {
            WatchService watch = folder.getFileSystem().newWatchService();
            if (watch.getClass().getSimpleName().startsWith("Polling")) {
                // Java's own way on some systems, which looks every few seconds.
                watch.close();
                return null;
            }
            folder.register(watch, StandardWatchEventKinds.ENTRY_MODIFY);
            return watch;
        } catch (IOException | RuntimeException e) {
            log.warn(
                    "{} cannot be watched for what other processes do; it is polled instead: {}", folder, e.toString());
            return null;
        }
    }

    void start() {
        thread.start();
    }

    // ---- ringing: on the writer's thread ------------------------------------------------------------------------

    /** This process has committed something that others may wait for. */
    void changed() {
        if (neighbours.others() > 0) {
            pending = true;
        }
    }

    /**
     * Rings for what was committed since the last ring, if that was a while ago or the writer rests now; called after each
     * batch.
     */
    void flush(boolean rests) {
        if (pending && (rests || System.nanoTime() - lastRingNanos >= RING_NANOS)) {
            pending = false;
            lastRingNanos = System.nanoTime();
            neighbours.ring();
        }
    }

    // ---- hearing ------------------------------------------------------------------------------------------------

    private void run() {
        while (open) {
            try {
                await();
                if (open) {
                    elsewhere.look();
                    if (failures > 0) {
                        log.info("What other processes do can be seen again after {} failures", failures);
                        failures = 0;
                        problem = null;
                    }
                    lastLookNanos = System.nanoTime();
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            } catch (Throwable e) {
                failed(e);
            }
        }
        elsewhere.close();
    }

    /** How it is, for the health of the store. */
    Health.Duty duty() {
        long since = Math.max(0, System.nanoTime() - lastLookNanos);
        String what = problem;
        if (what == null && since > STALLED_NANOS) {
            what = "has not looked at what other processes do for " + TimeUnit.NANOSECONDS.toSeconds(since) + " s";
        }
        return new Health.Duty(thread.getName(), what, Duration.ofNanos(what == null ? 0 : since));
    }

    private void failed(Throwable e) {
        if (failures++ == 0) {
            log.warn("What other processes have done could not be looked at; trying again", e);
        } else {
            log.debug("What other processes have done could not be looked at, {} times", failures, e);
        }
        problem = "fails: " + e;
        LockSupport.parkNanos(SAFETY_NANOS);
    }

    /** Waits for a ring, and not longer than the safety poll. */
    private void await() throws InterruptedException {
        if (watch == null) {
            long deadline = System.nanoTime() + SAFETY_NANOS;
            while (open && neighbours.lastRing() == lastSeen && System.nanoTime() - deadline < 0) {
                LockSupport.parkNanos(POLL_NANOS);
            }
            if (neighbours.lastRing() != lastSeen) {
                lastSeen = neighbours.lastRing();
                neighbours.look();
            }
            return;
        }
        WatchKey key = null;
        try {
            key = watch.poll(SAFETY_NANOS, TimeUnit.NANOSECONDS);
        } catch (ClosedWatchServiceException e) {
            if (open) {
                log.debug("The watch of {} has ended by itself; the slow poll is left", neighbours.folder(), e);
                LockSupport.parkNanos(SAFETY_NANOS);
            }
        }
        if (key != null) {
            key.pollEvents();
            key.reset();
        }
        // Whoever comes rings first of all.
        long sinceCensus = System.nanoTime() - lastCensusNanos;
        if (sinceCensus >= CENSUS_NANOS || (key != null && (neighbours.others() == 0 || sinceCensus >= SAFETY_NANOS))) {
            lastCensusNanos = System.nanoTime();
            neighbours.look();
        }
    }

    @Override
    public void close() {
        open = false;
        if (watch != null) {
            try {
                watch.close();
            } catch (IOException e) {
                log.debug("Closing the watch of {}", neighbours.folder(), e);
            }
        }
        LockSupport.unpark(thread);
        boolean interrupted = false;
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
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
