package dev.windrow;

import org.jspecify.annotations.Nullable;

/**
 * A job in a call of a {@link BatchHandler}. Any thread may use it until the handler returns. It takes one outcome: a second one is refused with an
 * {@link InvalidRequestException}. An outcome has no effect if the worker has lost the job.
 *
 * @param <I> the type of the input
 * @param <O> the type of the output
 */
public interface BatchItem<I extends @Nullable Object, O extends @Nullable Object> {
    /** Returns the decoded payload. Null if the job was enqueued without one. */
    I input();

    /**
     * Returns the attempt of the job. In a batch {@link JobContext#sleep} and {@link JobContext#awaitEvent} throw an {@link InvalidRequestException}.
     */
    JobContext job();

    /**
     * Completes the job with this result, as if a {@link Handler} returned it. The result becomes durable shortly after this returns.
     *
     * @throws InvalidRequestException if the job has an outcome already
     */
    void complete(O result);

    /**
     * Completes a job whose type has no result.
     *
     * @throws InvalidRequestException if the type has a result, or the job has an outcome already
     */
    void complete();

    /**
     * Ends the attempt as if a {@link Handler} threw this exception: a {@link JobFailure}, a {@link JobSnooze}, or any other one.
     *
     * @throws InvalidRequestException if the job has an outcome already
     */
    void fail(Exception failure);
}
