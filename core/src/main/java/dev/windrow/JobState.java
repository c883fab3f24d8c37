package dev.windrow;

/** The state of a job. The transitions between states are in docs/state-machine.md. */
public enum JobState {
    /** Waits for parents, for an event, or for its external completion. Cannot be claimed. */
    BLOCKED,
    /** Becomes {@link #PENDING} at a time: delayed, retried or snoozed. */
    SCHEDULED,
    /** Ready to be claimed. */
    PENDING,
    /** Held by a worker under a lease. */
    RUNNING,
    /** Ended with success. Final: no transition leaves this state. */
    COMPLETED,
    /** Ended without success: no attempt is left, or a retry would not help. An operator may retry or delete it. */
    FAILED,
    /** Ended by request. An operator may retry or delete it. */
    CANCELLED;

    /** True if the job has ended: {@link #COMPLETED}, {@link #FAILED} or {@link #CANCELLED}. */
    public boolean isFinished() {
        return this == COMPLETED || this == FAILED || this == CANCELLED;
    }
}
