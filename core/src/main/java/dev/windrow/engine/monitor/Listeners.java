package dev.windrow.engine.monitor;

import dev.windrow.TimeSource;
import dev.windrow.engine.Loop;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.monitor.WindrowListener;
import dev.windrow.store.LogThrottle;
import dev.windrow.store.SafeLogger;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Notifies listeners of events and logs failed attempts, in order, on a separate thread. Both come from the store's
 * thread, which must wait neither for a listener nor for a console. If the separate thread is {@link #BACKLOG} events
 * late, further events are dropped and counted.
 */
public final class Listeners {
    static final int BACKLOG = 100_000;

    private static final Logger log = SafeLogger.of(Listeners.class);

    private final List<WindrowListener> listeners;
    private final TimeSource time;
    private final LogThrottle failures;
    private final ConcurrentLinkedQueue<Runnable> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicLong dropped = new AtomicLong();
    private final ReentrantLock lock = new ReentrantLock();
    // Written under the lock; null until the first listener or line.
    private volatile @Nullable Loop loop;
    // Written under the lock.
    private volatile boolean closed;

    public Listeners(List<WindrowListener> listeners, TimeSource time) {
        this.listeners = new CopyOnWriteArrayList<>();
        this.time = time;
        this.failures = new LogThrottle(time);
        listeners.forEach(this::add);
    }

    /** Adds a listener. */
    void add(WindrowListener listener) {
        lock.lock();
        try {
            if (!closed && !listeners.contains(listener)) {
                listeners.add(listener);
                loop();
            }
        } finally {
            lock.unlock();
        }
    }

    /** Returns the loop, started if it does not run yet. The caller holds the lock. */
    private Loop loop() {
        Loop there = loop;
        if (there == null) {
            there = new Loop("windrow-events", time, this::round).start();
            loop = there;
        }
        return there;
    }

    /** Removes a listener. The thread remains for the next one. */
    void remove(WindrowListener listener) {
        listeners.remove(listener);
    }

    /** Sends an event to the listeners. The event is created only if a listener exists. Never blocks. */
    public void tell(Supplier<WindrowEvent> event) {
        Loop there = loop;
        if (there == null || listeners.isEmpty()) {
            return;
        }
        if (queued.get() >= BACKLOG) {
            dropped.incrementAndGet();
            return;
        }
        WindrowEvent told = event.get();
        add(there, () -> LogContext.about(told, () -> tellAll(told)));
    }

    /** Logs a line after the events that were sent before. Never blocks; after the close it logs on this thread. */
    void log(Runnable line) {
        if (queued.get() >= BACKLOG) {
            dropped.incrementAndGet();
            return;
        }
        Loop there = loop;
        if (there == null || closed) {
            lock.lock();
            try {
                there = closed ? null : loop();
            } finally {
                lock.unlock();
            }
        }
        if (there == null) {
            line.run();
        } else {
            add(there, line);
        }
    }

    private void add(Loop to, Runnable action) {
        queued.incrementAndGet();
        queue.add(action);
        to.signal();
    }

    private long round() {
        drain();
        long lost = dropped.getAndSet(0);
        if (lost > 0) {
            log.warn(
                    "{} events were dropped: the listeners, or the log, are slower than the work. Counts of listeners are too low: make the listeners faster",
                    lost);
        }
        return Loop.UNTIL_SIGNALLED;
    }

    private void drain() {
        Runnable action;
        while ((action = queue.poll()) != null) {
            queued.decrementAndGet();
            action.run();
        }
    }

    private void tellAll(WindrowEvent event) {
        for (WindrowListener listener : listeners) {
            try {
                listener.on(event);
            } catch (Throwable e) {
                failures.tell(
                        more -> log.warn("A listener failed on {}; it still gets the next event{}", event, more, e));
            }
        }
    }

    /** Sends and logs the queued events and lines, and ends. Later events are lost. */
    public void close() {
        Loop there;
        lock.lock();
        try {
            closed = true;
            there = loop;
        } finally {
            lock.unlock();
        }
        if (there != null && there.stopAndJoin(Duration.ofSeconds(5))) {
            drain();
        }
    }
}
