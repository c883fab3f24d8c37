package dev.windrow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A page of a listing, newest job first.
 *
 * @param jobs at most as many as were asked for
 * @param next pass it to get the page after this one; null at the end
 */
public record JobPage(List<JobSnapshot> jobs, @Nullable Long next) {
    /** Copies the list. */
    public JobPage {
        jobs = List.copyOf(jobs);
    }
}
