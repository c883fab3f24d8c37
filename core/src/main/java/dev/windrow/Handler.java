package dev.windrow;

import org.jspecify.annotations.Nullable;

/**
 * Does the work of one job type. Called by many threads at once. A job may run more than once, after a crash or when the outcome of an attempt could
 * not be recorded: make its effects idempotent.
 *
 * <p>Returning completes the job. Throwing fails the attempt. A {@link JobFailure} says how it failed. Any other exception is retried, unless the
 * type's {@link RetryRules} decide differently. Three exceptions are no failures: {@link JobSnooze} runs the job later, {@link JobPark} leaves its
 * end to the application, and {@link JobCancel} ends it {@code CANCELLED}.
 *
 * <p>A thread interrupt asks the handler to stop: its deadline has passed, the worker is stopping, or the job was taken away or is to be cancelled.
 * See {@link JobContext#shouldStop}.
 *
 * @param <I> the type of the input
 * @param <O> the type of the output
 */
@FunctionalInterface
public interface Handler<I extends @Nullable Object, O extends @Nullable Object> {
    /**
     * Handles one attempt.
     *
     * @param input the decoded payload. Null if the job was enqueued without one
     * @param job the attempt: its number, its deadline, its parents, and the verbs that a handler may call
     * @return the result to store
     * @throws Exception any exception fails the attempt
     */
    O handle(I input, JobContext job) throws Exception;
}
