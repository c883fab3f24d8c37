package dev.windrow.store.step;

import dev.windrow.JobHistory;

/**
 * A durable step as it stands.
 *
 * @param step the step
 * @param isNew whether it was not there before
 */
public record StepAnswer(JobHistory.Step step, boolean isNew) {}
