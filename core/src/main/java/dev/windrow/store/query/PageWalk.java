package dev.windrow.store.query;

import dev.windrow.JobInfo;
import dev.windrow.query.JobPage;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The direction in which ids are walked for a page, the place where the walk begins, and the page that is made of what it finds. A page
 * in front of a place is walked away from the place, and turned round.
 *
 * @param query the page that is wanted
 */
public record PageWalk(PageRequest query) {
    /** Ids grow with time but for the steps of clocks: so much slack is left where a walk is bounded by a time. */
    private static final Duration SLACK = Duration.ofDays(1);

    /** True if it goes from small ids to large ones. */
    public boolean ascending() {
        return (query.order() == PageRequest.Order.OLDEST_FIRST) != (query.before() != null);
    }

    /** The first id is beyond this one: above it, or below it. */
    public long start() {
        Long cursor = cursor();
        return cursor != null ? cursor : ascending() ? 0 : Long.MAX_VALUE;
    }

    private @Nullable Long cursor() {
        return query.after() != null ? query.after() : query.before();
    }

    /** No job matches that was enqueued before this instant, nor any with a smaller id than the first one that was enqueued then; null: any may. */
    public @Nullable Instant earliest() {
        Instant from = query.filter().created().from();
        return from == null || from.isBefore(Instant.MIN.plus(SLACK)) ? from : from.minus(SLACK);
    }

    /** No job matches that was enqueued at this instant or later, nor any with a greater id than the first one that was; null: any may. */
    public @Nullable Instant latest() {
        Instant created = query.filter().created().before();
        // What ended before an instant was enqueued before it.
        Instant finished = query.filter().finished().before();
        Instant before = created == null || (finished != null && finished.isBefore(created)) ? finished : created;
        return before == null || before.isAfter(Instant.MAX.minus(SLACK)) ? before : before.plus(SLACK);
    }

    /** An instant as stores keep times, for comparing with them by {@code <} and {@code >=}: the first millisecond not before it. */
    public static @Nullable Long millis(@Nullable Instant instant) {
        if (instant == null) {
            return null;
        }
        try {
            Instant nearly = instant.plusNanos(999_999);
            return nearly.toEpochMilli();
        } catch (ArithmeticException | DateTimeException e) {
            return instant.isBefore(Instant.EPOCH) ? Long.MIN_VALUE : Long.MAX_VALUE;
        }
    }

    /**
     * The page.
     *
     * @param found the jobs in the order of the walk, at most as many as were asked for
     * @param reached the id up to which the walk came; null when there is nothing beyond
     */
    public JobPage page(List<JobInfo> found, @Nullable Long reached) {
        List<JobInfo> jobs = new ArrayList<>(found);
        Long back = null;
        Long cursor = cursor();
        if (cursor != null) {
            // Places are exclusive: to find the job at the cursor again, the way back begins one beyond it.
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
