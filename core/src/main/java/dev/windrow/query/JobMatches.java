package dev.windrow.query;

import dev.windrow.JobInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a search in payloads or metadata, up to the position that it has reached.
 *
 * @param jobs the matching jobs, in the order of the search
 * @param next the position for the next call; null if all jobs of the filter were searched
 * @param looked the number of searched jobs, also those without a payload or metadata
 * @param skipped the number of payloads that could not be searched: longer than 1 MiB, no JSON, or lost
 */
public record JobMatches(List<JobInfo> jobs, @Nullable Long next, long looked, long skipped) {
    /** Copies the list. */
    public JobMatches {
        jobs = List.copyOf(jobs);
    }
}
