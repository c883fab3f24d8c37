package dev.windrow;

import java.util.List;

/**
 * The result of a change of jobs.
 *
 * @param count how many jobs were changed, or would be in a dry run; running ones that were asked to cancel included
 * @param ids at most 100 of them
 */
public record BulkResult(long count, List<Long> ids) {
    /** Copies the list. */
    public BulkResult {
        ids = List.copyOf(ids);
    }
}
