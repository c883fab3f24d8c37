package dev.windrow.store.job;

import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.query.JobFilter;
import dev.windrow.store.OpenStore;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.Deque;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A change of the jobs that match a filter, batch by batch. Each batch is written after the one before, and workers continue in between. The jobs are
 * searched page by page, in the order in which they are changed, and never more than some pages are in memory. Each job is found once, in its state
 * when its page is read. Jobs that are enqueued after the change has begun are left out, as far as ids grow with time.
 */
public final class ChangeByFilter {
    /** The most jobs that one transaction changes. */
    private static final int PART = 1000;
    /** The number of rows that one read may look at. A read has 5 s, and this many take less than one. */
    private static final int READ = 100_000;
    /** The same for a quick dry run, which stops between two reads. */
    private static final int QUICK_READ = 20_000;
    /** The number of rows that a quick dry run looks at. */
    private static final int QUICK_LOOK = 100_000;
    /** The time after which a quick dry run begins no further read. */
    private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    /** The number of deleted children that a dry run remembers. They take a few megabytes. */
    private static final int REMEMBERED = 100_000;

    private final Source source;
    private final Budget budget;
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
         * Returns the next matching jobs.
         *
         * @param beyond only jobs with an id above this one, or below it; null: from the first or the last one
         * @param look the number of rows that may be read, positive
         */
        Page matching(JobFilter filter, boolean ascending, @Nullable Long beyond, int look);
    }

    /**
     * The result of one read.
     *
     * @param ids the jobs, in the order of the walk
     * @param reached the id beyond which the next read continues; null at the end
     * @param looked the number of rows that were read
     */
    public record Page(List<Long> ids, @Nullable Long reached, int looked) {}

    /** The rows that a change may look at, and the time for that. */
    private static final class Budget {
        private final LongSupplier nanoTime;
        private final long began;
        private final long nanos;
        private final int read;
        private long left;

        private Budget(LongSupplier nanoTime, long nanos, int read, long look) {
            this.nanoTime = nanoTime;
            this.began = nanoTime.getAsLong();
            this.nanos = nanos;
            this.read = read;
            this.left = look;
        }

        static Budget unlimited() {
            return new Budget(() -> 0, Long.MAX_VALUE, READ, Long.MAX_VALUE);
        }

        static Budget quick(LongSupplier nanoTime) {
            return new Budget(nanoTime, QUICK_NANOS, QUICK_READ, QUICK_LOOK);
        }

        boolean isLate() {
            return nanoTime.getAsLong() - began >= nanos;
        }

        boolean isOver() {
            return left <= 0 || isLate();
        }

        /** Returns the number of rows for the next read. */
        int look() {
            return (int) Math.min(left, read);
        }

        void looked(int rows) {
            left -= rows;
        }
    }

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

    /**
     * The jobs that a dry run would have deleted and that keep their parents while they exist. Of very many only the last ones are known. The walk is
     * from the newest job to the oldest, and most children are a little younger than their parents.
     */
    private static final class Gone {
        private final Set<Long> jobs = new LinkedHashSet<>();
        private final Set<Long> view = Collections.unmodifiableSet(jobs);
        private boolean forgets;

        void add(List<Long> more) {
            jobs.addAll(more);
            if (jobs.size() > REMEMBERED) {
                forgets = true;
                Iterator<Long> oldest = jobs.iterator();
                while (jobs.size() > REMEMBERED) {
                    Long unused = oldest.next();
                    oldest.remove();
                }
            }
        }

        /** True if a part may have skipped a job because of a child that is not known any more. */
        boolean isDoubtful(ChangeResult part) {
            return forgets && part.skipped() > 0;
        }
    }

    private ChangeByFilter(Change change, Source source, Budget budget) {
        this.source = source;
        this.budget = budget;
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
     * Makes a dry run by filter that ends within about a second. It stops looking after half a second, or after 100 000 rows, and then says so in its
     * result.
     *
     * @param nanoTime the clock of {@link dev.windrow.TimeSource#nanoTime}
     */
    public static CompletableFuture<ChangeResult> quickly(OpenStore store, Change change, LongSupplier nanoTime) {
        return quickly(change, store, store::submit, nanoTime);
    }

    static CompletableFuture<ChangeResult> quickly(
            Change change,
            Source source,
            Function<Change, CompletableFuture<ChangeResult>> submit,
            LongSupplier nanoTime) {
        return run(change, source, submit, Budget.quick(nanoTime));
    }

    /**
     * Makes a change by filter.
     *
     * @param submit makes one batch in one transaction
     */
    static CompletableFuture<ChangeResult> run(
            Change change, Source source, Function<Change, CompletableFuture<ChangeResult>> submit) {
        return run(change, source, submit, Budget.unlimited());
    }

    private static CompletableFuture<ChangeResult> run(
            Change change, Source source, Function<Change, CompletableFuture<ChangeResult>> submit, Budget budget) {
        ChangeResult done = new ChangeResult(0, List.of());
        Gone gone = new Gone();
        try {
            ChangeByFilter jobs = new ChangeByFilter(change, source, budget);
            List<Long> part = jobs.next(left(change, done));
            while (!part.isEmpty()) {
                ChangeResult result = submit.apply(change.part(part, gone.view)).get();
                done = sum(done, result, gone.isDoubtful(result));
                gone.add(result.children());
                part = budget.isLate() ? List.of() : jobs.next(left(change, done));
            }
            if (left(change, done) > 0 && jobs.isCut()) {
                done = sum(done, new ChangeResult(0, List.of()), true);
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
            Listing behind = budget.isOver() ? null : behind();
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

    /** True if there may be jobs that were not returned, because the budget was used up. */
    private boolean isCut() {
        Long id = first();
        Listing behind = behind();
        return (id != null && !isBeyond(id, end)) || (behind != null && !isBeyond(behind.reached, end));
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
        Page page = source.matching(listing.filter, ascending, listing.reached, budget.look());
        budget.looked(page.looked());
        listing.begun = true;
        listing.reached = page.reached();
        listing.found.addAll(page.ids());
    }

    private static ChangeResult sum(ChangeResult a, ChangeResult b, boolean atLeast) {
        List<Long> ids = new ArrayList<>(a.ids());
        for (long id : b.ids()) {
            if (ids.size() < 100) {
                ids.add(id);
            }
        }
        return new ChangeResult(
                /* count= */ a.count() + b.count(),
                /* ids= */ ids,
                /* skipped= */ a.skipped() + b.skipped(),
                /* next= */ null,
                /* atLeast= */ a.atLeast() || atLeast,
                /* children= */ List.of());
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
