package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.validation.Bounds;
import dev.windrow.workflow.ParentPolicy;
import org.jspecify.annotations.Nullable;

/**
 * The options of a retry of jobs that are {@code FAILED} or {@code CANCELLED}: the maximum number of attempts, the first step, and the retry of
 * dependents. Immutable.
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

    /** Returns the default: each job keeps its maximum number of attempts. */
    public static Retry keepingAttempts() {
        return KEEPING;
    }

    /**
     * Returns a retry that gives each named or matched job this maximum number of attempts.
     *
     * @param maxAttempts 1 to 1000
     * @throws InvalidRequestException if the number is out of range
     */
    public static Retry attempts(int maxAttempts) {
        return new Retry(Bounds.range("max attempts", maxAttempts, 1, 1000), false, false);
    }

    /**
     * Returns this retry from the start: it deletes the durable steps of the jobs, and the events that they have received. The steps of dependents
     * are kept. Handlers do all their steps again. The effects of the steps outside of the database stay. Each step has the same
     * {@linkplain JobContext#idempotencyKey idempotency key} when it runs again.
     */
    public Retry fromStart() {
        return new Retry(maxAttempts, true, withDependents);
    }

    /**
     * Returns this retry with dependents: it also retries the jobs that were cancelled because one of the jobs ended without success
     * ({@link ParentPolicy#CANCEL}), and in turn the jobs below them. The dependents are {@code BLOCKED} again and keep their maximum number of
     * attempts. A job that an operator cancelled stays cancelled. A job that another parent has cancelled as well stays cancelled until that parent
     * is retried.
     *
     * <p>The call itself retries up to 1000 dependents. More of them follow in other transactions, in any process with a worker. Such a dependent
     * stays cancelled if another job holds its dedupe key, or if its parent ends without success before.
     */
    public Retry withDependents() {
        return new Retry(maxAttempts, fromStart, true);
    }

    /** Returns the new maximum number of attempts; null if each job keeps its own. */
    public @Nullable Integer maxAttempts() {
        return maxAttempts;
    }

    /** True if the durable steps are deleted. */
    public boolean isFromStart() {
        return fromStart;
    }

    /** True if the dependents that these jobs have cancelled are retried, too. */
    public boolean includesDependents() {
        return withDependents;
    }
}
