package dev.windrow.sqlite.processes;

import dev.windrow.monitor.Health;
import dev.windrow.store.SafeLogger;
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

/**
 * Notices the commits of other processes. It watches the folder of the {@link PeerProcesses}. It queries the database when another process has
 * notified, and every few seconds in any case. Where watching does not work, or turns out not to work, it polls the notifier file.
 *
 * <p>In the other direction, {@link #changed} notifies other processes after a commit that concerns them, at most once in {@link #NOTIFY_NANOS}.
 */
public final class PeerWatch implements AutoCloseable {
    /** The interval of queries without a hint, because a hint may be lost. Each query costs an idle process a wake-up. */
    public static final Duration SAFETY = Duration.ofSeconds(5);
    /** The interval of queries while a hint has to be repeated, and after a failure. */
    private static final long AGAIN_NANOS = TimeUnit.SECONDS.toNanos(1);
    /** The interval of counts of the other processes while none notifies. */
    private static final long CENSUS_NANOS = TimeUnit.SECONDS.toNanos(30);
    /** The time within which the watch has to report a notification. */
    private static final Duration LATE = Duration.ofSeconds(2);
    /** The interval of polls of the notifier file if it cannot be watched. */
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);
    /** The shortest time between two notifications. One wakes all processes, however much was committed. */
    private static final long NOTIFY_NANOS = TimeUnit.MILLISECONDS.toNanos(2);
    /** The time without a query that counts as a problem. */
    private static final long STALLED_NANOS = TimeUnit.SECONDS.toNanos(20);
    /** The pause after a notified query. Under load, the next query then finds the commits of many notifications. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1);

    /** The way in which notifications are noticed. */
    private enum Ear {
        WATCH,
        POLL,
        /** None: the folder was deleted. */
        NONE
    }

    private static final Logger log = SafeLogger.of(PeerWatch.class);

    private final PeerProcesses peers;
    private final PeerChanges peerChanges;
    private final @Nullable WatchService watch;
    private final long safetyNanos;
    private final long lateNanos;
    private final Thread thread;
    /** The way in which notifications are noticed. Changed by this object's thread only. */
    private volatile Ear ear;
    // Used by the notifier's thread only.
    private boolean notified;
    private volatile boolean open = true;
    private volatile @Nullable String problem;
    private volatile long lastLookNanos = System.nanoTime();

    // Used only by the thread that has the turn to write.
    private boolean pending;
    private long lastNotifyNanos = System.nanoTime() - NOTIFY_NANOS;

    // Used by the notifier's thread only.
    private long lastSeen;
    private long lastCensusNanos = System.nanoTime();
    private int failures;

    public PeerWatch(PeerProcesses peers, PeerChanges peerChanges, String name, Duration safety) {
        this(peers, peerChanges, name, watch(peers.folder()), safety, LATE);
    }

    /**
     * Makes a watch. Without a watch service, the notifier file is polled.
     *
     * @param safety the interval of queries without a hint
     * @param late the time within which the watch service has to report a notification
     */
    public PeerWatch(
            PeerProcesses peers,
            PeerChanges peerChanges,
            String name,
            @Nullable WatchService watch,
            Duration safety,
            Duration late) {
        this.peers = peers;
        this.peerChanges = peerChanges;
        this.watch = watch;
        this.safetyNanos = safety.toNanos();
        this.lateNanos = late.toNanos();
        this.ear = watch == null ? Ear.POLL : Ear.WATCH;
        this.lastSeen = peers.lastNotified();
        this.thread = new Thread(this::run, "windrow-notifier-" + name);
        thread.setDaemon(true);
    }

    private static @Nullable WatchService watch(Path folder) {
        try {
            WatchService watch = folder.getFileSystem().newWatchService();
            if (watch.getClass().getSimpleName().startsWith("Polling")) {
                // Java's own implementation on some systems, which polls every few seconds.
                watch.close();
                return null;
            }
            folder.register(watch, StandardWatchEventKinds.ENTRY_MODIFY);
            return watch;
        } catch (IOException | RuntimeException e) {
            log.warn(
                    "The folder {} cannot be watched for commits of other processes; it is polled instead: {}",
                    folder,
                    e.toString());
            return null;
        }
    }

    public void start() {
        thread.start();
    }

    // ---- notifying: by the thread that has the turn to write
    // ---------------------------------------------------------------------

    /** Records that this process has committed a change that other processes may wait for. */
    public void changed() {
        if (peers.others() > 0) {
            pending = true;
        }
    }

    /** Notifies of the commits since the last notification, if that is a while ago or the writer pauses now. Called after each batch. */
    public void flush(boolean rests) {
        if (pending && (rests || System.nanoTime() - lastNotifyNanos >= NOTIFY_NANOS)) {
            pending = false;
            lastNotifyNanos = System.nanoTime();
            peers.ring();
        }
    }

    // ---- watching ----------------------------------------------------------------------------------------------

    private void run() {
        while (open) {
            try {
                await();
                if (open) {
                    peerChanges.look();
                    if (failures > 0) {
                        log.info("Commits of other processes are read again after {} failures", failures);
                        failures = 0;
                        problem = null;
                    }
                    lastLookNanos = System.nanoTime();
                    if (notified) {
                        LockSupport.parkNanos(PAUSE_NANOS);
                    }
                }
            } catch (Throwable e) {
                failed(e);
            }
        }
        peerChanges.close();
    }

    /** Returns the state of the watch, for the health of the store. */
    public Health.Task task() {
        long since = Math.max(0, System.nanoTime() - lastLookNanos);
        String what = problem;
        if (what == null && since > STALLED_NANOS) {
            what = "has not read the commits of other processes for " + TimeUnit.NANOSECONDS.toSeconds(since) + " s";
        }
        return new Health.Task(thread.getName(), what, Duration.ofNanos(what == null ? 0 : since));
    }

    private void failed(Throwable e) {
        problem = "fails";
        try {
            problem = "fails: " + SafeLogger.text(e);
            if (failures++ == 0) {
                log.warn("Commits of other processes could not be read; this is retried every second", e);
            } else {
                log.debug("Commits of other processes could not be read, {} times", failures, e);
            }
        } catch (Throwable again) {
            // No memory is left even to log more.
        }
        LockSupport.parkNanos(AGAIN_NANOS);
    }

    /** True if the notifier file is polled. */
    boolean isPolled() {
        return ear == Ear.POLL;
    }

    /** Waits for a notification, at most until the next query without one. */
    private void await() throws InterruptedException {
        long nanos = ear == Ear.NONE || peerChanges.tellsAgain() ? AGAIN_NANOS : safetyNanos;
        notified = ear == Ear.POLL ? polled(nanos) : watched(nanos);
        if (!notified && open && ear == Ear.WATCH && peers.lastNotified() != lastSeen) {
            // Another process has notified, and the watch has not reported it.
            notified = watched(lateNanos);
            if (!notified && open) {
                log.warn(
                        "The watch of {} does not report commits of other processes; the folder is polled instead",
                        peers.folder());
                ear = Ear.POLL;
            }
        }
        lastSeen = peers.lastNotified();
        // A process that opens the file notifies first of all.
        long sinceCensus = System.nanoTime() - lastCensusNanos;
        if (sinceCensus >= CENSUS_NANOS || (notified && (peers.others() == 0 || sinceCensus >= AGAIN_NANOS))) {
            lastCensusNanos = System.nanoTime();
            peers.look();
        }
    }

    private boolean polled(long nanos) {
        long deadline = System.nanoTime() + nanos;
        while (open && peers.lastNotified() == lastSeen && System.nanoTime() - deadline < 0) {
            LockSupport.parkNanos(POLL_NANOS);
        }
        return peers.lastNotified() != lastSeen;
    }

    private boolean watched(long nanos) throws InterruptedException {
        WatchKey key;
        try {
            key = ear == Ear.NONE || watch == null ? null : watch.poll(nanos, TimeUnit.NANOSECONDS);
        } catch (ClosedWatchServiceException e) {
            log.trace("The watch is closed, and so is this", e);
            return false;
        }
        if (ear == Ear.NONE) {
            LockSupport.parkNanos(nanos);
        }
        if (key == null) {
            return false;
        }
        key.pollEvents();
        if (!key.reset() && open) {
            log.warn("{} was deleted: commits of other processes are noticed up to a second late", peers.folder());
            ear = Ear.NONE;
        }
        return true;
    }

    @Override
    public void close() {
        open = false;
        if (watch != null) {
            try {
                watch.close();
            } catch (IOException e) {
                log.debug("Closing the watch of {}", peers.folder(), e);
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
