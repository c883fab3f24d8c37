package dev.windrow.query;

import dev.windrow.JobInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a listing.
 *
 * <p>A page may have fewer jobs than requested, even none, while there are more. If a filter has no index, a call examines a limited number of jobs,
 * and {@code next} is the position that it has reached. The listing ends where {@code next} is null.
 *
 * @param jobs at most the requested number of jobs, in the order of the listing
 * @param next the position of the page after this one; null at the end
 * @param previous the position of the page before this one, which may be empty; null at the beginning
 */
public record JobPage(
        List<JobInfo> jobs, @Nullable Long next, @Nullable Long previous) {
    /** Copies the list. */
    public JobPage {
        jobs = List.copyOf(jobs);
    }

    /** Creates a first page. */
    public JobPage(List<JobInfo> jobs, @Nullable Long next) {
        this(jobs, next, null);
    }
}
