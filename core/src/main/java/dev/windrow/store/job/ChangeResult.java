package dev.windrow.store.job;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to a {@link Change}.
 *
 * @param count how many jobs were changed, or would be in a dry run; running ones that were asked to cancel included
 * @param ids at most 100 of them
 * @param next the job with which the completed one goes on, if the change has one; or null
 */
public record ChangeResult(
        long count, List<Long> ids, @Nullable Long next) {
    /** Nothing goes on. */
    public ChangeResult(long count, List<Long> ids) {
        this(count, ids, null);
    }
}
