package dev.windrow.store.job;

import dev.windrow.Dedupe;
import dev.windrow.JobState;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The holder of a dedupe key, as a store has read it, and its effect on a new job with the same key. This is a pure function, the same in every
 * store.
 *
 * @param job the job that the key names
 * @param scope how long it holds the key
 * @param expiresAtMillis the end of its window in epoch milliseconds, or null
 * @param state its state; null when it has been deleted
 * @param parked true if it is in the middle of an attempt, and waits for an event
 * @param scheduledAtMillis when it was or is due
 * @param claimedAtMillis when it was claimed last, or null when it never was
 * @param continues true if it continues a chain that already held the key; its work follows from the work before, so that no enqueue may change it
 */
public record KeyHolder(
        long job,
        Dedupe.Scope scope,
        @Nullable Long expiresAtMillis,
        @Nullable JobState state,
        boolean parked,
        long scheduledAtMillis,
        @Nullable Long claimedAtMillis,
        boolean continues) {
    /** The effect on a new job that has the key. */
    public enum Verdict {
        /** The new job gets the key, and is written. */
        TAKE,
        /** Nothing is written: the holder takes the place of the new job. */
        KEEP,
        /** The holder takes over the work of the new job. */
        CHANGE
    }

    /** True if the key is still held at this time. */
    public boolean isLive(long nowMillis) {
        return expiresAtMillis == null || expiresAtMillis > nowMillis;
    }

    private boolean waits() {
        return state != null && !state.isFinished() && state != JobState.RUNNING && !parked;
    }

    private boolean canChange() {
        return waits() && !continues;
    }

    /** Returns the effect on a new job that has the key, at this time. */
    public Verdict verdict(Dedupe wanted, long nowMillis) {
        return switch (wanted.strategy()) {
            case KEEP -> isLive(nowMillis) ? Verdict.KEEP : Verdict.TAKE;
            case REPLACE, DEBOUNCE -> !isLive(nowMillis) ? Verdict.TAKE : canChange() ? Verdict.CHANGE : Verdict.KEEP;
            // The end of the window does not matter while its job has not started: the job takes the place of all later
            // ones.
            case THROTTLE -> waits() || scope != Dedupe.Scope.WINDOW ? Verdict.KEEP : Verdict.TAKE;
        };
    }

    /** Returns the state to report for the holder. A deleted holder is reported as {@code COMPLETED}, because only ended jobs are ever deleted. */
    public JobState reportedState() {
        return state == null ? JobState.COMPLETED : state;
    }

    /**
     * Returns when a job that takes the key may start, by its strategy; null when its own time decides.
     *
     * @param holder the former holder of the key, or null
     */
    public static @Nullable Long dueMillis(Dedupe wanted, @Nullable KeyHolder holder, long nowMillis) {
        return switch (wanted.strategy()) {
            case KEEP, REPLACE -> null;
            case DEBOUNCE -> Math.addExact(nowMillis, periodMillis(wanted));
            case THROTTLE -> holder == null ? nowMillis : Math.max(nowMillis, holder.openAt(periodMillis(wanted)));
        };
    }

    /**
     * Returns one period after the start of the job. If the job has not started, returns the time at which it is or was due. If it was deleted,
     * returns the stored end of its window.
     */
    private long openAt(long periodMillis) {
        if (claimedAtMillis != null) {
            return Math.addExact(claimedAtMillis, periodMillis);
        }
        return state != null ? scheduledAtMillis : Objects.requireNonNullElse(expiresAtMillis, 0L);
    }

    /** Returns the end of the window of a job that takes the key and is due at this time; null when its scope has no window. */
    public static @Nullable Long expiresAtMillis(Dedupe wanted, long dueMillis, long nowMillis) {
        if (wanted.strategy() == Dedupe.Strategy.THROTTLE) {
            return Math.addExact(dueMillis, periodMillis(wanted));
        }
        return wanted.window() == null
                ? null
                : Long.valueOf(Math.addExact(nowMillis, wanted.window().toMillis()));
    }

    private static long periodMillis(Dedupe wanted) {
        return Objects.requireNonNull(wanted.period()).toMillis();
    }
}
