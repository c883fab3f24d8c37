package dev.windrow.postgres.connection;

import dev.windrow.TimeSource;
import java.util.concurrent.TimeUnit;

/**
 * What is stored is by the server's clock, and this process may have another one: what it measured is turned into the
 * server's time on the way in, and what it is to wait for into its own on the way out. With a clock that is driven by hand
 * there is only that one.
 */
public final class ServerClock {
    /** Clocks that agree so far are taken as one: below, the way to the server is what is measured. */
    private static final long AGREE_MILLIS = 500;

    private final TimeSource time;
    private final boolean byHand;
    /** What to add to this process's time to get the server's. */
    private volatile long offset;

    public ServerClock(TimeSource time) {
        this(time, !time.equals(TimeSource.system()));
    }

    public ServerClock(TimeSource time, boolean byHand) {
        this.time = time;
        this.byHand = byHand;
    }

    /**
     * The moment right before the server is asked for its time, by both clocks of this process: the monotonic one may stand still while the machine is
     * suspended, and the other one may step.
     */
    public record Asked(long millis, long nanos) {}

    /** Right before the server is asked for its time. */
    public Asked ask() {
        return new Asked(time.now().toEpochMilli(), time.nanoTime());
    }

    /**
     * The time of a transaction, told what the server's clock has said since it was asked. The server may have said so at any moment in between, however long this process
     * was paused before it got to look at the answer: the clocks differ only by what that does not explain.
     */
    public long at(long serverMillis, Asked asked) {
        long local = time.now().toEpochMilli();
        if (byHand) {
            return local;
        }
        long passed = Math.max(local - asked.millis, TimeUnit.NANOSECONDS.toMillis(time.nanoTime() - asked.nanos));
        long least = serverMillis - local;
        long max = least + Math.max(0, passed);
        if (!agrees(offset, least, max)) {
            offset = agrees(0, least, max) ? 0 : least + (max - least) / 2;
        }
        return serverMillis;
    }

    private static boolean agrees(long difference, long least, long max) {
        return difference >= least - AGREE_MILLIS && difference <= max + AGREE_MILLIS;
    }

    /** Whether the server has to be asked for the time. */
    public boolean isServers() {
        return !byHand;
    }

    /** The server's time, as far as this process knows it. */
    public long now() {
        return time.now().toEpochMilli() + offset;
    }

    public long toServer(long localMillis) {
        return localMillis + offset;
    }

    public long toLocal(long serverMillis) {
        return serverMillis - offset;
    }
}
