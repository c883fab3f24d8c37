package dev.windrow.store.job;

import dev.windrow.JobHistory;
import dev.windrow.LogLevel;
import dev.windrow.store.Command;
import dev.windrow.store.Weight;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Records a report of a running attempt. Returns false when the holder has lost the job, and nothing was written. All contents are optional. A report
 * that the same thread submits before the attempt is settled is durable with the settlement at the latest. The store keeps the last progress and the
 * last {@link JobHistory#MAX_LOG_LINES} lines of each job.
 *
 * @param leaseToken the job and token
 * @param worker the worker's name
 * @param progress the progress that the attempt reports, or null
 * @param lines the lines that it has logged, in order
 * @param stuck where its handler is, if it ignores its interrupt; else null
 */
public record Report(
        LeaseToken leaseToken,
        String worker,
        @Nullable Progress progress,
        List<Line> lines,
        @Nullable Stuck stuck) implements Command<Boolean> {
    /** Copies the list. */
    public Report {
        lines = List.copyOf(lines);
    }

    /**
     * The progress that an attempt reports.
     *
     * @param atMillis when it was reported, in epoch milliseconds
     * @param fraction 0 to 1, or null when it is not known
     * @param message a message, or null
     * @param heartbeat true if the event log gets a heartbeat event for it, which happens rarely
     */
    public record Progress(
            long atMillis,
            @Nullable Double fraction,
            @Nullable String message,
            boolean heartbeat) {}

    /**
     * A line that a handler has logged.
     *
     * @param atMillis when, in epoch milliseconds
     * @param level the severity
     * @param message one line of text
     */
    public record Line(long atMillis, LogLevel level, String message) {}

    /**
     * A handler that has ignored its interrupt.
     *
     * @param atMillis when the worker gave up the wait for it, in epoch milliseconds
     * @param slot the slot that it keeps
     * @param frame the top frame of its stack
     */
    public record Stuck(long atMillis, String slot, String frame) {}

    @Override
    public Phase phase() {
        return Phase.REPORT;
    }

    @Override
    public String what() {
        return "recording what job " + leaseToken.id() + " reports";
    }

    @Override
    public int weight() {
        return Weight.of(this);
    }

    @Override
    public Long attemptOf() {
        return leaseToken.id();
    }

    @Override
    public String actor() {
        return worker;
    }
}
