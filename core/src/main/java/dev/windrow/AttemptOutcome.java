package dev.windrow;

/** How an attempt ended. Each ended attempt has exactly one. */
public enum AttemptOutcome {
    /** The handler returned. */
    SUCCEEDED(true),
    /** The handler threw, or its payload could not be read. */
    FAILED(true),
    /** The handler ran past its deadline. */
    TIMEOUT(true),
    /** The job was cancelled while it ran. */
    CANCELLED(true),
    /** Handed back by a worker that stops; it does not count as an attempt. */
    RELEASED(false),
    /** The handler asked to be called later; it does not count as an attempt. */
    SNOOZED(false),
    /** The handler waits for an event without a slot; it does not count as an attempt. */
    PARKED(false),
    /** The worker was gone after it had started the handler; the crash counts as an attempt. */
    RECOVERED(true),
    /** The worker was gone before it had started the handler; it does not count as an attempt. */
    LOST(false),
    /** The job was finished from outside while this attempt ran. */
    SUPERSEDED(false);

    private final boolean countsAsAttempt;

    AttemptOutcome(boolean countsAsAttempt) {
        this.countsAsAttempt = countsAsAttempt;
    }

    /** Whether an attempt that ended so counts towards the job's maximum of attempts. */
    public boolean countsAsAttempt() {
        return countsAsAttempt;
    }
}
