package dev.windrow.store.sql.monitor;

import dev.windrow.TimeSource;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time that an examination may take, and its division among the checks. A check that takes a moment has no limit of its own. A check that reads
 * everything gets an equal share of the time that is left. So time that one check does not need goes to the later ones. Measured by the time source
 * of the request. Not safe for use by more than one thread at a time.
 */
public final class CheckBudget {
    private static final long UNLIMITED = Long.MAX_VALUE;

    private final TimeSource time;
    private final long startNanos;
    /** The whole time; {@link #UNLIMITED} if it is longer than any examination takes. */
    private final long totalNanos;

    private long leftNanos;
    private long partStartNanos;
    private long partNanos = UNLIMITED;
    private long stepStartNanos;
    private long stepNanos = UNLIMITED;

    /**
     * Begins the time now.
     *
     * @param budget the whole time; null for no limit
     */
    public CheckBudget(TimeSource time, @Nullable Duration budget) {
        this.time = time;
        this.startNanos = time.nanoTime();
        this.partStartNanos = startNanos;
        this.totalNanos = budget == null ? UNLIMITED : nanos(budget);
        this.leftNanos = totalNanos;
    }

    private static long nanos(Duration budget) {
        return budget.compareTo(Duration.ofDays(365)) > 0 ? UNLIMITED : budget.toNanos();
    }

    /** True if there is a limit. */
    public boolean isLimited() {
        return totalNanos != UNLIMITED;
    }

    /** Ends the check before. The check that begins now takes the time that it needs, and later ones have less. */
    public void begin() {
        begin(UNLIMITED);
    }

    /** Ends the check before. The check that begins now is one of this many that share the time that is left. */
    public void beginShare(int sharers) {
        end();
        begin(isLimited() ? leftNanos / sharers : UNLIMITED);
    }

    private void begin(long nanos) {
        end();
        partNanos = nanos;
    }

    /** Ends the check before; none begins. */
    public void end() {
        endStep();
        long now = time.nanoTime();
        if (isLimited()) {
            leftNanos = Math.max(0, leftNanos - (now - partStartNanos));
        }
        partStartNanos = now;
        partNanos = UNLIMITED;
    }

    /**
     * Begins a step of the present check. The step has at most this fraction of the whole time, for example a tenth for 10, in addition to the limit
     * of the check.
     */
    public void beginStep(int part) {
        stepStartNanos = time.nanoTime();
        stepNanos = isLimited() ? totalNanos / part : UNLIMITED;
    }

    /** Ends the step. */
    public void endStep() {
        stepNanos = UNLIMITED;
    }

    /** True if the present check has used up its time. */
    public boolean isOver() {
        return leftNanos() <= 0;
    }

    /** Returns the time that is left to the present check, in milliseconds, rounded up: at least 1 unless it has ended. */
    public long leftMillis() {
        long nanos = leftNanos();
        return nanos == UNLIMITED
                ? UNLIMITED
                : nanos <= 0 ? 0 : TimeUnit.NANOSECONDS.toMillis(nanos + TimeUnit.MILLISECONDS.toNanos(1) - 1);
    }

    private long leftNanos() {
        if (partNanos == UNLIMITED && stepNanos == UNLIMITED) {
            return UNLIMITED;
        }
        long now = time.nanoTime();
        long ofPart = partNanos == UNLIMITED ? UNLIMITED : partNanos - (now - partStartNanos);
        return stepNanos == UNLIMITED ? ofPart : Math.min(ofPart, stepNanos - (now - stepStartNanos));
    }

    /** Returns the time since the examination began. */
    public Duration spent() {
        return Duration.ofNanos(time.nanoTime() - startNanos);
    }

    /** Returns the text for a check that was stopped, or not begun because no time was left. */
    public String unfinished(boolean begun) {
        return (begun
                        ? "not finished: stopped after %d ms"
                                .formatted(TimeUnit.NANOSECONDS.toMillis(Math.max(0, time.nanoTime() - partStartNanos)))
                        : "not begun: no time was left for it")
                + "; 'windrow doctor --full' has no time limit";
    }
}
