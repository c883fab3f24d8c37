package dev.windrow;

/** The kind of an entry of a job's event log. The log is append-only, except for {@link #TRIMMED} and {@link #METADATA_CHANGED}. */
public enum EventKind {
    /** The job was written. */
    ENQUEUED,
    /** A worker claimed the job under a lease. */
    CLAIMED,
    /** The handler of this attempt was called. */
    STARTED,
    /** The handler reported progress: at most once a minute. */
    HEARTBEAT,
    /** The job ended {@link JobState#COMPLETED}. */
    SUCCEEDED,
    /** The job ended {@link JobState#FAILED}. */
    FAILED,
    /** An attempt failed and another one was scheduled. */
    RETRY_SCHEDULED,
    /** A blocked job became ready, or a worker handed a job back unfinished. */
    RELEASED,
    /** The handler asked for a later call. The attempt does not count. */
    SNOOZED,
    /** The job ended {@link JobState#CANCELLED}. */
    CANCELLED,
    /** The cancellation of a running job was requested. Its state is still {@link JobState#RUNNING}. */
    CANCEL_REQUESTED,
    /** A job was reclaimed from a dead worker. */
    RECOVERED,
    /** An operator made a failed or cancelled job ready again. */
    RETRIED,
    /** A later enqueue with the job's dedupe key changed the payload, the options and the time of the waiting job. */
    REPLACED,
    /** An event was sent to the job while it was not parked for it. An event that ends a wait is a {@link #RELEASED}. */
    SIGNALLED,
    /** The metadata were changed. A further change by the same actor in the same attempt replaces its entry; the audit keeps each change from outside. */
    METADATA_CHANGED,
    /** The handler ignored its interrupt, and the worker gave up its slot. */
    STUCK,
    /**
     * The entries of some attempts were removed here. A job with very many attempts keeps the entries of the first {@link JobHistory#FIRST_ATTEMPTS}
     * and the last {@link JobHistory#LAST_ATTEMPTS} ones. A job has at most one such entry. Its detail counts the removed ones.
     */
    TRIMMED
}
