package dev.windrow.spring;

import dev.windrow.Worker;

/**
 * Changes the settings of the {@link Worker} that the auto-configuration starts, for example to add handlers. Called at each start, in the order of
 * the beans, after the properties and the beans of the context have been applied.
 */
@FunctionalInterface
public interface WorkerBuilderCustomizer {
    /** Changes the settings. */
    void customize(Worker.Builder builder);
}
