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
 * Tells listeners what happens and logs failed attempts, in order, on one thread of its own: both come from the store's thread, which must
 * wait neither for a listener nor for a console. When that thread falls behind by {@link #BACKLOG} events, further ones are dropped and counted.
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
    // Written under lock; null until there is a listener or a line.
    private volatile @Nullable Loop loop;
    // Written under lock.
    private volatile boolean closed;

    public Listeners(List<WindrowListener> listeners, TimeSource time) {
        this.listeners = new CopyOnWriteArrayList<>();
        this.time = time;
        this.failures = new LogThrottle(time);
        listeners.forEach(this::add);
    }

    /** Tells this one as well from now on. */
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

    /** The loop, started if it is not yet. The caller holds the lock. */
    private Loop loop() {
        Loop there = loop;
        if (there == null) {
            there = new Loop("windrow-events", time, this::round).start();
            loop = there;
        }
        return there;
    }

    /** Tells this one nothing more. The thread stays for the next one. */
    void remove(WindrowListener listener) {
        listeners.remove(listener);
    }

    /** Tells an event, which is made only if somebody listens. Never blocks. */
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

    /** Logs a line behind the events that were told before. Never blocks; after the close it is logged on this thread. */
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
                    "{} events were dropped: the listeners, or the log, are slower than the work; make them quicker, what listeners count is too low",
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
                failures.tell(more ->
                        log.warn("A listener failed on {}; it is told the next event all the same{}", event, more, e));
            }
        }
    }

    /** Tells and logs what is queued, and ends. Events told later are lost. */
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
