package dev.windrow.step;

import dev.windrow.JobContext;
import org.jspecify.annotations.Nullable;

/**
 * The work of a durable step; see {@link JobContext#step}.
 *
 * @param <T> the type of the result
 * @param <E> the type of the checked exception. A lambda that throws no checked exception needs no declaration of it
 */
@FunctionalInterface
public interface StepWork<T extends @Nullable Object, E extends Exception> {
    /** Does the work. Returning completes the step; throwing fails it, and nothing of it is stored. */
    T run() throws E;
}
