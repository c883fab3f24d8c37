package dev.windrow.query;

import dev.windrow.JobInfo;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a listing.
 *
 * <p>A page may have fewer jobs than were asked for, even none, while there are more: where a filter has no index, a call looks at a
 * bounded number of jobs and says how far it came. The end is where {@code next} is null.
 *
 * @param jobs at most as many as were asked for, in the order of the listing
 * @param next pass it to get the page behind this one; null at the end
 * @param previous pass it to get the page in front of this one, which may turn out to be empty; null at the beginning
 */
public record JobPage(
        List<JobInfo> jobs, @Nullable Long next, @Nullable Long previous) {
    /** Copies the list. */
    public JobPage {
        jobs = List.copyOf(jobs);
    }

    /** A first page. */
    public JobPage(List<JobInfo> jobs, @Nullable Long next) {
        this(jobs, next, null);
    }
}
