package dev.windrow.store.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a {@link Change}.
 *
 * @param count how many jobs were changed, or would be changed in a dry run; includes running jobs that got a request to cancel
 * @param ids at most 100 of them
 * @param skipped how many jobs of a filter could not be changed, because of other jobs
 * @param next the next job in the chain of the completed one, if the change has one; or null
 * @param atLeast true if a dry run may have counted too few jobs: it has not looked at all of them, or has skipped some for want of memory
 * @param children the jobs among the counted ones of a dry run that keep their parents while they exist: see {@link Change#gone}
 */
public record ChangeResult(
        long count, List<Long> ids, long skipped, @Nullable Long next, boolean atLeast, List<Long> children) {
    /** Creates the result of a change that has looked at all its jobs. */
    public ChangeResult(long count, List<Long> ids, long skipped, @Nullable Long next) {
        this(count, ids, skipped, next, false, List.of());
    }

    /** Creates the result of a change that has skipped no job, without a next job. */
    public ChangeResult(long count, List<Long> ids) {
        this(count, ids, 0, null);
    }
}
