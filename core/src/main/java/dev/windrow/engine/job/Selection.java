package dev.windrow.engine.job;

import dev.windrow.BulkResult;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobInfo;
import dev.windrow.JobSelection;
import dev.windrow.Retry;
import dev.windrow.engine.Answers;
import dev.windrow.engine.query.Search;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobMatches;
import dev.windrow.query.JobPage;
import dev.windrow.query.JobQuery;
import dev.windrow.query.PayloadMatch;
import dev.windrow.store.Author;
import dev.windrow.store.OpenStore;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.query.PageRequest;
import dev.windrow.validation.Bounds;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** The jobs that match a filter. */
public record Selection(
        Reads reads,
        LongSupplier nanoTime,
        Author author,
        JobFilter filter,
        Mode mode,
        @Nullable Integer max) implements JobSelection {
    /** The effect of a verb on the jobs. */
    enum Mode {
        CHANGE,
        PREVIEW,
        QUICK_PREVIEW
    }

    /** Creates the selection of all jobs that match, for changes. */
    public Selection(Reads reads, LongSupplier nanoTime, Author author, JobFilter filter) {
        this(
                /* reads= */ reads,
                /* nanoTime= */ nanoTime,
                /* author= */ author,
                /* filter= */ filter,
                /* mode= */ Mode.CHANGE,
                /* max= */ null);
    }

    @Override
    public JobSelection preview() {
        return with(Mode.PREVIEW, max);
    }

    @Override
    public JobSelection quickPreview() {
        return with(Mode.QUICK_PREVIEW, max);
    }

    @Override
    public JobSelection withMaxJobs(int jobs) {
        return with(mode, Bounds.range("max jobs", jobs, 1, Integer.MAX_VALUE));
    }

    private Selection with(Mode other, @Nullable Integer jobs) {
        return new Selection(
                /* reads= */ reads,
                /* nanoTime= */ nanoTime,
                /* author= */ author,
                /* filter= */ filter,
                /* mode= */ other,
                /* max= */ jobs);
    }

    @Override
    public BulkResult cancel() {
        return change(Change.Verb.CANCEL, UnaryOperator.identity());
    }

    @Override
    public BulkResult retry(Retry how) {
        return change(Change.Verb.RETRY, Verbs.retrying(how));
    }

    @Override
    public BulkResult trigger() {
        return change(Change.Verb.TRIGGER, UnaryOperator.identity());
    }

    @Override
    public BulkResult delete() {
        return change(Change.Verb.DELETE, UnaryOperator.identity());
    }

    private BulkResult change(Change.Verb verb, UnaryOperator<Change.Builder> options) {
        Change change = options.apply(Change.byFilter(verb, filter, author.actor()))
                .reason(author.reason())
                .dryRun(mode != Mode.CHANGE)
                .max(max)
                .build();
        ChangeResult result = Answers.get(
                mode == Mode.QUICK_PREVIEW
                        ? ChangeByFilter.quickly(reads.store(), change, nanoTime)
                        : ChangeByFilter.run(reads.store(), change),
                "changing jobs (" + change.verb() + ")");
        return new BulkResult(
                result.count(),
                result.ids(),
                result.skipped(),
                result.atLeast() ? BulkResult.Extent.AT_LEAST : BulkResult.Extent.EXACT);
    }

    @Override
    public long count() {
        long count = 0;
        PageRequest next = PageRequest.of(filter).limit(JobQuery.MAX_LIMIT);
        while (true) {
            JobPage page = reads.store().list(next);
            count += page.jobs().size();
            if (page.next() == null) {
                return count;
            }
            next = next.after(page.next());
        }
    }

    @Override
    public JobQuery newestFirst() {
        return new Query(reads, PageRequest.of(filter), null);
    }

    @Override
    public JobQuery oldestFirst() {
        return new Query(reads, PageRequest.of(filter).oldestFirst(), null);
    }

    /**
     * A listing of the jobs. With {@code max} null, {@link #forEach} passes all jobs and {@link #page} has the default
     * size.
     */
    private record Query(
            Reads reads, PageRequest request, @Nullable Integer max) implements JobQuery {
        @Override
        public JobQuery limit(int limit) {
            return new Query(reads, request.limit(limit), limit);
        }

        @Override
        public JobQuery after(long position) {
            return new Query(reads, request.after(position), max);
        }

        @Override
        public JobQuery before(long position) {
            return new Query(reads, request.before(position), max);
        }

        @Override
        public JobPage page() {
            return reads.store().list(request);
        }

        @Override
        public void forEach(Consumer<JobInfo> action) {
            if (request.before() != null) {
                throw new InvalidRequestException("forEach goes forward: give a position to begin after, not before");
            }
            long left = max == null ? Long.MAX_VALUE : max;
            PageRequest next = max == null ? request.limit(JobQuery.MAX_LIMIT) : request;
            while (true) {
                JobPage page = reads.store().list(next);
                for (JobInfo job : page.jobs()) {
                    action.accept(job);
                    if (--left == 0) {
                        return;
                    }
                }
                if (page.next() == null) {
                    return;
                }
                next = next.after(page.next());
            }
        }

        @Override
        public JobMatches search(PayloadMatch match, int look) {
            return new Search(reads.store(), reads.store()::payloads, reads::loaded).search(request, match, look);
        }

        @Override
        public JobMatches searchMetadata(PayloadMatch match, int look) {
            OpenStore store = reads.store();
            return new Search(store, store::metadata, UnaryOperator.identity()).search(request, match, look);
        }
    }
}
