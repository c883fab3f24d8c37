package dev.windrow.store;

import dev.windrow.Durations;
import dev.windrow.TimeSource;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A line of the log that an outage would repeat for each job. It is logged at once when it comes first, then once in {@link #INTERVAL} at most, with
 * how many were left out, and once when it is over. So however many jobs there are, and whether they fail without end or by turns, there are two
 * lines a minute. Safe for use by many threads; the lines are logged one after the other.
 */
public final class Repeats {
    /** Between two lines. */
    public static final Duration INTERVAL = Duration.ofMinutes(1);

    private final TimeSource time;
    private final ReentrantLock lock = new ReentrantLock();
    /** Whether it has come since it was over last. Written under lock. */
    private volatile boolean going;
    // Guarded by lock.
    private boolean said;
    private boolean saidSinceOver;
    private long saidNanos;
    private long leftOut;
    private long times;
    private long sinceNanos;

    /** Of one kind of line. */
    public Repeats(TimeSource time) {
        this.time = time;
    }

    /**
     * It has come: logs it, or counts it.
     *
     * @param line logs it, and this behind it: an empty text, or how many were left out
     */
    public void tell(Consumer<String> line) {
        lock.lock();
        try {
            long now = time.nanoTime();
            if (!going) {
                going = true;
                times = 0;
                sinceNanos = now;
            }
            times++;
            if (said && now - saidNanos < INTERVAL.toNanos()) {
                leftOut++;
                return;
            }
            String more = leftOut == 0
                    ? ""
                    : " (%d more such lines were left out within %s)".formatted(leftOut, since(saidNanos, now));
            said = true;
            saidSinceOver = true;
            saidNanos = now;
            leftOut = 0;
            line.accept(more);
        } finally {
            lock.unlock();
        }
    }

    /**
     * It is over: logs that once, if it had come and was logged. Costs nothing while all is well.
     *
     * @param line logs it, and this behind it: how often it had come, and for how long
     */
    public void over(Consumer<String> line) {
        if (!going) {
            return;
        }
        lock.lock();
        try {
            if (!going) {
                return;
            }
            going = false;
            if (saidSinceOver) {
                saidSinceOver = false;
                leftOut = 0;
                line.accept("%d %s in %s"
                        .formatted(times, times == 1 ? "time" : "times", since(sinceNanos, time.nanoTime())));
            }
        } finally {
            lock.unlock();
        }
    }

    private static String since(long then, long now) {
        Duration passed = Duration.ofNanos(now - then);
        return Durations.text(
                passed.toSeconds() > 0 ? Duration.ofSeconds(passed.toSeconds()) : Duration.ofMillis(passed.toMillis()));
    }
}
