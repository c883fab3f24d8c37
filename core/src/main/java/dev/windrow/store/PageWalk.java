package dev.windrow.store;

import dev.windrow.JobFilter;
import dev.windrow.JobPage;
import dev.windrow.JobQuery;
import dev.windrow.JobSnapshot;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * In which direction the ids are walked for a page, from where, how far, and what page comes of what was found. A page in front of
 * a place is walked away from the place, and turned round.
 *
 * @param query the page that is wanted
 * @param goesByTime whether it begins and ends by the times that are looked for; then a clock that was wrong by more than a day hides jobs
 */
public record PageWalk(JobQuery query, boolean goesByTime) {
    /** Ids grow with time but for the steps of clocks: so much slack is left where a walk begins or ends by a time. */
    private static final Duration SLACK = Duration.ofDays(1);

    /** Walks no further than what is looked for can be. */
    public PageWalk(JobQuery query) {
        this(query, true);
    }

    /** Whether from small ids to large ones. */
    public boolean ascending() {
        return isOldestFirst() != (query.before() != null);
    }

    private boolean isOldestFirst() {
        return query.order() == JobQuery.Order.OLDEST_FIRST;
    }

    /** The first id is beyond this one: above it, or below it. */
    public long start() {
        Long cursor = cursor();
        return cursor != null ? cursor : ascending() ? 0 : Long.MAX_VALUE;
    }

    private @Nullable Long cursor() {
        return query.after() != null ? query.after() : query.before();
    }

    /**
     * No job that was enqueued on the wrong side of this instant can match: the walk may begin where ids reach it. Null: it
     * begins at {@link #start}.
     */
    public @Nullable Instant begins() {
        return !goesByTime ? null : ascending() ? earliest(query.filter()) : latest(query.filter());
    }

    /** Whether no job beyond one that was enqueued at this instant can match. */
    public boolean endsAt(Instant created) {
        return goesByTime && (ascending() ? endsAbove(query.filter(), created) : endsBelow(query.filter(), created));
    }

    /** Whether jobs are looked for by when they were enqueued: then those at the wrong time are passed over without looking at the rest of the filter. */
    public boolean hasTimes() {
        return goesByTime && (enqueuedFrom() != null || enqueuedBefore() != null);
    }

    /** No job that was enqueued before this millisecond can match; null: any may. */
    public @Nullable Long enqueuedFrom() {
        return millis(query.filter().created().from());
    }

    /** No job that was enqueued in this millisecond or later can match; null: any may. A clock that was set back may have ended a job before it was enqueued. */
    public @Nullable Long enqueuedBefore() {
        return millis(query.filter().created().before());
    }

    private static boolean endsAbove(JobFilter filter, Instant created) {
        Instant latest = latest(filter);
        return latest != null && created.isAfter(latest);
    }

    /** Whether no job with a smaller id than one that was enqueued at this instant can match the filter. */
    public static boolean endsBelow(JobFilter filter, Instant created) {
        Instant earliest = earliest(filter);
        return earliest != null && created.isBefore(earliest);
    }

    private static @Nullable Instant earliest(JobFilter filter) {
        Instant from = filter.created().from();
        return from == null || from.isBefore(Instant.MIN.plus(SLACK)) ? from : from.minus(SLACK);
    }

    /** What ended before an instant was enqueued before it. */
    private static @Nullable Instant latest(JobFilter filter) {
        Instant created = filter.created().before();
        Instant finished = filter.finished().before();
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
    public JobPage page(List<JobSnapshot> found, @Nullable Long reached) {
        List<JobSnapshot> jobs = new ArrayList<>(found);
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
