package dev.windrow.store;

import dev.windrow.Durations;
import dev.windrow.TimeSource;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A throttle for a log line that an outage would repeat for each job. The first line is logged at once. Later ones are logged at most once in {@link
 * #INTERVAL}, with the number of suppressed lines. The end of the outage is logged once. So two lines a minute are logged at most, however many jobs
 * there are, and whether they fail constantly or alternately with successes. A throttle for lines with different contents logs several in an
 * interval. Safe for use by many threads; the lines are logged one after the other.
 */
public final class LogThrottle {
    /** The least time between two lines. */
    public static final Duration INTERVAL = Duration.ofMinutes(1);

    private final TimeSource time;
    private final int lines;
    private final ReentrantLock lock = new ReentrantLock();
    /** True from the first line of an outage to its end. Written under lock. */
    private volatile boolean going;
    // All fields below are guarded by lock.
    /** The number of lines that were logged since {@link #loggedNanos}. */
    private int said;

    private boolean loggedSinceOver;
    private long loggedNanos;
    private long leftOut;
    private long times;
    private long sinceNanos;

    /** Creates a throttle for one kind of line, which is logged once in an interval. */
    public LogThrottle(TimeSource time) {
        this(time, 1);
    }

    /**
     * Creates a throttle for one kind of line.
     *
     * @param lines how often it is logged in an interval at most
     */
    public LogThrottle(TimeSource time, int lines) {
        this.time = time;
        this.lines = lines;
    }

    /**
     * Reports the condition: logs the line, or counts it.
     *
     * @param line logs the line with this suffix: an empty text, or the number of suppressed lines
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
     * Reports the end of the condition. Logs it once, if a line was logged since the last end. Costs nothing while the condition does not occur.
     *
     * @param line logs the line with this suffix: how often the condition was reported, and for how long
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
