package dev.windrow.engine;

import dev.windrow.Durations;
import dev.windrow.InvalidRequestException;
import dev.windrow.engine.worker.Stopping;
import dev.windrow.store.SafeLogger;
import java.time.Duration;
import org.slf4j.Logger;

/**
 * Closes an {@link Engine} when its JVM ends: by a signal, by {@code System.exit}, or by the end of the last thread
 * that is not a daemon.
 *
 * <p>A separate thread does the closing, because the JVM waits for its hooks without a limit. A store that does not
 * respond must not keep the process from ending.
 */
final class Shutdown {
    /** The default drain. It leaves time to hand back jobs within the 30 s that Kubernetes gives a container. */
    static final Duration DRAIN = Duration.ofSeconds(25);

    private static final Duration LONGEST_DRAIN = Duration.ofDays(1);
    /**
     * The time after the drain: for the grace period of interrupted handlers, the last settlements, and the closing of
     * the store.
     */
    private static final Duration MARGIN =
            Stopping.GRACE.plus(Stopping.RECORDING).plusSeconds(3);

    private static final Logger log = SafeLogger.of(Shutdown.class);

    private final Lifecycle lifecycle;
    private final Duration drain;
    private final Thread hook = new Thread(this::run, "windrow-shutdown");

    private Shutdown(Lifecycle lifecycle, Duration drain) {
        this.lifecycle = lifecycle;
        this.drain = drain;
    }

    /** Returns the drain, or throws if it is out of range. */
    static Duration checked(Duration drain) {
        if (drain.isNegative() || drain.compareTo(LONGEST_DRAIN) > 0) {
            throw new InvalidRequestException("drain at shutdown %s is not allowed: 0s to %s"
                    .formatted(Durations.text(drain), Durations.text(LONGEST_DRAIN)));
        }
        return drain;
    }

    /**
     * Registers a hook that closes the engine when the JVM ends.
     *
     * @throws IllegalStateException if the JVM is ending already
     */
    static Shutdown register(Lifecycle lifecycle, Duration drain) {
        Shutdown shutdown = new Shutdown(lifecycle, checked(drain));
        Runtime.getRuntime().addShutdownHook(shutdown.hook);
        return shutdown;
    }

    /** Removes the hook. If the end of the JVM has begun, the hook continues. */
    void remove() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException e) {
            log.debug("The JVM is ending: its hooks stay");
        }
    }

    private void run() {
        Thread closer = new Thread(this::close, "windrow-shutdown-close");
        closer.setDaemon(true);
        try {
            closer.start();
        } catch (OutOfMemoryError e) {
            // The system creates no more threads. Closing on this thread is better than not closing.
            close();
            return;
        }
        try {
            closer.join(drain.plus(MARGIN).toMillis());
        } catch (InterruptedException e) {
            // Another hook interrupts this thread if it must end sooner.
            Thread.currentThread().interrupt();
        }
        if (closer.isAlive()) {
            log.error(
                    "Windrow on {} is not closed after {}; the JVM ends anyway, and the jobs that still run are"
                            + " reclaimed as crashed when their leases run out. Run 'windrow doctor'",
                    lifecycle.location(),
                    Durations.text(drain.plus(MARGIN)));
        }
    }

    private void close() {
        try {
            log.info(
                    "The JVM ends: workers on {} have at most {} to end their jobs, then hand them back",
                    lifecycle.location(),
                    Durations.text(drain));
            lifecycle.shutDown(drain);
        } catch (Throwable e) {
            log.error(
                    "Windrow on {} could not be closed at the end of the JVM; the jobs that still run are reclaimed as"
                            + " crashed when their leases run out",
                    lifecycle.location(),
                    e);
        }
    }
}
