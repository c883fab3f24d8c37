package dev.windrow.testkit;

import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The outcome of a {@linkplain WindrowTest#call call of a handler alone}, as the engine has recorded it.
 *
 * @param <O> the type of the result
 */
public interface Outcome<O extends @Nullable Object> {
    /** The job of the call, for {@link WindrowTest#assertThat}. */
    JobRef<O> job();

    /** The job after the attempt: its state, its error code, and the time of the next attempt if it is {@code SCHEDULED}. */
    JobInfo info();

    /**
     * The result, encoded and decoded again. Null if the type has no result.
     *
     * @throws AssertionError if the job is not {@code COMPLETED}, with its story
     */
    O result();

    /** The exception of the handler. */
    Optional<Throwable> thrown();
}
