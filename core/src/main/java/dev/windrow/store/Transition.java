package dev.windrow.store;

import static dev.windrow.JobState.BLOCKED;
import static dev.windrow.JobState.CANCELLED;
import static dev.windrow.JobState.COMPLETED;
import static dev.windrow.JobState.FAILED;
import static dev.windrow.JobState.PENDING;
import static dev.windrow.JobState.RUNNING;
import static dev.windrow.JobState.SCHEDULED;

import dev.windrow.EventKind;
import dev.windrow.JobState;
import java.util.EnumSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The state machine: all changes of a job's state that are allowed. Every other change is impossible.
 *
 * <p>Each transition is applied as a compare-and-set. {@linkplain Guard#HOLDER The holder's} are guarded by (id, {@code RUNNING}, token), all others
 * by (id, the state as read). The result is applied or lost. The writes that belong to a transition (attempts, events, released children,
 * counters) are made only if it was applied. The row of the job tells some events, which then have no row of their own. From {@code COMPLETED} no other state follows.
 */
public enum Transition {
    /** A new job that waits for parents or for external completion. */
    ENQUEUE_BLOCKED(Guard.NONE, none(), BLOCKED, EventKind.ENQUEUED),
    /** A new job that is due later. */
    ENQUEUE_SCHEDULED(Guard.NONE, none(), SCHEDULED, EventKind.ENQUEUED),
    /** A new job that is ready. */
    ENQUEUE_PENDING(Guard.NONE, none(), PENDING, EventKind.ENQUEUED),

    /** The last open parent of a job that is due has ended. */
    RELEASE(Guard.STATE, EnumSet.of(BLOCKED), PENDING, EventKind.RELEASED),
    /** The last open parent of a job that is due later has ended. */
    RELEASE_LATER(Guard.STATE, EnumSet.of(BLOCKED), SCHEDULED, EventKind.RELEASED),
    /** The awaited event of a parked job has come, or the time for it is over. Its handler continues. */
    WAKE(Guard.STATE, EnumSet.of(BLOCKED), PENDING, EventKind.RELEASED),
    /** A scheduled job is due. */
    PROMOTE(Guard.STATE, EnumSet.of(SCHEDULED), PENDING, null),
    /** A later enqueue with the dedupe key of a waiting job moves it to another time. */
    RESCHEDULE(Guard.STATE, EnumSet.of(SCHEDULED, PENDING), SCHEDULED, EventKind.REPLACED),

    /** A worker takes a job: token + 1, under a lease. */
    CLAIM(Guard.STATE, EnumSet.of(PENDING), RUNNING, EventKind.CLAIMED),

    /** The handler returned. */
    COMPLETE(Guard.HOLDER, EnumSet.of(RUNNING), COMPLETED, EventKind.SUCCEEDED),
    /** The attempt failed, and no attempt is left, or another one would not help. */
    FAIL(Guard.HOLDER, EnumSet.of(RUNNING), FAILED, EventKind.FAILED),
    /** The attempt failed and another one is due later. */
    RETRY_LATER(Guard.HOLDER, EnumSet.of(RUNNING), SCHEDULED, EventKind.RETRY_SCHEDULED),
    /** The handler asked to be called later; it does not count as an attempt. */
    SNOOZE(Guard.HOLDER, EnumSet.of(RUNNING), SCHEDULED, EventKind.SNOOZED),
    /** The worker hands the job back unfinished; it does not count as an attempt. */
    HAND_BACK(Guard.HOLDER, EnumSet.of(RUNNING), PENDING, EventKind.RELEASED),
    /**
     * The handler leaves the rest to external completion, or awaits an event. Until then it holds no slot and no lease. It does not count as an
     * attempt.
     */
    PARK(Guard.HOLDER, EnumSet.of(RUNNING), BLOCKED, EventKind.SNOOZED),
    /** The attempt was stopped by a request to cancel. */
    CANCEL_RUNNING(Guard.HOLDER, EnumSet.of(RUNNING), CANCELLED, EventKind.CANCELLED),

    /** The job is cancelled before it runs. */
    CANCEL(Guard.STATE, EnumSet.of(BLOCKED, SCHEDULED, PENDING), CANCELLED, EventKind.CANCELLED),
    /** The job is completed from outside. A running attempt ends as superseded: token + 1. */
    COMPLETE_EXTERNALLY(Guard.STATE, EnumSet.of(BLOCKED, SCHEDULED, PENDING, RUNNING), COMPLETED, EventKind.SUCCEEDED),
    /** The job is failed from outside, or its wait has timed out. A running attempt ends as superseded: token + 1. */
    FAIL_EXTERNALLY(Guard.STATE, EnumSet.of(BLOCKED, SCHEDULED, PENDING, RUNNING), FAILED, EventKind.FAILED),

    /** An operator retries a job whose parents have ended. */
    RETRY(Guard.STATE, EnumSet.of(FAILED, CANCELLED), PENDING, EventKind.RETRIED),
    /** An operator retries a job that still waits for parents, or waits for external completion. */
    RETRY_BLOCKED(Guard.STATE, EnumSet.of(FAILED, CANCELLED), BLOCKED, EventKind.RETRIED),
    /** An operator deletes an ended job with all that belongs to it. */
    DELETE(Guard.STATE, EnumSet.of(COMPLETED, FAILED, CANCELLED), null, null),
    /** Retention removes a job that has ended long ago with all that belongs to it. */
    EXPIRE(Guard.STATE, EnumSet.of(COMPLETED, FAILED, CANCELLED), null, null);

    /** The condition that must still be true in the store for a transition to be applied. */
    public enum Guard {
        /** No condition: the row does not exist yet. */
        NONE,
        /** The state is one of {@link Transition#from()}, as read in the same transaction. */
        STATE,
        /** The state is {@code RUNNING} and the fencing token is the holder's. */
        HOLDER
    }

    private final Guard guard;

    @SuppressWarnings("ImmutableEnumChecker") // Set.copyOf is immutable; its type does not say so.
    private final Set<JobState> from;

    private final @Nullable JobState to;
    private final @Nullable EventKind event;

    Transition(Guard guard, Set<JobState> from, @Nullable JobState to, @Nullable EventKind event) {
        this.guard = guard;
        this.from = Set.copyOf(from);
        this.to = to;
        this.event = event;
    }

    private static Set<JobState> none() {
        return EnumSet.noneOf(JobState.class);
    }

    /** Returns the guard of the transition. */
    public Guard guard() {
        return guard;
    }

    /** Returns the states that it leaves; empty for a new job. */
    public Set<JobState> from() {
        return from;
    }

    /** Returns the state that it enters; null when the job is removed. */
    public @Nullable JobState to() {
        return to;
    }

    /** Returns the event that records it; null when it writes no event. */
    public @Nullable EventKind event() {
        return event;
    }

    /** True if a job in this state can take this transition. */
    public boolean isAllowedFrom(JobState state) {
        return from.contains(state);
    }
}
