package dev.windrow.store.job;

import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.query.JobFilter;
import dev.windrow.store.OpenStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A change of the jobs that match a filter, batch by batch. Each batch is written after the one before, and workers continue in between. The jobs are
 * searched page by page, in the order in which they are changed, and never more than some pages are in memory. Each job is found once, in its state
 * when its page is read. Jobs that are enqueued after the change has begun are left out, as far as ids grow with time.
 */
public final class ChangeByFilter {
    /** The most jobs that one transaction changes. */
    private static final int PART = 1000;

    private final Source source;
    private final List<Listing> listings;
    private final boolean ascending;
    /** The order of the walk: ascending or descending ids. */
    private final Comparator<Long> order;
    /** The last job of the walk; null if the walk has no last one. */
    private final @Nullable Long end;

    /** The listings of a store, which find the jobs. */
    public interface Source {
        /** Returns the greatest id of all jobs; 0 without jobs. */
        long newestJob();

        /**
         * Returns the next matching jobs among the jobs that one read has the time to check.
         *
         * @param beyond only jobs with an id above this one, or below it; null: from the first or the last one
         */
        Page matching(JobFilter filter, boolean ascending, @Nullable Long beyond);
    }

    /**
     * The result of one read.
     *
     * @param ids the jobs, in the order of the walk
     * @param reached the id beyond which the next read continues; null at the end
     */
    public record Page(List<Long> ids, @Nullable Long reached) {}

    /** The jobs in one state, by the index of that state, as far as they are read. */
    private static final class Listing {
        private final JobFilter filter;
        private final Deque<Long> found = new ArrayDeque<>();
        private @Nullable Long reached;
        private boolean begun;

        Listing(JobFilter filter) {
            this.filter = filter;
        }

        boolean isAtEnd() {
            return begun && reached == null;
        }
    }

    private ChangeByFilter(Change change, Source source) {
        this.source = source;
        this.listings = change.listings().stream().map(Listing::new).toList();
        // Children are changed before their parents, because the end of a parent would release them. A deletion of a
        // parent needs this order, too. Retried jobs keep their order: that walk is ascending, and ends with the jobs
        // that exist now.
        this.ascending = change.verb() == Change.Verb.RETRY;
        this.order = ascending ? Comparator.naturalOrder() : Comparator.reverseOrder();
        this.end = ascending ? source.newestJob() : null;
    }

    /**
     * Makes a change: by id in one transaction, by filter in transactions of at most 1000 jobs. A change by filter blocks until the last batch is
     * written. Committed batches stay when a later batch fails, and the failure tells how many jobs they changed.
     */
    public static CompletableFuture<ChangeResult> run(OpenStore store, Change change) {
        return change.ids() == null ? run(change, store, store::submit) : store.submit(change);
    }

    /**
     * Makes a change by filter.
     *
     * @param submit makes one batch in one transaction
     */
    static CompletableFuture<ChangeResult> run(
            Change change, Source source, Function<Change, CompletableFuture<ChangeResult>> submit) {
        ChangeResult done = new ChangeResult(0, List.of());
        try {
            ChangeByFilter jobs = new ChangeByFilter(change, source);
            for (List<Long> part = jobs.next(left(change, done));
                    !part.isEmpty();
                    part = jobs.next(left(change, done))) {
                done = sum(done, submit.apply(change.part(part)).get());
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return CompletableFuture.failedFuture(new OutcomeUnknownException(
                    cutShort("interrupted while the next jobs were changed: they may have been changed or not", done),
                    List.of()));
        } catch (ExecutionException e) {
            return CompletableFuture.failedFuture(cutShort(e.getCause(), done));
        } catch (WindrowException e) {
            return CompletableFuture.failedFuture(cutShort(e, done));
        }
        return CompletableFuture.completedFuture(done);
    }

    /** Returns how many jobs may still be changed in one transaction. */
    private static long left(Change change, ChangeResult done) {
        return change.max() == null ? PART : Math.min(PART, change.max() - done.count());
    }

    /** Returns the next jobs in order, at most {@code most}; none at the end. */
    private List<Long> next(long most) {
        List<Long> part = new ArrayList<>();
        while (part.size() < most) {
            Listing behind = behind();
            Long id = first();
            if (id == null || (behind != null && (!behind.begun || isBeyond(id, behind.reached)))) {
                if (behind == null || isBeyond(behind.reached, end)) {
                    return part;
                }
                read(behind);
            } else if (isBeyond(id, end)) {
                return part;
            } else {
                // A job that has changed its state between two reads is in two listings.
                for (Listing listing : listings) {
                    if (id.equals(listing.found.peekFirst())) {
                        listing.found.removeFirst();
                    }
                }
                part.add(id);
            }
        }
        return part;
    }

    /** Returns the listing that is read the least far; null when all are read to the end. */
    private @Nullable Listing behind() {
        Listing behind = null;
        for (Listing listing : listings) {
            if (!listing.begun) {
                return listing;
            }
            if (!listing.isAtEnd() && (behind == null || isBeyond(behind.reached, listing.reached))) {
                behind = listing;
            }
        }
        return behind;
    }

    /** Returns the first of the jobs that are read. */
    private @Nullable Long first() {
        Long first = null;
        for (Listing listing : listings) {
            Long id = listing.found.peekFirst();
            if (id != null && (first == null || isBeyond(first, id))) {
                first = id;
            }
        }
        return first;
    }

    private boolean isBeyond(@Nullable Long id, @Nullable Long other) {
        return id != null && other != null && order.compare(id, other) > 0;
    }

    private void read(Listing listing) {
        Page page = source.matching(listing.filter, ascending, listing.reached);
        listing.begun = true;
        listing.reached = page.reached();
        listing.found.addAll(page.ids());
    }

    private static ChangeResult sum(ChangeResult a, ChangeResult b) {
        List<Long> ids = new ArrayList<>(a.ids());
        for (long id : b.ids()) {
            if (ids.size() < 100) {
                ids.add(id);
            }
        }
        return new ChangeResult(a.count() + b.count(), ids, a.skipped() + b.skipped(), null);
    }

    private static Throwable cutShort(@Nullable Throwable failure, ChangeResult done) {
        if (failure instanceof StoreUnavailableException) {
            return new StoreUnavailableException(cutShort(failure.getMessage(), done), failure);
        }
        if (failure instanceof OutcomeUnknownException) {
            return new OutcomeUnknownException(cutShort(failure.getMessage(), done), List.of());
        }
        return new WindrowException(cutShort(String.valueOf(failure), done), failure);
    }

    private static String cutShort(@Nullable String why, ChangeResult done) {
        return "%s; %d jobs were changed before: repeat the same change for the remaining jobs"
                .formatted(why, done.count());
    }
}
