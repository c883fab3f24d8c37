package dev.windrow.schedule;

/**
 * What a schedule does about due times that have passed while nobody was there to see to them: after a standstill of all processes, or when
 * the clock was set forward. Of a process that is merely a moment late there is one such time, and all three do the same.
 */
public enum Misfire {
    /** A job for the last of them if that is not more than a minute ago, and none for the others. */
    SKIP,
    /** One job, for the last of them. */
    ONCE,
    /** A job for each of them, but of very many for the newest 1000 only. */
    ALL
}
