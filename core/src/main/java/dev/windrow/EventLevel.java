package dev.windrow;

/** The choice of entries that a process writes to the event logs of jobs. */
public enum EventLevel {
    /** All events. */
    ALL,
    /**
     * All events except {@link EventKind#CLAIMED}, {@link EventKind#STARTED} and {@link EventKind#HEARTBEAT}. The job, its attempts and its progress
     * have the same times and workers.
     */
    OUTCOMES;

    /** True if events of this kind are written. */
    public boolean includes(EventKind kind) {
        return this == ALL || (kind != EventKind.CLAIMED && kind != EventKind.STARTED && kind != EventKind.HEARTBEAT);
    }
}
