package dev.windrow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Does the work of several jobs of one type in one call. Called by many threads at once. Each job keeps its own lease, attempts, events and outcome: the
 * failure of one job does not fail the others. After a crash each unfinished job runs again, perhaps in another batch.
 *
 * <p>The handler gives each job its outcome by its {@link BatchItem}. The outcome is recorded at once. When the handler returns, the other jobs complete
 * if their type has no result, else they fail as {@link ErrorCodes#NO_OUTCOME}. When it throws, the other jobs fail with that exception, each by its own
 * retry policy. {@link JobSnooze}, {@link JobPark} and {@link JobCancel} apply to all of them in the same way.
 *
 * <p>The smallest time limit among the jobs holds for the call, from its start. The thread is interrupted when that limit has passed, when the worker
 * stops, and when each job without an outcome is cancelled or was taken away. The cancellation of a part of the jobs does not interrupt it: see
 * {@link JobContext#isCancelRequested}. An interrupt does not change outcomes that the handler gave before.
 *
 * @param <I> the type of the input
 * @param <O> the type of the output
 */
@FunctionalInterface
public interface BatchHandler<I extends @Nullable Object, O extends @Nullable Object> {
    /**
     * Handles the attempts of several jobs.
     *
     * @param jobs the jobs, at least one, in the order of their claims. A job whose payload cannot be decoded has failed already and is not among them
     * @throws Exception any exception fails the jobs without an outcome
     */
    void handle(List<BatchItem<I, O>> jobs) throws Exception;
}
