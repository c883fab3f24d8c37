package dev.windrow.spring;

import dev.windrow.Worker;

/**
 * Applies everything that the auto-configuration knows of a worker: properties, methods with {@link JobHandler}, providers, middleware and customizers.
 * There is a bean of this type also if {@code windrow.worker.enabled} is false. So an application can start a worker by itself:
 *
 * <pre>{@code
 * Worker.Builder builder = windrow.worker();
 * configurer.configure(builder);
 * Worker worker = builder.start();
 * }</pre>
 */
public interface WorkerBuilderConfigurer {
    /** Applies the settings, and registers the handlers. */
    void configure(Worker.Builder builder);
}
