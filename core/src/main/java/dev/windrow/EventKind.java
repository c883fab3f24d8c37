package dev.windrow;

/** What an entry of a job's event log says happened. The log is append-only, but for what {@link #TRIMMED} says. */
public enum EventKind {
    /** The job was written. */
    ENQUEUED,
    /** A worker took the job under a lease. */
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
    /** The handler asked to be called again later, without counting as an attempt. */
    SNOOZED,
    /** The job ended {@link JobState#CANCELLED}. */
    CANCELLED,
    /** Somebody wants the job cancelled while it runs. Its state is still {@link JobState#RUNNING}. */
    CANCEL_REQUESTED,
    /** A job whose worker was gone was taken back. */
    RECOVERED,
    /** An operator put a failed or cancelled job back to work. */
    RETRIED,
    /** A later enqueue with its dedupe key has changed what a waiting job is to do, and when. */
    REPLACED,
    /** The handler has ignored its interrupt, and its slot was given up. */
    STUCK,
    /** A worker met a job whose type it does not know. */
    UNHANDLED,
    /**
     * Here stood the entries of attempts that are not kept: of a job that has very many, the first {@link JobHistory#FIRST_ATTEMPTS} and the
     * last {@link JobHistory#LAST_ATTEMPTS} are. A job has at most one such entry, whose detail says how many are gone.
     */
    TRIMMED
}
