package dev.windrow.query;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobInfo;
import dev.windrow.JobSelection;
import dev.windrow.payload.Metadata;
import java.util.function.Consumer;

/**
 * A listing of the jobs that match a filter. Made by {@link JobSelection#newestFirst} or {@link JobSelection#oldestFirst}. Immutable.
 *
 * <p>Pages are found by the ids of jobs, which grow with the time of the enqueue. So jobs that are enqueued or deleted between two pages neither
 * repeat nor hide other jobs. Each page reads one snapshot and blocks no writer.
 *
 * <p>A filter with an index fills the page. A filter by a name, a priority or a time alone has no index. It is checked job by job, for
 * at most 20 000 jobs a page. Then the page may be short or empty, and {@link JobPage#next} is the position where the next call
 * continues.
 */
@CheckReturnValue
public interface JobQuery {
    /** The default number of jobs of a page: 50. */
    int DEFAULT_LIMIT = 50;

    /** The maximum number of jobs of a page: 1000. */
    int MAX_LIMIT = 1000;

    /**
     * Returns the query with this maximum number of jobs, 1 to 1000. It applies to a page and to a {@linkplain #search search}, default 50, and to
     * {@link #forEach}, default all.
     *
     * @throws InvalidRequestException if the number is out of range
     */
    JobQuery limit(int limit);

    /**
     * Returns the query for the page after this position.
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
     * Searches for jobs by the content of their payloads. There is no index: payloads are read and compared one by one, and {@link JobMatches#next}
     * is the position where another call continues. Payloads that are stored separately are read up to 1 MiB each and 64 MiB a call. Longer payloads,
     * bytes, and lost payloads are skipped and counted.
     *
     * @param match the condition on the payload
     * @param look the number of payloads to compare, 1 to 100 000
     * @throws InvalidRequestException if the filter has no state, type, queue, tag, workflow, chain or parent. Also if {@code look} is out of range,
     *     or the query is for a page before a position
     */
    JobMatches search(PayloadMatch match, int look);

    /** Searches the metadata of up to 10 000 jobs; see {@link #searchMetadata(PayloadMatch, int)}. */
    default JobMatches searchMetadata(PayloadMatch match) {
        return searchMetadata(match, 10_000);
    }

    /**
     * Searches for jobs by their {@linkplain Metadata metadata}, in the way of {@link #search(PayloadMatch, int)}. There is no index.
     *
     * @param match the condition on the metadata
     * @param look the number of jobs whose metadata are compared, 1 to 100 000
     * @throws InvalidRequestException in the cases of {@link #search(PayloadMatch, int)}
     */
    JobMatches searchMetadata(PayloadMatch match, int look);
}
