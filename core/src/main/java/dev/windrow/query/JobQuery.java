package dev.windrow.query;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobInfo;
import dev.windrow.JobSelection;
import java.util.function.Consumer;

/**
 * A listing of the jobs that match a filter. Made by {@link JobSelection#newestFirst} or {@link JobSelection#oldestFirst}; immutable.
 *
 * <p>Pages are found by the ids of jobs, which grow with the time of enqueuing: jobs that come and go meanwhile neither repeat nor hide others. Each
 * page reads one snapshot and holds up no writer. A filter with an index fills the page. A filter without one (a name, a dedupe key, a priority, a
 * time) is checked job by job, for about ten thousand jobs a page at most: then the page is short or empty, and {@link JobPage#next} says
 * where to continue.
 */
@CheckReturnValue
public interface JobQuery {
    /** The most jobs of a page by default. */
    int DEFAULT_LIMIT = 50;

    /** The most jobs that a page may have. */
    int MAX_LIMIT = 1000;

    /**
     * Returns the query for at most this many jobs, 1 to 1000: of a page and of a {@linkplain #search search}, default 50, and of {@link #forEach},
     * default all.
     *
     * @throws InvalidRequestException if it is out of range
     */
    JobQuery limit(int limit);

    /**
     * Returns the query for the page behind this position.
     *
     * @param position {@link JobPage#next} of another page
     */
    JobQuery after(long position);

    /**
     * Returns the query for the page before this position.
     *
     * @param position {@link JobPage#previous} of another page
     */
    JobQuery before(long position);

    /** Reads the page. */
    JobPage page();

    /** Reads a page of at most this many jobs: 1 to 1000. */
    default JobPage page(int limit) {
        return limit(limit).page();
    }

    /**
     * Reads page after page and passes each job to the action, on the caller's thread.
     *
     * @throws InvalidRequestException if the query is for a page before a position
     */
    void forEach(Consumer<JobInfo> action);

    /** Searches the payloads of up to 10 000 jobs; see {@link #search(PayloadMatch, int)}. */
    default JobMatches search(PayloadMatch match) {
        return search(match, 10_000);
    }

    /**
     * Searches for jobs by the content of their payloads. No index knows it: payloads are read and compared one by one, and {@link JobMatches#next} says
     * where another call continues. Payloads that are stored apart are read up to 1 MiB each and 64 MiB a call. Longer ones, bytes, and lost
     * ones are skipped and counted.
     *
     * @param match the content that is searched for
     * @param look how many payloads to compare, 1 to 100 000
     * @throws InvalidRequestException if the filter names no state, type, queue, tag, workflow, chain or parent, {@code look} is out of range, or the query is
     *     for a page before a position
     */
    JobMatches search(PayloadMatch match, int look);
}
