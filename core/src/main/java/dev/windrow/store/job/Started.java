package dev.windrow.store.job;

import dev.windrow.store.Command;

/**
 * Records that an attempt's handler was called. It becomes durable with a later commit, which it does not hasten. It changes nothing if the holder
 * has lost the job. The end of the attempt records the start, too: the worker then completes the future, and a start that is still queued is not
 * written.
 *
 * @param leaseToken the job and token
 * @param worker the worker's name
 * @param atMillis when, in epoch milliseconds
 */
public record Started(LeaseToken leaseToken, String worker, long atMillis) implements Command<Void> {
    @Override
    public Phase phase() {
        return Phase.START;
    }

    @Override
    public String what() {
        return "recording the start of job " + leaseToken.id();
    }

    @Override
    public Long attemptOf() {
        return leaseToken.id();
    }

    @Override
    public String actor() {
        return worker;
    }
}
