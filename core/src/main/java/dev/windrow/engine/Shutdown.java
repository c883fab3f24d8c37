package dev.windrow.engine;

import dev.windrow.Durations;
import dev.windrow.InvalidRequestException;
import dev.windrow.engine.worker.Stopping;
import dev.windrow.store.SafeLogger;
import java.time.Duration;
import org.slf4j.Logger;

/**
 * Closes an {@link Engine} when its JVM ends: by a signal, {@code System.exit}, or the end of the last thread that is no daemon.
 *
 * <p>The closing runs on a thread of its own, because the JVM waits for its hooks without end: a store that does not answer must not
 * keep the process from ending.
 */
final class Shutdown {
    /** Leaves time to hand back within the 30 s that Kubernetes gives a container. */
    static final Duration DRAIN = Duration.ofSeconds(25);

    private static final Duration LONGEST_DRAIN = Duration.ofDays(1);
    /** Beyond the drain: the grace of interrupted handlers, the last settlements, and the store's end. */
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

    /** Refuses a drain that is out of range. */
    static Duration checked(Duration drain) {
        if (drain.isNegative() || drain.compareTo(LONGEST_DRAIN) > 0) {
            throw new InvalidRequestException("drain at shutdown %s is not allowed: 0s to %s"
                    .formatted(Durations.text(drain), Durations.text(LONGEST_DRAIN)));
        }
        return drain;
    }

    /**
     * Closes it when the JVM ends.
     *
     * @throws IllegalStateException if the JVM is ending already
     */
    static Shutdown register(Lifecycle lifecycle, Duration drain) {
        Shutdown shutdown = new Shutdown(lifecycle, checked(drain));
        Runtime.getRuntime().addShutdownHook(shutdown.hook);
        return shutdown;
    }

    /** Does nothing more at the end of the JVM; if that has begun, the hook goes on. */
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
            // The system gives no thread: closing here is better than not at all.
            close();
            return;
        }
        try {
            closer.join(drain.plus(MARGIN).toMillis());
        } catch (InterruptedException e) {
            // Another hook has a reason to hurry.
            Thread.currentThread().interrupt();
        }
        if (closer.isAlive()) {
            log.error(
                    "Windrow on {} is not closed after {}; the JVM ends all the same, and the jobs that still run are"
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
