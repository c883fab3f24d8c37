package dev.windrow.sqlite.processes;

import dev.windrow.store.SafeLogger;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Lets the writers of all processes take turns. SQLite gives its write lock to whoever asks at the right moment, and
 * those who wait ask at growing intervals: one process may be served a hundred times as often as another.
 *
 * <p>Two locks on a file of their own: whoever wants to write takes the gate, waits there for the main lock, and frees the
 * gate. The kernel wakes who waits, and the one at the gate is next whatever the one who leaves does.
 *
 * <p>This is about fairness alone. SQLite's own lock still guards the database, against those who do not come through
 * here as well; when a lock cannot be had, the writer goes on without.
 */
public final class FairFileLock {
    private static final long GATE = 0;
    /** The byte whose lock is the turn. */
    public static final long MAIN = 1;

    private static final Logger log = SafeLogger.of(FairFileLock.class);

    private final FileChannel channel;
    /** The kernel's locks belong to the process: within it, the stores on one file take turns here. */
    private final ReentrantLock inside = new ReentrantLock(true);
    // Guarded by inside.
    private @Nullable FileLock main;

    FairFileLock(FileChannel channel) {
        this.channel = channel;
    }

    /** Waits for the turn, without limit: the store's deadlines end the wait of those who wait for the writer. */
    public void enter() {
        inside.lock();
        try {
            FileLock gate = channel.lock(GATE, 1, false);
            try {
                main = channel.lock(MAIN, 1, false);
            } finally {
                gate.release();
            }
        } catch (IOException | RuntimeException | Error e) {
            // The kernel suspects a deadlock wherever two processes wait for each other on two files, although it is
            // two threads in each; and a store that is being closed closes the channel.
            log.debug("A turn without the fair file lock", e);
        }
    }

    /** Lets the next one in. Called by the thread that entered. */
    public void leave() {
        try {
            FileLock held = main;
            main = null;
            if (held != null) {
                held.release();
            }
        } catch (IOException | RuntimeException | Error e) {
            log.debug("The fair file lock was not released", e);
        } finally {
            inside.unlock();
        }
    }
}
