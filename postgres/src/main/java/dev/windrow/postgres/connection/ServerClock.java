package dev.windrow.postgres.connection;

import dev.windrow.TimeSource;
import java.util.concurrent.TimeUnit;

/**
 * The clock of the server. Stored times are by this clock, and this process may have another one. Times that the process has measured are converted
 * into server time when they are written. Times to wait for are converted into its own time when they are read. With a manual clock, that clock is
 * the only one.
 */
public final class ServerClock {
    /** The difference up to which clocks are taken as equal. Below it, the difference measures mostly the way to the server. */
    private static final long AGREE_MILLIS = 500;

    private final TimeSource time;
    private final boolean byHand;
    /** The server's time minus this process's time. */
    private volatile long offset;

    public ServerClock(TimeSource time) {
        this(time, !time.equals(TimeSource.system()));
    }

    public ServerClock(TimeSource time, boolean byHand) {
        this.time = time;
        this.byHand = byHand;
    }

    /**
     * The moment right before a query of the server's time, by both clocks of this process. The monotonic clock may stop while the machine is
     * suspended, and the wall clock may step.
     */
    public record Asked(long millis, long nanos) {}

    /** Returns the moment right before a query of the server's time. */
    public Asked ask() {
        return new Asked(time.now().toEpochMilli(), time.nanoTime());
    }

    /**
     * Returns the time of a transaction, given the server's time since the query. The server may have read its clock at any moment in between, even
     * if this process was paused before it read the answer. The offset changes only by the part that this does not explain.
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

    /** True if the server must be asked for the time. */
    public boolean isServers() {
        return !byHand;
    }

    /** Returns the server's time, as far as this process knows it. */
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
