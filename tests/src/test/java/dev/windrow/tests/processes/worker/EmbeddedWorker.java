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
 * An application with a worker that is closed when its JVM ends. Arguments: the target, the drain at shutdown, and {@code leave} if {@code
 * main} ends when the first job has started; without it, {@code main} waits for the worker. It takes lines: {@code finish} lets its held
 * jobs end, {@code close} closes the Windrow, {@code exit} ends the JVM with status 4.
 */
final class EmbeddedWorker {
    /** Says {@code started ID}, and goes on until it is told to finish, whether it is interrupted or not. */
    static final JobType<String, Integer> HOLD =
            JobType.of("test.hold", String.class, Integer.class).withMaxAttempts(1);
    /** Ends its process with status 3. */
    static final JobType<String, Void> EXIT =
            JobType.of("test.exit", String.class).withMaxAttempts(1);

    /** The same once it is told to finish. */
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
                    // It never returns, and lines are still to come.
                    case "exit" -> new Thread(() -> System.exit(4), "exit").start();
                    default -> throw new IllegalArgumentException(line);
                }
            }
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }
}
