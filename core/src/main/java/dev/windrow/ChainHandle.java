package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.workflow.ChainInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The handle of one stored chain: reads the chain, changes its last job, and deletes it. Made by {@link Jobs#chain(ChainRef)}. Safe for use by many threads, unless
 * it was made in a caller's transaction. Reads see committed data. {@link Windrow#awaitChain} waits for the end.
 *
 * <p>All methods throw a {@link JobNotFoundException} if the job of the reference does not exist. While retention deletes the chain, only
 * {@link #jobs} does not.
 *
 * @param <O> the type of the chain's result
 */
public interface ChainHandle<O extends @Nullable Object> {
    /** Returns the reference with which the handle was made. */
    ChainRef<O> ref();

    /** Reads the chain without its jobs. The time for it does not grow with the length of the chain. */
    @CheckReturnValue
    ChainInfo info();

    /** Reads all jobs of the chain, from the first one to the last one so far. */
    @CheckReturnValue
    List<JobInfo> jobs();

    /**
     * Cancels the last job if it has not ended; see {@link JobHandle#cancel}. If that job is {@code RUNNING} and its handler completes nevertheless,
     * the next job of the chain is {@code CANCELLED}.
     *
     * @return the last job
     * @throws TransitionRefusedException if the chain has ended
     */
    BulkResult cancel();

    /** Retries the last job with {@link Retry#keepingAttempts()}; see {@link #retry(Retry)}. */
    default BulkResult retry() {
        return retry(Retry.keepingAttempts());
    }

    /**
     * Makes the last job ready again if it is {@code FAILED} or {@code CANCELLED}, so that the chain resumes; see {@link JobHandle#retry(Retry)}.
     *
     * @return the retried job, and its dependents if they were requested
     * @throws TransitionRefusedException in the cases of {@link JobHandle#retry(Retry)}
     */
    BulkResult retry(Retry how);

    /**
     * Deletes all jobs of the chain in one transaction; see {@link JobHandle#delete}.
     *
     * @return the deleted jobs
     * @throws TransitionRefusedException if the chain has not ended, or a job that depends on one of its jobs is not {@code COMPLETED}
     */
    BulkResult delete();
}
