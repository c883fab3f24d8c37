package dev.windrow.schedule;

/** What a schedule does when it is due and the job that it made last has not ended yet, or goes on in a chain that has not. */
public enum Overlap {
    /** Makes the next job all the same. */
    ALLOW,
    /** Makes none: the due time is left out. */
    SKIP
}
