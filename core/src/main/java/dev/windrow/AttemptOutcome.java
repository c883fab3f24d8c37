package dev.windrow;

/** The outcome of an attempt. Each ended attempt has exactly one. */
public enum AttemptOutcome {
    /** The handler returned. */
    SUCCEEDED(true),
    /** The handler threw, or its payload could not be read. */
    FAILED(true),
    /** The handler ran past its deadline. */
    TIMEOUT(true),
    /** The job was cancelled while it ran. */
    CANCELLED(true),
    /** A stopping worker handed the job back. It does not count as an attempt. */
    RELEASED(false),
    /** The handler asked for a later call. It does not count as an attempt. */
    SNOOZED(false),
    /** The handler ended the attempt: the job waits for an event or its external completion, without a slot. It does not count as an attempt. */
    PARKED(false),
    /** The worker died after it had called the handler. The crash counts as an attempt. */
    RECOVERED(true),
    /** The worker died before it had called the handler. It does not count as an attempt. */
    LOST(false),
    /** The job was ended from outside while this attempt ran. It does not count as an attempt. */
    SUPERSEDED(false);

    private final boolean countsAsAttempt;

    AttemptOutcome(boolean countsAsAttempt) {
        this.countsAsAttempt = countsAsAttempt;
    }

    /** True if an attempt with this outcome counts towards the job's maximum number of attempts. */
    public boolean countsAsAttempt() {
        return countsAsAttempt;
    }
}
