package dev.windrow.step;

import dev.windrow.JobContext;

/**
 * A {@link StepWork} without a result; see {@link JobContext#stepVoid}.
 *
 * @param <E> the type of the checked exception. A lambda that throws no checked exception needs no declaration of it
 */
@FunctionalInterface
public interface VoidStepWork<E extends Exception> {
    /** Does the work. Returning completes the step; throwing fails it, and nothing of it is stored. */
    void run() throws E;
}
