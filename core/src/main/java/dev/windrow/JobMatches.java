package dev.windrow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a search for payloads has found so far.
 *
 * @param jobs those that match, in the order of the search
 * @param next pass it to go on; null when all that the filter means was looked at
 * @param looked how many payloads were looked at, and jobs that have none
 * @param skipped how many more could not be looked at: longer than 1 MiB, or no JSON, or lost
 */
public record JobMatches(List<JobSnapshot> jobs, @Nullable Long next, long looked, long skipped) {
    /** Copies the list. */
    public JobMatches {
        jobs = List.copyOf(jobs);
    }
}
