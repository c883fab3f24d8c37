package dev.windrow.store.sql.monitor;

import dev.windrow.TimeSource;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The time that an examination may take, and who may use how much of it. What takes a moment has no limit of its own; what reads everything
 * gets an equal share of what is left, so that what one does not need goes to those behind it. Measured by the time source of the request.
 * Not safe for use by more than one thread at a time.
 */
public final class CheckBudget {
    private static final long UNLIMITED = Long.MAX_VALUE;

    private final TimeSource time;
    private final long startNanos;
    /** All there is; {@link #UNLIMITED} if that is as much as anybody needs. */
    private final long totalNanos;

    private long leftNanos;
    private long partStartNanos;
    private long partNanos = UNLIMITED;
    private long stepStartNanos;
    private long stepNanos = UNLIMITED;

    /**
     * From now on.
     *
     * @param budget what there is; null: there is no limit
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

    /** Ends what was begun before. What begins now takes the time that it needs, and those behind it have less. */
    public void begin() {
        begin(UNLIMITED);
    }

    /** Ends what was begun before. What begins now is one of so many that share what is left. */
    public void beginShare(int sharers) {
        end();
        begin(isLimited() ? leftNanos / sharers : UNLIMITED);
    }

    private void begin(long nanos) {
        end();
        partNanos = nanos;
    }

    /** Nothing is under way. */
    public void end() {
        endStep();
        long now = time.nanoTime();
        if (isLimited()) {
            leftNanos = Math.max(0, leftNanos - (now - partStartNanos));
        }
        partStartNanos = now;
        partNanos = UNLIMITED;
    }

    /** What comes now is a step of what was begun, and has at most this part of the whole time, whatever its share is: such as a tenth. */
    public void beginStep(int part) {
        stepStartNanos = time.nanoTime();
        stepNanos = isLimited() ? totalNanos / part : UNLIMITED;
    }

    /** The step is over. */
    public void endStep() {
        stepNanos = UNLIMITED;
    }

    /** True if the check that runs has used up its time. */
    public boolean isOver() {
        return leftNanos() <= 0;
    }

    /** The time that is left to the check that runs, in milliseconds, rounded up: at least 1 unless it is over. */
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

    /** The time since the examination began. */
    public Duration spent() {
        return Duration.ofNanos(time.nanoTime() - startNanos);
    }

    /** The text of a check that was stopped, or not begun because there was no time for it. */
    public String unfinished(boolean begun) {
        return (begun
                        ? "not finished: stopped after %d ms"
                                .formatted(TimeUnit.NANOSECONDS.toMillis(Math.max(0, time.nanoTime() - partStartNanos)))
                        : "not begun: no time was left for it")
                + "; 'windrow doctor --full' takes the time that it needs";
    }
}
