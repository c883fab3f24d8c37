package dev.windrow.engine;

import dev.windrow.Durations;
import dev.windrow.Handler;
import dev.windrow.Handlers;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobType;
import dev.windrow.Middleware;
import dev.windrow.VoidHandler;
import dev.windrow.store.WorkerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Settings and handlers of a worker that is about to be started. Each method changes this builder and returns it. Not
 * safe for use by many threads.
 *
 * <p>A value out of its range is refused at once with an {@link InvalidRequestException}.
 */
public final class WorkerBuilder implements Handlers {
    private final Workers workers;
    private final Map<String, Registration<?, ?>> registrations = new LinkedHashMap<>();
    private final Map<String, Integer> queues = new LinkedHashMap<>();
    private final List<Middleware> middleware = new ArrayList<>();
    private @Nullable String name;
    private int concurrency = 10;
    private Duration lease = Duration.ofSeconds(30);
    private Duration poll = Duration.ofSeconds(30);
    private Duration drainTimeout = Duration.ofSeconds(30);
    private Duration defaultTimeout = Duration.ofHours(1);

    WorkerBuilder(Workers workers) {
        this.workers = workers;
    }

    /**
     * Registers the handler of a type, under its name and aliases. The worker claims jobs of registered types only;
     * jobs of other types wait for a worker that knows them.
     *
     * @throws InvalidRequestException if one of these names has a handler already, or the type needs a codec and there
     *     is none, or the codec refuses its input or output
     */
    @Override
    public <I, O> WorkerBuilder handle(JobType<I, O> type, Handler<I, O> handler) {
        for (String known : type.allNames()) {
            if (registrations.containsKey(known)) {
                throw new InvalidRequestException("job type '%s' has a handler already".formatted(known));
            }
        }
        workers.checkCodec(type);
        Registration<I, O> registration = new Registration<>(type, handler);
        type.allNames().forEach(known -> registrations.put(known, registration));
        return this;
    }

    /** Registers a handler without a result; see {@link #handle}. */
    @Override
    public <I> WorkerBuilder handleVoid(JobType<I, ?> type, VoidHandler<I> handler) {
        return handle(type, (input, job) -> {
            handler.handle(input, job);
            return null;
        });
    }

    /**
     * The worker's name in the registry, the event log and thread names, 1 to 200 characters; {@code host-pid-n} by
     * default. It is a label: workers of several processes may share one, and each remains a worker of its own.
     */
    public WorkerBuilder name(String name) {
        this.name = Names.check("worker name", name);
        return this;
    }

    /**
     * Serves this queue; call it once for each. The named queues are all that the worker serves: without any call it is {@code default}
     * alone, and beside others {@code default} is served only if it is named as well.
     *
     * @throws InvalidRequestException if the queue is named twice
     */
    public WorkerBuilder queue(String name) {
        return addQueue(name, Settings.UNLIMITED);
    }

    /** Serves this queue as {@link #queue(String)} does, with at most {@code limit} of its jobs in this worker's hands, 1 to 1000. */
    public WorkerBuilder queue(String name, int limit) {
        return addQueue(name, range("limit of queue '" + name + "'", limit, 1, 1000));
    }

    private WorkerBuilder addQueue(String queue, int limit) {
        if (queues.putIfAbsent(Names.check("queue", queue), limit) != null) {
            throw new InvalidRequestException("queue '%s' is named twice".formatted(queue));
        }
        return this;
    }

    /** How many jobs run at once, 1 to 1000; 10 by default. */
    public WorkerBuilder concurrency(int concurrency) {
        this.concurrency = range("concurrency", concurrency, 1, 1000);
        return this;
    }

    /**
     * How long a claim holds without renewal, 1 s to 1 h; 30 s by default. It is renewed each third of it. The jobs of a
     * dead worker run again after about one and two thirds of it. Workers that share a store should agree on it.
     */
    public WorkerBuilder lease(Duration lease) {
        this.lease = range("lease", lease, Duration.ofSeconds(1), Duration.ofHours(1));
        return this;
    }

    /**
     * How often an idle worker looks for work even if nothing told it to, 10 ms to 1 minute; 30 s by default. Hints
     * usually come within milliseconds, and the store itself looks every few seconds whether other processes have left
     * any, which is cheaper: a look of the worker is a write transaction.
     */
    public WorkerBuilder poll(Duration poll) {
        this.poll = range("poll", poll, Duration.ofMillis(10), Duration.ofMinutes(1));
        return this;
    }

    /** How long {@link Worker#close} lets running handlers go on, 0 to 1 day; 30 s by default. */
    public WorkerBuilder drainTimeout(Duration drainTimeout) {
        this.drainTimeout = range("drain timeout", drainTimeout, Duration.ZERO, Duration.ofDays(1));
        return this;
    }

    /**
     * The time limit of attempts whose job and type have none, 1 ms to 3650 days; 1 h by default. Measured from the
     * start of the handler.
     */
    public WorkerBuilder defaultTimeout(Duration defaultTimeout) {
        this.defaultTimeout = range("default timeout", defaultTimeout, Duration.ofMillis(1), Duration.ofDays(3650));
        return this;
    }

    /** Wraps each handler call; the first one added is the outermost. */
    public WorkerBuilder middleware(Middleware middleware) {
        this.middleware.add(middleware);
        return this;
    }

    /**
     * Starts the worker. Handlers run on virtual threads when the JVM has them, else on a bounded pool; all threads are
     * daemons.
     *
     * @throws InvalidRequestException if it has no handlers, or its name is taken by another worker of this {@link
     *     Windrow}
     * @throws dev.windrow.StoreUnavailableException if the store is closed
     */
    public Worker start() {
        if (registrations.isEmpty()) {
            throw new InvalidRequestException("the worker has no handlers: register at least one with handle(...)");
        }
        return workers.start(new Settings(
                /* id= */ new WorkerId(
                        name == null ? Machine.workerName() : name,
                        UUID.randomUUID().toString()),
                /* queues= */ queues.isEmpty() ? Map.of("default", Settings.UNLIMITED) : new LinkedHashMap<>(queues),
                /* registrations= */ Map.copyOf(registrations),
                /* middleware= */ List.copyOf(middleware),
                /* concurrency= */ concurrency,
                /* lease= */ lease,
                /* poll= */ poll,
                /* drainTimeout= */ drainTimeout,
                /* defaultTimeout= */ defaultTimeout));
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
