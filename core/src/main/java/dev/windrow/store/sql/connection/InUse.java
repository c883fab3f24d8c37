package dev.windrow.store.sql.connection;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connection that one piece of work uses, for a thread that stops this work. Whoever uses the connection next is never stopped in its
 * place: a stop and the end of the work exclude each other. Safe for use by many threads.
 *
 * @param <T> the kind of connection
 */
public final class InUse<T> {
    private final Consumer<T> stopper;
    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by lock.
    private @Nullable T connection;
    private boolean stopped;

    /**
     * Nothing is in use yet.
     *
     * @param stopper stops what a connection is doing; called while the work has not ended
     */
    public InUse(Consumer<T> stopper) {
        this.stopper = stopper;
    }

    /** The work begins to use a connection. Returns false if the work was stopped before: then it must not begin. */
    public boolean begin(T connection) {
        lock.lock();
        try {
            if (stopped) {
                return false;
            }
            this.connection = connection;
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** The work uses it no longer: somebody else may, or it may be closed. */
    public void end() {
        lock.lock();
        try {
            connection = null;
        } finally {
            lock.unlock();
        }
    }

    /** Stops the work, now or before it begins. May be called again. */
    public void stop() {
        lock.lock();
        try {
            stopped = true;
            T used = connection;
            if (used != null) {
                stopper.accept(used);
            }
        } finally {
            lock.unlock();
        }
    }
}
