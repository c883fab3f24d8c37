package dev.windrow.schedule;

/**
 * The policy of a schedule for due times that have passed before a process decided them: after a standstill of all processes, or when the clock was
 * set forward. If a process is only a moment late, there is one such time, and all three policies do the same.
 */
public enum Misfire {
    /** One job for the last due time if that is not more than a minute ago. No jobs for the others. */
    SKIP,
    /** One job, for the last due time. The default. */
    ONCE,
    /** A job for each due time, at most for the newest 1000. */
    ALL
}
