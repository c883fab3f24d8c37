package dev.windrow.engine;

import dev.windrow.InvalidRequestException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.engine.monitor.Listeners;
import dev.windrow.engine.retention.DeadLetterRetries;
import dev.windrow.engine.worker.WorkerGroup;
import dev.windrow.store.OpenStore;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Closes an {@link Engine}, at the caller's request or when the JVM ends. */
final class Lifecycle {
    private final OpenStore store;
    private final WorkerGroup workers;
    private final List<DeadLetterRetries> deadLetterRetries;
    private final Listeners listeners;
    private final Callbacks callbacks;

    private final ReentrantLock closing = new ReentrantLock();
    // Guarded by closing.
    private boolean closed;

    /** Guards the state of the shutdown hook. Closing may take long, and does not hold this lock. */
    private final ReentrantLock atShutdown = new ReentrantLock();
    // Guarded by atShutdown.
    private @Nullable Shutdown shutdown;
    // Guarded by atShutdown.
    private boolean ended;

    Lifecycle(
            OpenStore store,
            WorkerGroup workers,
            List<DeadLetterRetries> deadLetterRetries,
            Listeners listeners,
            Callbacks callbacks) {
        this.store = store;
        this.workers = workers;
        this.deadLetterRetries = deadLetterRetries;
        this.listeners = listeners;
        this.callbacks = callbacks;
    }

    String location() {
        return store.location();
    }

    void closeOnShutdown(Duration drain) {
        Shutdown.checked(drain);
        boolean ending = false;
        atShutdown.lock();
        try {
            if (ended) {
                throw new StoreUnavailableException("closing at shutdown is not possible: this Windrow is closed");
            }
            Shutdown before = shutdown;
            shutdown = Shutdown.register(this, drain);
            if (before != null) {
                before.remove();
            }
        } catch (IllegalStateException e) {
            ending = true;
        } finally {
            atShutdown.unlock();
        }
        if (ending) {
            close();
            throw new StoreUnavailableException("the JVM is ending: this Windrow was closed");
        }
    }

    /** Closes within this drain, even if another thread is closing with a longer one. */
    void shutDown(Duration drain) {
        try {
            workers.shutDown(drain);
        } finally {
            close();
        }
    }

    void close() {
        if (store.isInTransaction()) {
            throw new InvalidRequestException(
                    "closing is not possible inside inTransaction: do it after the transaction");
        }
        closing.lock();
        try {
            if (closed) {
                return;
            }
            closed = true;
            deadLetterRetries.forEach(DeadLetterRetries::close);
            workers.close();
            store.close();
            listeners.close();
            callbacks.close();
        } finally {
            // This comes last, so that a JVM that ends at the same time waits until the closing is complete.
            endShutdown();
            closing.unlock();
        }
    }

    private void endShutdown() {
        atShutdown.lock();
        try {
            ended = true;
            if (shutdown != null) {
                shutdown.remove();
                shutdown = null;
            }
        } finally {
            atShutdown.unlock();
        }
    }
}
