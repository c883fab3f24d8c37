package dev.windrow.store.job;

import dev.windrow.Dedupe;
import dev.windrow.JobState;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Who holds a dedupe key, as a store has read it, and what follows for a job that wants it: a pure function, the same in
 * every store.
 *
 * @param job the job that the key names
 * @param scope how long it holds the key
 * @param expiresAtMillis the end of its window in epoch milliseconds, or null
 * @param state its state; null when it has been deleted
 * @param parked whether it is in the midst of an attempt, and waits for an event
 * @param scheduledAtMillis when it was or is due
 * @param claimedAtMillis when it was claimed last, or null when it never was
 * @param continues whether it goes on in a chain that had the key before it: its work follows from the work before, and nobody else says
 *     what it is
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
    /** What becomes of a job that wants the key. */
    public enum Verdict {
        /** It gets the key, and is written. */
        TAKE,
        /** Nothing is written: the holder stands for it. */
        KEEP,
        /** The holder takes over what is to be done. */
        CHANGE
    }

    /** Whether the key is still held at this time. */
    public boolean isLive(long nowMillis) {
        return expiresAtMillis == null || expiresAtMillis > nowMillis;
    }

    private boolean waits() {
        return state != null && !state.isFinished() && state != JobState.RUNNING && !parked;
    }

    private boolean canChange() {
        return waits() && !continues;
    }

    /** What becomes of a job that wants the key at this time. */
    public Verdict verdict(Dedupe wanted, long nowMillis) {
        return switch (wanted.strategy()) {
            case KEEP -> isLive(nowMillis) ? Verdict.KEEP : Verdict.TAKE;
            case REPLACE, DEBOUNCE -> !isLive(nowMillis) ? Verdict.TAKE : canChange() ? Verdict.CHANGE : Verdict.KEEP;
            // A window that is over does not matter while the job of it has not started: it stands for all that come.
            case THROTTLE -> waits() || scope != Dedupe.Scope.WINDOW ? Verdict.KEEP : Verdict.TAKE;
        };
    }

    /** The state to tell to whom the holder stands for: only what has ended is ever deleted. */
    public JobState reportedState() {
        return state == null ? JobState.COMPLETED : state;
    }

    /**
     * When a job that takes the key may start, by its strategy; null when its own time decides.
     *
     * @param holder who had the key, or null
     */
    public static @Nullable Long dueMillis(Dedupe wanted, @Nullable KeyHolder holder, long nowMillis) {
        return switch (wanted.strategy()) {
            case KEEP, REPLACE -> null;
            case DEBOUNCE -> Math.addExact(nowMillis, periodMillis(wanted));
            case THROTTLE -> holder == null ? nowMillis : Math.max(nowMillis, holder.openAt(periodMillis(wanted)));
        };
    }

    /** One period after its start; one that ended before its start does not count, nor its time before it was due. */
    private long openAt(long periodMillis) {
        if (claimedAtMillis != null) {
            return Math.addExact(claimedAtMillis, periodMillis);
        }
        return state != null ? scheduledAtMillis : Objects.requireNonNullElse(expiresAtMillis, 0L);
    }

    /** The end of the window of a job that takes the key, due at this time; null when its scope has none. */
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
