package dev.windrow;

import java.lang.reflect.Type;
import org.jspecify.annotations.Nullable;

/**
 * The answer to an enqueue: a reference to the job, and what has happened. The job is durable when a verb of {@link Windrow} returns this. It
 * commits with the caller's transaction when a verb on a connection returns it. Equal to every reference to the same job.
 *
 * @param <O> the type of the job's result
 */
public final class Enqueued<O extends @Nullable Object> extends JobRef<O> {
    private final JobState state;
    private final boolean deduplicated;

    Enqueued(long id, Type output, JobState state, boolean deduplicated) {
        super(id, output);
        this.state = state;
        this.deduplicated = deduplicated;
    }

    /** Returns the answer for a job of a type: for implementations of {@link Jobs}. */
    public static <O extends @Nullable Object> Enqueued<O> of(
            JobType<?, O> type, long id, JobState state, boolean deduplicated) {
        return new Enqueued<>(id, type.output(), state, deduplicated);
    }

    /**
     * Returns the job's state when it was written: {@code PENDING}, {@code SCHEDULED} or {@code BLOCKED}. Of an existing job, the state when it was
     * found; {@code COMPLETED} if it has been deleted since.
     */
    public JobState state() {
        return state;
    }

    /** True if an existing job with the same {@linkplain Dedupe key} represents this one. */
    public boolean deduplicated() {
        return deduplicated;
    }
}
