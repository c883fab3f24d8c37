package dev.windrow.store;

import dev.windrow.Durations;
import dev.windrow.TimeSource;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A line of the log that an outage would repeat for each job. It is logged at once when it comes first, then once in {@link #INTERVAL} at most, with
 * how many were left out, and once when it is over. So however many jobs there are, and whether they fail without end or by turns, there are two
 * lines a minute. Where each line says something of its own, several are logged in an interval. Safe for use by many threads; the lines are logged one after the other.
 */
public final class LogThrottle {
    /** Between two lines. */
    public static final Duration INTERVAL = Duration.ofMinutes(1);

    private final TimeSource time;
    private final int lines;
    private final ReentrantLock lock = new ReentrantLock();
    /** Whether it has come since it was over last. Written under lock. */
    private volatile boolean going;
    // Guarded by lock.
    /** The number of lines that were logged since {@link #loggedNanos}. */
    private int said;

    private boolean loggedSinceOver;
    private long loggedNanos;
    private long leftOut;
    private long times;
    private long sinceNanos;

    /** Of one kind of line, which is logged once in an interval. */
    public LogThrottle(TimeSource time) {
        this(time, 1);
    }

    /**
     * Of one kind of line.
     *
     * @param lines how often it is logged in an interval at most
     */
    public LogThrottle(TimeSource time, int lines) {
        this.time = time;
        this.lines = lines;
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
            boolean begins = said == 0 || now - loggedNanos >= INTERVAL.toNanos();
            if (!begins && said >= lines) {
                leftOut++;
                return;
            }
            String more = leftOut == 0
                    ? ""
                    : " (%d more such lines were left out within %s)".formatted(leftOut, since(loggedNanos, now));
            said = begins ? 1 : said + 1;
            loggedSinceOver = true;
            loggedNanos = begins ? now : loggedNanos;
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
            if (loggedSinceOver) {
                loggedSinceOver = false;
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
