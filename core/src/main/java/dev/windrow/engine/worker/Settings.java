package dev.windrow.engine.worker;

import dev.windrow.Durations;
import dev.windrow.InvalidRequestException;
import dev.windrow.Middleware;
import dev.windrow.store.job.WorkerId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The configuration of a worker.
 *
 * @param id the worker's name, and a unique id that distinguishes it from other workers of this name
 * @param queues the queues of the worker, each with the most jobs that the worker holds from it
 * @param registrations the handlers by the names of their types, including aliases
 * @param middleware the middleware around each handler call, the outermost first
 * @param concurrency the number of slots
 * @param lease how long a claim is valid without renewal
 * @param poll the longest time between two polls for work
 * @param drainTimeout how long close() lets handlers continue
 * @param defaultTimeout the time limit of an attempt if job, type and queue have none
 * @param queueTimeouts the time limits of attempts by queue, if neither job nor type has one
 * @param minPriority the lowest priority of jobs that it takes
 */
public record Settings(
        WorkerId id,
        Map<String, Integer> queues,
        Map<String, Registration<?, ?>> registrations,
        List<Middleware> middleware,
        int concurrency,
        Duration lease,
        Duration poll,
        Duration drainTimeout,
        Duration defaultTimeout,
        Map<String, Duration> queueTimeouts,
        int minPriority) {
    /** The limit of a queue without a limit. */
    static final int UNLIMITED = Integer.MAX_VALUE;

    /** Throws for a negative time to wait: it would have the effect of zero, and is a mistake of the caller. */
    public static void notNegative(String what, Duration value) {
        if (value.isNegative()) {
            throw new InvalidRequestException(
                    "%s %s is not allowed: 0s or more".formatted(what, Durations.text(value)));
        }
    }

    String name() {
        return id.name();
    }

    Set<String> types() {
        return registrations.keySet();
    }

    long renewNanos() {
        return lease.toNanos() / 3;
    }
}
