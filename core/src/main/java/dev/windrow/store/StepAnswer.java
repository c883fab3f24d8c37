package dev.windrow.store;

import dev.windrow.JobStory;

/**
 * A durable step as it stands.
 *
 * @param step the step
 * @param isNew whether it was not there before
 */
public record StepAnswer(JobStory.Step step, boolean isNew) {}
