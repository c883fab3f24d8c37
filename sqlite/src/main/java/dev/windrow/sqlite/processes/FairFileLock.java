package dev.windrow.sqlite.processes;

import dev.windrow.store.SafeLogger;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Makes the writers of all processes take turns. SQLite gives its write lock to the process that asks at the right moment, and waiting processes ask
 * at growing intervals. One process may get the lock a hundred times as often as another.
 *
 * <p>Two locks on a file of their own. A writer takes the gate, waits there for the main lock, and releases the gate. The kernel wakes the waiting
 * process. The process at the gate is next, even if the process that leaves asks again at once.
 *
 * <p>The locks are for fairness only. SQLite's own lock still guards the database, also against programs that do not use these locks. When a lock
 * cannot be taken, the writer continues without it.
 */
public final class FairFileLock {
    private static final long GATE = 0;
    /** The byte whose lock is the turn. */
    public static final long MAIN = 1;

    private static final Logger log = SafeLogger.of(FairFileLock.class);

    private final FileChannel channel;
    /** The turns of the stores of this process on one file. The kernel's locks belong to the process, so they cannot order these stores. */
    private final ReentrantLock inside = new ReentrantLock(true);
    // Guarded by inside.
    private @Nullable FileLock main;

    FairFileLock(FileChannel channel) {
        this.channel = channel;
    }

    /**
     * Waits for the turn, without a limit. Callers that wait for the writer have the deadlines of the store. A thread that has the turn may enter
     * again.
     */
    public void enter() {
        inside.lock();
        if (inside.getHoldCount() > 1) {
            return;
        }
        try {
            FileLock gate = channel.lock(GATE, 1, false);
            try {
                main = channel.lock(MAIN, 1, false);
            } finally {
                gate.release();
            }
        } catch (IOException | RuntimeException | Error e) {
            // The kernel suspects a deadlock if two processes wait for each other on two files, even if each process
            // uses two threads. Also, a store that is being closed closes the channel.
            log.debug("A turn without the fair file lock", e);
        }
    }

    /**
     * Takes the turn if it is free and no thread waits for it. For any thread: an interrupt does not close the channel, which it does during {@link #enter}.
     *
     * @return false if the turn is not free
     */
    public boolean tryEnter() {
        if (inside.isHeldByCurrentThread() || inside.hasQueuedThreads() || !inside.tryLock()) {
            return false;
        }
        FileLock got = null;
        try {
            got = channel.tryLock(MAIN, 1, false);
            main = got;
        } catch (IOException | RuntimeException e) {
            log.debug("The fair file lock cannot be tried", e);
        } finally {
            if (got == null) {
                inside.unlock();
            }
        }
        return got != null;
    }

    /** Releases the turn to the next writer. Called by the thread that entered, once for each time. */
    public void leave() {
        try {
            if (inside.getHoldCount() == 1) {
                FileLock held = main;
                main = null;
                if (held != null) {
                    held.release();
                }
            }
        } catch (IOException | RuntimeException | Error e) {
            log.debug("The fair file lock was not released", e);
        } finally {
            inside.unlock();
        }
    }
}
