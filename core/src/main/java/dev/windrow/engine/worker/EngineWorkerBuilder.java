package dev.windrow.engine.worker;

import dev.windrow.BatchHandler;
import dev.windrow.Durations;
import dev.windrow.Handler;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobType;
import dev.windrow.Middleware;
import dev.windrow.VoidHandler;
import dev.windrow.Worker;
import dev.windrow.engine.Machine;
import dev.windrow.engine.NameRule;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.WorkerId;
import dev.windrow.validation.Bounds;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Collects the settings and handlers of an {@link EngineWorker}. */
public final class EngineWorkerBuilder implements Worker.Builder {
    private final WorkerGroup workers;
    private final Map<String, Registration<?, ?>> registrations = new LinkedHashMap<>();
    private final Map<String, Integer> queues = new LinkedHashMap<>();
    private final Map<String, Duration> queueTimeouts = new HashMap<>();
    private final List<Middleware> middleware = new ArrayList<>();
    private @Nullable String name;
    private int concurrency = 10;
    private Duration lease = Duration.ofSeconds(30);
    private Duration poll = Duration.ofSeconds(30);
    private Duration drainTimeout = Duration.ofSeconds(30);
    private Duration defaultTimeout = Duration.ofHours(1);
    private int minPriority = Claim.EVERY_PRIORITY;

    public EngineWorkerBuilder(WorkerGroup workers) {
        this.workers = workers;
    }

    @Override
    public <I extends @Nullable Object, O extends @Nullable Object> EngineWorkerBuilder handle(
            JobType<I, O> type, Handler<I, O> handler) {
        return register(new Registration.OfOne<>(type, handler));
    }

    @Override
    public <I extends @Nullable Object, O extends @Nullable Object> EngineWorkerBuilder handleBatch(
            JobType<I, O> type, int max, Duration linger, BatchHandler<I, O> handler) {
        return register(new Registration.OfBatch<>(
                type,
                range("batch size of type '" + type.name() + "'", max, 1, 1000),
                range("linger of type '" + type.name() + "'", linger, Duration.ZERO, Duration.ofSeconds(10)),
                handler));
    }

    private EngineWorkerBuilder register(Registration<?, ?> registration) {
        JobType<?, ?> type = registration.type();
        List<String> names = new ArrayList<>(type.aliases());
        names.add(type.name());
        for (String known : names) {
            if (registrations.containsKey(known)) {
                throw new InvalidRequestException("job type '%s' has a handler already".formatted(known));
            }
        }
        workers.checkCodec(type);
        names.forEach(known -> registrations.put(known, registration));
        return this;
    }

    @Override
    @SuppressWarnings("NullAway") // The result of such a type is always null.
    public <I extends @Nullable Object> EngineWorkerBuilder handleVoid(
            JobType<I, @Nullable Void> type, VoidHandler<I> handler) {
        return handle(type, (input, job) -> {
            handler.handle(input, job);
            return null;
        });
    }

    @Override
    public EngineWorkerBuilder name(String name) {
        this.name = NameRule.check("worker name", name);
        return this;
    }

    @Override
    public EngineWorkerBuilder queue(String name) {
        return addQueue(name, Settings.UNLIMITED);
    }

    @Override
    public EngineWorkerBuilder queue(String name, int limit) {
        return addQueue(name, range("limit of queue '" + name + "'", limit, 1, 1000));
    }

    private EngineWorkerBuilder addQueue(String queue, int limit) {
        if (queues.putIfAbsent(NameRule.check("queue", queue), limit) != null) {
            throw new InvalidRequestException("queue '%s' is named twice".formatted(queue));
        }
        return this;
    }

    @Override
    public EngineWorkerBuilder concurrency(int concurrency) {
        this.concurrency = range("concurrency", concurrency, 1, 1000);
        return this;
    }

    @Override
    public EngineWorkerBuilder minPriority(int minPriority) {
        this.minPriority = range("minimum priority", minPriority, Short.MIN_VALUE, Short.MAX_VALUE);
        return this;
    }

    @Override
    public EngineWorkerBuilder lease(Duration lease) {
        this.lease = range("lease", lease, Duration.ofSeconds(1), Duration.ofHours(1));
        return this;
    }

    @Override
    public EngineWorkerBuilder poll(Duration poll) {
        this.poll = range("poll", poll, Duration.ofMillis(10), Duration.ofMinutes(1));
        return this;
    }

    @Override
    public EngineWorkerBuilder drainTimeout(Duration drainTimeout) {
        this.drainTimeout = range("drain timeout", drainTimeout, Duration.ZERO, Duration.ofDays(1));
        return this;
    }

    @Override
    public EngineWorkerBuilder defaultTimeout(Duration defaultTimeout) {
        this.defaultTimeout = range("default timeout", defaultTimeout, Duration.ofMillis(1), Duration.ofDays(3650));
        return this;
    }

    @Override
    public EngineWorkerBuilder defaultTimeout(String queue, Duration defaultTimeout) {
        queueTimeouts.put(
                Bounds.queue(queue),
                range(
                        "default timeout of queue '" + queue + "'",
                        defaultTimeout,
                        Duration.ofMillis(1),
                        Duration.ofDays(3650)));
        return this;
    }

    @Override
    public EngineWorkerBuilder middleware(Middleware middleware) {
        this.middleware.add(middleware);
        return this;
    }

    @Override
    public Worker start() {
        if (registrations.isEmpty()) {
            throw new InvalidRequestException("the worker has no handlers: register at least one with handle(...)");
        }
        return workers.start(settings());
    }

    /** Returns a worker that runs only what its caller runs. It may have no handlers. */
    ManualWorker startManually() {
        return workers.startManually(settings(), queues.isEmpty());
    }

    private Settings settings() {
        Map<String, Integer> served =
                queues.isEmpty() ? Map.of("default", Settings.UNLIMITED) : new LinkedHashMap<>(queues);
        for (String queue : queueTimeouts.keySet()) {
            if (!served.containsKey(queue)) {
                throw new InvalidRequestException("default timeout of queue '%s' is not allowed: the worker serves %s"
                        .formatted(queue, served.keySet()));
            }
        }
        return new Settings(
                /* id= */ new WorkerId(
                        name == null ? Machine.workerName() : name,
                        UUID.randomUUID().toString()),
                /* queues= */ served,
                /* registrations= */ Map.copyOf(registrations),
                /* middleware= */ List.copyOf(middleware),
                /* concurrency= */ concurrency,
                /* lease= */ lease,
                /* poll= */ poll,
                /* drainTimeout= */ drainTimeout,
                /* defaultTimeout= */ defaultTimeout,
                /* queueTimeouts= */ Map.copyOf(queueTimeouts),
                /* minPriority= */ minPriority);
    }

    private static int range(String what, int value, int min, int max) {
        if (value < min || value > max) {
            throw new InvalidRequestException("%s %d is not allowed: %d to %d".formatted(what, value, min, max));
        }
        return value;
    }

    private static Duration range(String what, Duration value, Duration min, Duration max) {
        if (value.compareTo(min) < 0 || value.compareTo(max) > 0) {
            throw new InvalidRequestException("%s %s is not allowed: %s to %s"
                    .formatted(what, Durations.text(value), Durations.text(min), Durations.text(max)));
        }
        return value;
    }
}
