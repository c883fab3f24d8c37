package dev.windrow.examples;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;

import dev.windrow.JobContext;
import dev.windrow.JobRef;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * A job on a remote system, which is begun once and queried until it is done. Between two queries the handler sleeps. It holds no slot and no thread,
 * and may continue in another process.
 */
public final class RemoteJob {
    static final JobType<String, String> RENDER = JobType.of("film.render", String.class, String.class);

    private RemoteJob() {}

    /** The film, and the number of calls to the farm. */
    record Outcome(String film, int begun, int asked) {}

    /** A farm of machines that renders films, in its own time. */
    static final class Farm {
        private final AtomicInteger begun = new AtomicInteger();
        private final AtomicInteger asked = new AtomicInteger();

        String begin(String key, String scene) {
            return scene + "-" + key + "-" + begun.incrementAndGet();
        }

        boolean isDone(String ticket) {
            return !ticket.isEmpty() && asked.incrementAndGet() >= 3;
        }
    }

    /** Runs it, with its jobs in a new file, or in the store that the argument names. */
    public static void main(String... args) throws Exception {
        try (Windrow windrow = Place.open(args)) {
            System.out.println(run(windrow));
        }
    }

    static Outcome run(Windrow windrow) {
        Farm farm = new Farm();
        try (Worker worker = windrow.worker()
                .handle(RENDER, (scene, job) -> render(scene, job, farm))
                .start()) {
            System.out.println(worker.name() + " works");
            JobRef<String> job = windrow.enqueue(RENDER, "sunset");
            String film = Objects.requireNonNull(windrow.await(job, ofSeconds(30)));
            return new Outcome(film, farm.begun.get(), farm.asked.get());
        }
    }

    static String render(String scene, JobContext job, Farm farm) {
        String ticket = job.step("begin", String.class, () -> farm.begin(job.idempotencyKey("begin"), scene));
        // Each query and each sleep has a name of its own, so that the loop continues where it stopped.
        for (int i = 1; i <= 100; i++) {
            if (job.step("ask " + i, boolean.class, () -> farm.isDone(ticket))) {
                System.out.println(ticket + " is done, when asked for the " + i + ". time");
                return "the film of " + scene;
            }
            job.sleep("pause " + i, ofMillis(50));
        }
        throw new IllegalStateException("the farm is too slow: " + ticket);
    }
}
