package dev.windrow.query;

import dev.windrow.JobInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a search in payloads so far.
 *
 * @param jobs those that match, in the order of the search
 * @param next pass it to go on; null when all that the filter means was looked at
 * @param looked the number of payloads that were looked at, and of jobs that have none
 * @param skipped the number of payloads that could not be looked at: longer than 1 MiB, or no JSON, or lost
 */
public record JobMatches(List<JobInfo> jobs, @Nullable Long next, long looked, long skipped) {
    /** Copies the list. */
    public JobMatches {
        jobs = List.copyOf(jobs);
    }
}
