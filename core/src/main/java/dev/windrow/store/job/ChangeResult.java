package dev.windrow.store.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a {@link Change}.
 *
 * @param count how many jobs were changed, or would be changed in a dry run; includes running jobs that got a request to cancel
 * @param ids at most 100 of them
 * @param next the next job in the chain of the completed one, if the change has one; or null
 */
public record ChangeResult(
        long count, List<Long> ids, @Nullable Long next) {
    /** Creates the result of a change without a next job. */
    public ChangeResult(long count, List<Long> ids) {
        this(count, ids, null);
    }
}
