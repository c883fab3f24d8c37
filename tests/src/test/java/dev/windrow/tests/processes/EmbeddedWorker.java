package dev.windrow.tests.processes;

import dev.windrow.JobType;
import dev.windrow.engine.Windrow;
import dev.windrow.engine.Worker;
import dev.windrow.tests.stores.Target;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * An application with a worker that is closed when its JVM ends, whose {@code main} waits for that. Arguments: the target, and the drain at
 * shutdown. It takes lines: {@code finish} lets its held jobs end, {@code close} closes the Windrow.
 */
final class EmbeddedWorker {
    /** Says {@code started ID}, and goes on until it is told to finish, whether it is interrupted or not. */
    static final JobType<String, Integer> HOLD =
            JobType.of("test.hold", String.class, Integer.class).withMaxAttempts(1);
    /** Ends its process with status 3. */
    static final JobType<String, Void> EXIT =
            JobType.of("test.exit", String.class).withMaxAttempts(1);

    private static final CountDownLatch finish = new CountDownLatch(1);

    private EmbeddedWorker() {}

    public static void main(String[] args) throws Exception {
        Windrow windrow = Windrow.open(Target.of(args[0]).newStore()).closeOnShutdown(Duration.parse(args[1]));
        Worker worker = windrow.worker()
                .handle(HOLD, (input, job) -> {
                    System.out.println("started " + job.id());
                    return hold(job.attempt());
                })
                .handleVoid(EXIT, (input, job) -> System.exit(3))
                .start();
        Thread lines = new Thread(() -> listen(windrow), "lines");
        lines.setDaemon(true);
        lines.start();
        worker.join();
    }

    private static int hold(int attempt) {
        while (true) {
            try {
                finish.await();
                return attempt;
            } catch (InterruptedException e) {
                System.out.println("interrupted");
            }
        }
    }

    private static void listen(Windrow windrow) {
        try (BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            String line;
            while ((line = in.readLine()) != null) {
                if (line.equals("finish")) {
                    finish.countDown();
                } else {
                    windrow.close();
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
