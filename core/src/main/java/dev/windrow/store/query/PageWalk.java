package dev.windrow.store.query;

import dev.windrow.JobInfo;
import dev.windrow.query.JobPage;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The walk over ids for a page: its direction, its start, and the page that results. A page before a position is read backwards from the position and
 * then reversed.
 *
 * @param query the requested page
 */
public record PageWalk(PageRequest query) {
    /** The slack at the end of a walk that is bounded by a time. Ids grow with time, but a clock may step. */
    private static final Duration SLACK = Duration.ofDays(1);

    /** True if it walks from small ids to large ones. */
    public boolean ascending() {
        return (query.order() == PageRequest.Order.OLDEST_FIRST) != (query.before() != null);
    }

    /** Returns the id beyond which the walk begins: above it, or below it. */
    public long start() {
        Long cursor = cursor();
        return cursor != null ? cursor : ascending() ? 0 : Long.MAX_VALUE;
    }

    private @Nullable Long cursor() {
        return query.after() != null ? query.after() : query.before();
    }

    /**
     * Returns the instant at which the earliest matching job may have been enqueued, or null without a limit. No job matches that was enqueued
     * earlier, nor any with a smaller id than the first job of this instant.
     */
    public @Nullable Instant earliest() {
        Instant from = query.filter().created().from();
        return from == null || from.isBefore(Instant.MIN.plus(SLACK)) ? from : from.minus(SLACK);
    }

    /**
     * Returns the instant before which the latest matching job must have been enqueued, or null without a limit. No job matches that was enqueued at
     * this instant or later, nor any with a greater id than the first such job.
     */
    public @Nullable Instant latest() {
        Instant created = query.filter().created().before();
        // A job that ended before an instant was enqueued before it.
        Instant finished = query.filter().finished().before();
        Instant before = created == null || (finished != null && finished.isBefore(created)) ? finished : created;
        return before == null || before.isAfter(Instant.MAX.minus(SLACK)) ? before : before.plus(SLACK);
    }

    /**
     * Returns the page.
     *
     * @param found the jobs in the order of the walk, at most the requested number
     * @param reached the id up to which the walk came; null at the end
     */
    public JobPage page(List<JobInfo> found, @Nullable Long reached) {
        List<JobInfo> jobs = new ArrayList<>(found);
        Long back = null;
        Long cursor = cursor();
        if (cursor != null) {
            // Positions are exclusive. So the way back begins one beyond the cursor, to find the job at the cursor
            // again.
            back = found.isEmpty()
                    ? Long.valueOf(beyond(cursor))
                    : Long.valueOf(found.get(0).id());
        }
        if (query.before() == null) {
            return new JobPage(jobs, reached, back);
        }
        Collections.reverse(jobs);
        return new JobPage(jobs, back, reached);
    }

    private long beyond(long cursor) {
        if (ascending()) {
            return cursor == Long.MAX_VALUE ? cursor : cursor + 1;
        }
        return Math.max(1, cursor) - 1;
    }
}
