package dev.windrow.postgres;

import dev.windrow.TimeSource;

/**
 * What is stored is by the server's clock, and this process may have another one: what it measured is turned into the
 * server's time on the way in, and what it is to wait for into its own on the way out. With a clock that is driven by hand
 * there is only that one.
 */
final class ServerClock {
    /** Clocks that agree so far are taken as one: below, the way to the server is what is measured. */
    private static final long AGREE_MILLIS = 500;

    private final TimeSource time;
    private final boolean byHand;
    /** What to add to this process's time to get the server's. */
    private volatile long offset;

    ServerClock(TimeSource time) {
        this.time = time;
        this.byHand = !time.equals(TimeSource.system());
    }

    /** The time of a transaction, told what the server's clock says now. */
    long at(long serverMillis) {
        long local = time.now().toEpochMilli();
        if (byHand) {
            return local;
        }
        long difference = serverMillis - local;
        if (Math.abs(difference - offset) > AGREE_MILLIS) {
            offset = Math.abs(difference) > AGREE_MILLIS ? difference : 0;
        }
        return serverMillis;
    }

    /** Whether the server has to be asked for the time. */
    boolean isServers() {
        return !byHand;
    }

    /** The server's time, as far as this process knows it. */
    long now() {
        return time.now().toEpochMilli() + offset;
    }

    long toServer(long localMillis) {
        return localMillis + offset;
    }

    long toLocal(long serverMillis) {
        return serverMillis - offset;
    }
}
