package dev.windrow.engine;

import dev.windrow.TimeSource;
import dev.windrow.WindrowEvent;
import dev.windrow.WindrowListener;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Tells listeners what happens, in order, on one thread of its own: events come from the store's thread, which must not
 * wait for anybody. When the listeners fall behind by {@link #BACKLOG} events, further ones are dropped and counted.
 */
final class Listeners {
    static final int BACKLOG = 100_000;

    private static final Logger log = LoggerFactory.getLogger(Listeners.class);

    private final List<WindrowListener> listeners;
    private final ConcurrentLinkedQueue<WindrowEvent> queue = new ConcurrentLinkedQueue<>();
    private final AtomicInteger queued = new AtomicInteger();
    private final AtomicLong dropped = new AtomicLong();
    private final @Nullable Loop loop;

    Listeners(List<WindrowListener> listeners, TimeSource time) {
        this.listeners = List.copyOf(listeners);
        this.loop = listeners.isEmpty() ? null : new Loop("windrow-events", time, this::round).start();
    }

    /** Tells an event, which is made only if somebody listens. Never blocks. */
    void tell(Supplier<WindrowEvent> event) {
        if (loop == null) {
            return;
        }
        if (queued.get() >= BACKLOG) {
            dropped.incrementAndGet();
            return;
        }
        queued.incrementAndGet();
        queue.add(event.get());
        loop.signal();
    }

    private long round() {
        drain();
        long lost = dropped.getAndSet(0);
        if (lost > 0) {
            log.warn("{} events were dropped: the listeners are slower than the work", lost);
        }
        return Loop.UNTIL_SIGNALLED;
    }

    private void drain() {
        WindrowEvent event;
        while ((event = queue.poll()) != null) {
            queued.decrementAndGet();
            for (WindrowListener listener : listeners) {
                try {
                    listener.on(event);
                } catch (Throwable e) {
                    log.warn("A listener failed on {}", event, e);
                }
            }
        }
    }

    /** Tells what is queued and ends. Events told later are lost. */
    void close() {
        if (loop != null && loop.stopAndJoin(Duration.ofSeconds(5))) {
            drain();
        }
    }
}
