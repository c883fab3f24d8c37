package dev.windrow.store.step;

import dev.windrow.JobHistory;

/**
 * A durable step in its present state.
 *
 * @param step the step
 * @param isNew true if it did not exist before
 */
public record StepAnswer(JobHistory.Step step, boolean isNew) {}
