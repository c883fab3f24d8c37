package dev.windrow;

import org.jspecify.annotations.Nullable;

/**
 * Does the work of one job type. Called by many threads at once. A job may be run more than once (after a crash, or when
 * the answer could not be recorded): make its effects safe to repeat.
 *
 * <p>Returning completes the job. Throwing fails the attempt: {@link JobFailure} says how; anything else is retried, unless
 * the type's {@link RetryRules} say otherwise. {@link JobSnooze}, {@link JobPark} and {@link JobCancel} are no failures: the job
 * is to be run later, to be ended by somebody else, or not to be run at all.
 * A thread interrupt asks the handler to stop: its deadline passed, the worker is stopping, or the job was taken away
 * or is to be cancelled.
 *
 * @param <I> the input
 * @param <O> the output
 */
@FunctionalInterface
public interface Handler<I extends @Nullable Object, O extends @Nullable Object> {
    /**
     * Handles one attempt.
     *
     * @param input the decoded payload; null when the job was enqueued without one
     * @param job the attempt: its number, deadline, parents
     * @return the result to store
     * @throws Exception any exception fails the attempt
     */
    O handle(I input, JobContext job) throws Exception;
}
