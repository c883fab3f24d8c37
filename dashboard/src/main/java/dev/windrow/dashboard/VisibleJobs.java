package dev.windrow.dashboard;

import dev.windrow.JobInfo;
import dev.windrow.query.JobPage;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * A page of the jobs in several queues, merged from a page of each of them. A page of all queues without the hidden jobs would tell of these: its cursor
 * exists if one of them matches the filter.
 */
final class VisibleJobs {
    private final NavigableMap<Long, JobInfo> found;
    private final Comparator<Long> order;
    private @Nullable Long reached;
    private @Nullable Long back;

    private VisibleJobs(Comparator<Long> order) {
        this.order = order;
        this.found = new TreeMap<>(order);
    }

    /**
     * Reads a page.
     *
     * @param ascending true if the pages are read from small ids to large ones
     * @param backwards true if they are before a cursor: their jobs are then in the opposite order
     * @param read returns the page of a queue
     */
    static JobPage page(
            Collection<String> queues,
            int limit,
            boolean ascending,
            boolean backwards,
            Function<String, JobPage> read) {
        VisibleJobs all = new VisibleJobs(ascending ? Comparator.naturalOrder() : Comparator.reverseOrder());
        for (String queue : queues) {
            JobPage page = read.apply(queue);
            all.add(page.jobs(), backwards ? page.previous() : page.next(), backwards ? page.next() : page.previous());
        }
        return all.page(limit, backwards);
    }

    private void add(List<JobInfo> jobs, @Nullable Long end, @Nullable Long begin) {
        jobs.forEach(job -> found.put(job.id(), job));
        reached = first(reached, end);
        back = first(back, begin);
    }

    private @Nullable Long first(@Nullable Long one, @Nullable Long other) {
        return one == null || (other != null && order.compare(other, one) < 0) ? other : one;
    }

    private JobPage page(int limit, boolean backwards) {
        // Beyond the place that the read of one queue has reached, jobs of that queue may be missing.
        List<JobInfo> jobs = new ArrayList<>((reached == null ? found : found.headMap(reached, true)).values());
        Long end = reached;
        if (jobs.size() > limit) {
            jobs = jobs.subList(0, limit);
            end = jobs.get(limit - 1).id();
        }
        if (!backwards) {
            return new JobPage(jobs, end, back);
        }
        Collections.reverse(jobs);
        return new JobPage(jobs, back, end);
    }
}
