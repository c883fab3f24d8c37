package dev.windrow.engine.worker;

import dev.windrow.LogLevel;
import dev.windrow.store.job.Report;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The reports of one attempt that are not sent yet: the last progress, and the last lines of its log. Handlers add to
 * it, and wait only for the few instructions of another thread.
 */
final class UnsentReports {
    /**
     * The most unsent lines. With the line that counts the dropped ones, they are as many as the store keeps for a job.
     */
    static final int MAX_LINES = 199;

    private static final long HEARTBEAT_NANOS = 60_000_000_000L;

    /** Held by the thread that takes and sends, so that reports are sent in the order in which they are taken. */
    final ReentrantLock sending = new ReentrantLock();

    private final Attempt attempt;
    private final String worker;

    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by lock.
    private final ArrayDeque<Report.Line> lines = new ArrayDeque<>();
    private int dropped;
    private long droppedAtMillis;
    private @Nullable Double fraction;
    private @Nullable String message;
    private long progressAtMillis;
    private boolean progressed;
    private Report.@Nullable Stuck stuck;
    private boolean beaten;
    private long beatNanos;
    private boolean closed;

    private volatile boolean waiting;
    private volatile long sentNanos;

    /** The reports that were taken, to be put back if they could not be sent. */
    record Taken(Report report, int dropped) {}

    UnsentReports(Attempt attempt, String worker) {
        this.attempt = attempt;
        this.worker = worker;
        this.sentNanos = attempt.startNanos();
    }

    /** True if a report waits to be sent. */
    boolean isWaiting() {
        return waiting;
    }

    /** Returns the time of the last send; before the first one, the time when the attempt began. */
    long sentNanos() {
        return sentNanos;
    }

    /** Stores a line; true if nothing waited before. */
    boolean log(long atMillis, LogLevel level, String text) {
        lock.lock();
        try {
            lines.add(new Report.Line(atMillis, level, text));
            trim();
            return begins();
        } finally {
            lock.unlock();
        }
    }

    /** Stores the attempt's progress; a value that is not given stays unchanged. True if nothing waited before. */
    boolean progress(long atMillis, @Nullable Double newFraction, boolean withMessage, @Nullable String newMessage) {
        lock.lock();
        try {
            if (newFraction != null) {
                fraction = newFraction;
            }
            if (withMessage) {
                message = newMessage;
            }
            progressAtMillis = atMillis;
            progressed = true;
            return begins();
        } finally {
            lock.unlock();
        }
    }

    /** Stores that the slot of the attempt was given up. */
    void stuck(Report.Stuck where) {
        lock.lock();
        try {
            stuck = where;
            waiting = !closed;
        } finally {
            lock.unlock();
        }
    }

    private boolean begins() {
        boolean first = !waiting && !closed;
        waiting = !closed;
        return first;
    }

    private void trim() {
        while (lines.size() > MAX_LINES) {
            droppedAtMillis = lines.remove().atMillis();
            dropped++;
        }
    }

    /** Takes the waiting reports, to be sent now; null if none waits. The caller holds {@link #sending}. */
    @Nullable Taken take(long nowNanos) {
        lock.lock();
        try {
            if (!waiting) {
                return null;
            }
            waiting = false;
            sentNanos = nowNanos;
            List<Report.Line> out = new ArrayList<>(lines.size() + 1);
            if (dropped > 0) {
                String text = "%d earlier lines were dropped: the handler logs faster than lines are stored"
                        .formatted(dropped);
                out.add(new Report.Line(droppedAtMillis, LogLevel.WARN, text));
            }
            out.addAll(lines);
            Taken taken = new Taken(
                    new Report(attempt.leaseToken(), worker, progressed ? progress(nowNanos) : null, out, stuck),
                    dropped);
            lines.clear();
            dropped = 0;
            progressed = false;
            stuck = null;
            return taken;
        } finally {
            lock.unlock();
        }
    }

    private Report.Progress progress(long nowNanos) {
        boolean beat = !beaten || nowNanos - beatNanos >= HEARTBEAT_NANOS;
        if (beat) {
            beaten = true;
            beatNanos = nowNanos;
        }
        return new Report.Progress(progressAtMillis, fraction, message, beat);
    }

    /** Puts back reports that were not written; they wait again, before newer ones. */
    void putBack(Taken taken) {
        Report report = taken.report();
        lock.lock();
        try {
            if (closed) {
                return;
            }
            List<Report.Line> older = report.lines()
                    .subList(taken.dropped() > 0 ? 1 : 0, report.lines().size());
            for (int i = older.size() - 1; i >= 0; i--) {
                lines.addFirst(older.get(i));
            }
            if (taken.dropped() > 0) {
                dropped += taken.dropped();
                droppedAtMillis =
                        Math.max(droppedAtMillis, report.lines().get(0).atMillis());
            }
            trim();
            Report.Progress said = report.progress();
            progressed |= said != null;
            beaten &= said == null || !said.heartbeat();
            stuck = stuck == null ? report.stuck() : stuck;
            waiting = true;
        } finally {
            lock.unlock();
        }
    }

    /** Stops reporting, because the job is lost. */
    void close() {
        lock.lock();
        try {
            closed = true;
            waiting = false;
            lines.clear();
        } finally {
            lock.unlock();
        }
    }
}
