package dev.windrow.step;

import dev.windrow.JobContext;

/**
 * A {@link StepWork} without a result: see {@link JobContext#stepVoid}.
 *
 * @param <E> what it throws; a lambda that throws nothing checked needs no word about it
 */
@FunctionalInterface
public interface VoidStepWork<E extends Exception> {
    /** Does the work. To return is to have done it; what it throws fails the step, of which nothing is stored. */
    void run() throws E;
}
