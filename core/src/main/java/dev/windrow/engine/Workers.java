package dev.windrow.engine;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobType;
import java.util.List;

/** The workers of one {@link Windrow}. */
final class Workers {
    private final Surroundings surroundings;
    private final List<Worker> alive;

    Workers(Surroundings surroundings, List<Worker> alive) {
        this.surroundings = surroundings;
        this.alive = alive;
    }

    void checkCodec(JobType<?, ?> type) {
        if (!surroundings.payloads().canHandle(type.input())) {
            surroundings.payloads().codecFor(type.input());
        }
        if (!surroundings.payloads().canHandle(type.output())) {
            surroundings.payloads().codecFor(type.output());
        }
    }

    Worker start(Settings settings) {
        for (Worker other : alive) {
            if (other.name().equals(settings.name())) {
                throw new InvalidRequestException("a worker named '%s' runs already".formatted(settings.name()));
            }
        }
        Worker worker = new Worker(settings);
        alive.add(worker);
        return worker;
    }

    void close() {
        alive.forEach(Worker::close);
    }
}
