package dev.windrow.monitor;

/** A field of jobs, workers or schedules whose names can be completed; see {@link Monitor#suggest}. */
public enum SuggestField {
    /** The types of jobs, until retention has deleted the last queue with such jobs. */
    TYPE,
    /** The queues of jobs, for as long. */
    QUEUE,
    /** The tags of jobs. */
    TAG,
    /** The error codes of {@code FAILED} jobs. */
    ERROR_CODE,
    /** The names of the workers in the registry. */
    WORKER,
    /** The names of schedules. */
    SCHEDULE
}
