package dev.windrow.step;

import dev.windrow.JobContext;
import org.jspecify.annotations.Nullable;

/**
 * The work of a durable step: see {@link JobContext#step}.
 *
 * @param <T> what it answers
 * @param <E> what it throws; a lambda that throws nothing checked needs no word about it
 */
@FunctionalInterface
public interface StepWork<T extends @Nullable Object, E extends Exception> {
    /** Does the work. To return is to have done it; what it throws fails the step, of which nothing is stored. */
    T run() throws E;
}
