package dev.windrow;

import org.jspecify.annotations.Nullable;

/**
 * The result of an enqueue: a reference to the job, its state, and if an existing job represents it. The job is durable when a verb of
 * {@link Windrow} returns this. If a verb on a connection returns it, the job commits with the caller's transaction. Equal to every reference to the
 * same job.
 *
 * @param <O> the type of the job's result
 */
public final class Enqueued<O extends @Nullable Object> extends JobRef<O> {
    private final JobState state;
    private final boolean deduplicated;

    private Enqueued(JobType<?, O> type, long id, JobState state, boolean deduplicated) {
        super(id, type.output(), type);
        this.state = state;
        this.deduplicated = deduplicated;
    }

    /** Returns the result for a job of a type, for implementations of {@link Jobs}. */
    public static <O extends @Nullable Object> Enqueued<O> of(
            JobType<?, O> type, long id, JobState state, boolean deduplicated) {
        return new Enqueued<>(type, id, state, deduplicated);
    }

    /**
     * Returns the result for a job that is enqueued only after the commit of a transaction, for implementations of {@link Jobs}. It has no
     * {@linkplain #id id}, and its state is {@code PENDING}.
     */
    public static <O extends @Nullable Object> Enqueued<O> afterCommit(JobType<?, O> type) {
        return new Enqueued<>(type, NO_ID, JobState.PENDING, false);
    }

    /**
     * Returns the job's state when it was written: {@code PENDING}, {@code SCHEDULED} or {@code BLOCKED}. For an existing job it is the state when
     * the job was found. It is {@code COMPLETED} if that job has been deleted since.
     */
    public JobState state() {
        return state;
    }

    /** True if an existing job with the same {@linkplain Dedupe key} represents this one. */
    public boolean deduplicated() {
        return deduplicated;
    }
}
