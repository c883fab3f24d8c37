package dev.windrow.tests.processes.worker;

import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.tests.stores.Target;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/**
 * An application with a worker that is closed at the end of its JVM. Arguments: the target, the drain at shutdown, and {@code leave} if {@code main}
 * ends when the first job has started. Without it, {@code main} waits for the worker. It accepts lines: {@code finish} lets its held jobs end, {@code
 * close} closes the Windrow, {@code exit} ends the JVM with status 4.
 */
final class EmbeddedWorker {
    /** A job that prints {@code started ID} and runs until a {@code finish} line, also when it is interrupted. */
    static final JobType<String, Integer> HOLD =
            JobType.of("test.hold", String.class, Integer.class).withMaxAttempts(1);
    /** A job that ends its process with status 3. */
    static final JobType<String, Void> EXIT =
            JobType.of("test.exit", String.class).withMaxAttempts(1);

    /** A job that does the same after a {@code finish} line. */
    static final JobType<String, Void> EXIT_LATER =
            JobType.of("test.exit-later", String.class).withMaxAttempts(1);

    private static final CountDownLatch started = new CountDownLatch(1);
    private static final CountDownLatch finish = new CountDownLatch(1);

    private EmbeddedWorker() {}

    public static void main(String[] args) throws Exception {
        Windrow windrow = Windrow.open(Target.of(args[0]).newStore()).closeOnShutdown(Duration.parse(args[1]));
        Worker worker = windrow.worker()
                .handle(HOLD, (input, job) -> {
                    System.out.println("started " + job.id());
                    started.countDown();
                    return hold(job.attempt());
                })
                .handleVoid(EXIT, (input, job) -> System.exit(3))
                .handleVoid(EXIT_LATER, (input, job) -> {
                    System.out.println("started " + job.id());
                    finish.await();
                    System.exit(3);
                })
                .drainTimeout(Duration.ofHours(1))
                .start();
        Thread lines = new Thread(() -> listen(windrow), "lines");
        lines.setDaemon(true);
        lines.start();
        if (args.length > 2) {
            started.await();
        } else {
            worker.join();
        }
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
                switch (line) {
                    case "finish" -> finish.countDown();
                    case "close" -> windrow.close();
                    // This call never returns, and more lines follow.
                    case "exit" -> new Thread(() -> System.exit(4), "exit").start();
                    default -> throw new IllegalArgumentException(line);
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
