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
 * How a worker was configured.
 *
 * @param id its name, and what tells it apart from other workers of this name
 * @param queues the queues that it serves, each with how many of its jobs the worker holds at most
 * @param registrations its handlers by the names of their types, aliases included
 * @param middleware what wraps each handler call, the outermost first
 * @param concurrency how many slots it has
 * @param lease how long a claim holds without renewal
 * @param poll how often it looks for work at least
 * @param drainTimeout how long close() lets handlers go on
 * @param defaultTimeout the time limit of an attempt when neither job nor type has one
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
        Duration defaultTimeout) {
    /** The limit of a queue that has none. */
    static final int UNLIMITED = Integer.MAX_VALUE;

    /** Refuses a time to wait that is negative: it would be as good as none, and is a mistake of the caller's. */
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
