package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.validation.Bounds;
import dev.windrow.workflow.ParentPolicy;
import org.jspecify.annotations.Nullable;

/**
 * A way to retry jobs that are {@code FAILED} or {@code CANCELLED}: with which maximum of attempts, from which step, and with which other jobs.
 * Immutable.
 */
@CheckReturnValue
public final class Retry {
    private static final Retry KEEPING = new Retry(null, false, false);

    private final @Nullable Integer maxAttempts;
    private final boolean fromStart;
    private final boolean withDependents;

    private Retry(@Nullable Integer maxAttempts, boolean fromStart, boolean withDependents) {
        this.maxAttempts = maxAttempts;
        this.fromStart = fromStart;
        this.withDependents = withDependents;
    }

    /** Each job gets the maximum of attempts that it had: the default. */
    public static Retry keepingAttempts() {
        return KEEPING;
    }

    /**
     * Each named or matched job gets this maximum of attempts, 1 to 1000.
     *
     * @throws InvalidRequestException if it is out of range
     */
    public static Retry attempts(int maxAttempts) {
        return new Retry(Bounds.range("max attempts", maxAttempts, 1, 1000), false, false);
    }

    /**
     * Deletes the durable steps of the jobs, not of their dependents, and the events that they have received, so that handlers begin anew. The effects of the steps outside
     * of the database stay. Each step has the same {@linkplain JobContext#idempotencyKey idempotency key} when it runs again.
     */
    public Retry fromStart() {
        return new Retry(maxAttempts, true, withDependents);
    }

    /**
     * Also retries the jobs that were cancelled because one of the jobs ended without success ({@link ParentPolicy#CANCEL}), and in turn
     * the jobs below them. They are {@code BLOCKED} again and keep their own maximum of attempts. A job that an operator cancelled stays cancelled. A job
     * that another parent has cancelled as well stays cancelled until that parent is retried.
     *
     * <p>A thousand dependents are retried with the call. More of them follow in other transactions, in any process with a worker. A dependent that
     * follows stays cancelled if another job holds its dedupe key, or if its parent ends without success before.
     */
    public Retry withDependents() {
        return new Retry(maxAttempts, fromStart, true);
    }

    /** Returns the new maximum of attempts; null: each job keeps its own. */
    public @Nullable Integer maxAttempts() {
        return maxAttempts;
    }

    /** True if the durable steps are deleted. */
    public boolean isFromStart() {
        return fromStart;
    }

    /** True if jobs that were cancelled because of these are retried, too. */
    public boolean includesDependents() {
        return withDependents;
    }
}
