package dev.windrow;

/** The choice of entries that a process writes to the event logs of jobs. */
public enum EventLevel {
    /** All events. */
    ALL,
    /**
     * All events except {@link EventKind#HEARTBEAT}. The job has the progress that it reported last. Claims and starts are times of attempts, which
     * the history of a job shows at each level.
     */
    OUTCOMES;

    /** True if events of this kind are written. */
    public boolean includes(EventKind kind) {
        return this == ALL || kind != EventKind.HEARTBEAT;
    }
}
