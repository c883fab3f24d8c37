package dev.windrow.spring.autoconfigure;

import static dev.windrow.spring.autoconfigure.InvalidWindrowPropertyException.apply;

import dev.windrow.Durations;
import dev.windrow.HandlerProvider;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobType;
import dev.windrow.Middleware;
import dev.windrow.Worker;
import dev.windrow.limit.LimitTarget;
import dev.windrow.spring.WorkerBuilderConfigurer;
import dev.windrow.spring.WorkerBuilderCustomizer;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

/** The worker as the properties and the beans of the application describe it. */
final class ApplicationWorker implements WorkerBuilderConfigurer {
    private final WindrowProperties.Worker settings;
    private final ConfigurableListableBeanFactory beans;
    private final List<HandlerProvider> providers;
    private final List<Middleware> middleware;
    private final List<WorkerBuilderCustomizer> customizers;

    ApplicationWorker(
            WindrowProperties.Worker settings,
            ConfigurableListableBeanFactory beans,
            ObjectProvider<HandlerProvider> providers,
            ObjectProvider<Middleware> middleware,
            ObjectProvider<WorkerBuilderCustomizer> customizers) {
        this.settings = settings;
        this.beans = beans;
        this.providers = providers.orderedStream().toList();
        this.middleware = middleware.orderedStream().toList();
        this.customizers = customizers.orderedStream().toList();
    }

    /** True if nothing can register a handler. */
    boolean isEmpty() {
        return providers.isEmpty() && customizers.isEmpty() && methods().isEmpty();
    }

    Map<HandlerMethod, JobType<Object, Object>> methods() {
        return new HandlerMethods(beans).types();
    }

    /** Returns the names of the beans whose methods are called. */
    Set<String> beans() {
        return methods().keySet().stream().map(HandlerMethod::bean).collect(Collectors.toSet());
    }

    @Override
    public void configure(Worker.Builder builder) {
        set(builder);
        methods()
                .forEach((method, type) -> apply(
                        "@JobHandler of " + method.describe(),
                        method.name(),
                        () -> method.register(builder, type, beans)));
        providers.forEach(provider -> provider.register(builder));
        middleware.forEach(builder::middleware);
        customizers.forEach(customizer -> customizer.customize(builder));
    }

    private void set(Worker.Builder builder) {
        String name = settings.name();
        if (name != null) {
            apply("windrow.worker.name", name, () -> builder.name(name));
        }
        apply("windrow.worker.concurrency", settings.concurrency(), () -> builder.concurrency(settings.concurrency()));
        settings.queues().forEach(queue -> apply("windrow.worker.queues", queue, () -> addQueue(builder, queue)));
        apply("windrow.worker.lease", Durations.text(settings.lease()), () -> builder.lease(settings.lease()));
        apply("windrow.worker.poll", Durations.text(settings.poll()), () -> builder.poll(settings.poll()));
        apply(
                "windrow.worker.drain-timeout",
                Durations.text(settings.drainTimeout()),
                () -> builder.drainTimeout(settings.drainTimeout()));
        apply(
                "windrow.worker.default-timeout",
                Durations.text(settings.defaultTimeout()),
                () -> builder.defaultTimeout(settings.defaultTimeout()));
    }

    private static void addQueue(Worker.Builder builder, String text) {
        int colon = text.lastIndexOf(':');
        String name = (colon < 0 ? text : text.substring(0, colon)).trim();
        var unused = LimitTarget.queue(name);
        if (colon < 0) {
            builder.queue(name);
            return;
        }
        String limit = text.substring(colon + 1).trim();
        try {
            builder.queue(name, Integer.parseInt(limit));
        } catch (NumberFormatException e) {
            throw new InvalidRequestException(
                    "limit '%s' of queue '%s' is not a number: NAME or NAME:LIMIT, with a limit of 1 to 1000"
                            .formatted(limit, name),
                    e);
        }
    }
}
