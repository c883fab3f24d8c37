package dev.windrow.store.sql.connection;

import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The connection that one read or write uses, for a thread that stops this work. A stop never hits the next user of the connection, because a stop
 * and the end of the work exclude each other. Safe for use by many threads.
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
     * Creates an instance without a connection.
     *
     * @param stopper stops the work of a connection; called while the work has not ended
     */
    public InUse(Consumer<T> stopper) {
        this.stopper = stopper;
    }

    /** Begins to use a connection. Returns false if the work was stopped before: then it must not begin. */
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

    /** Ends the use. Then other work may use the connection, or it may be closed. */
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
