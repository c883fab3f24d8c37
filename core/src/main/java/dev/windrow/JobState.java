package dev.windrow;

/** The state of a job. The transitions between states are in docs/state-machine.md. */
public enum JobState {
    /** Waits for parents or for an event; not claimable. */
    BLOCKED,
    /** Becomes {@link #PENDING} at a time: delayed, retried or snoozed. */
    SCHEDULED,
    /** Ready to be claimed. */
    PENDING,
    /** Held by a worker under a lease. */
    RUNNING,
    /** Ended well. Final: nothing leaves this state. */
    COMPLETED,
    /** Ended badly, no attempt left or not worth one; an operator may retry or discard it. */
    FAILED,
    /** Ended by request; an operator may retry or discard it. */
    CANCELLED;

    /** Whether the job has ended: {@link #COMPLETED}, {@link #FAILED} or {@link #CANCELLED}. */
    public boolean isFinished() {
        return this == COMPLETED || this == FAILED || this == CANCELLED;
    }
}
