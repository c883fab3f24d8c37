package dev.windrow.tests.crash;

import dev.windrow.JobContext;
import dev.windrow.JobRequest;
import dev.windrow.JobType;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.RetryPolicy;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.sqlite.SqliteStore;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/**
 * A worker on a failing disk. Arguments: the database, the worker's name, and the queue that it serves. It prints {@code ready}, and it prints the
 * starts and ends of its handlers. It accepts these lines: {@code enqueue CALL QUEUE TYPE SIZE}, {@code finish ID}, {@code unfinished}, {@code held
 * ID} and {@code stop}. It answers {@code enqueue} with {@code ack CALL ID}, {@code refused CALL WHY} or {@code unknown CALL WHY}. It answers {@code
 * held} with the milliseconds that are left of the lease.
 */
public final class DiskWorker {
    static final Duration LEASE = Duration.ofSeconds(2);
    /** A job that ends at once. */
    static final JobType<String, String> NOOP = JobType.of("disk.noop", String.class, String.class)
            .withMaxAttempts(5)
            .withRetry(RetryPolicy.fixed(Duration.ofMillis(10)));
    /** A job that prints {@code started ID} and runs until a {@code finish} line or an interrupt. */
    static final JobType<String, String> HOLD = JobType.of("disk.hold", String.class, String.class)
            .withMaxAttempts(5)
            .withRetry(RetryPolicy.fixed(Duration.ofMillis(10)));

    private static final ConcurrentHashMap<Long, CountDownLatch> held = new ConcurrentHashMap<>();

    private DiskWorker() {}

    public static void main(String[] args) throws Exception {
        String name = args[1];
        try (Windrow windrow = Windrow.open(SqliteStore.configure(Path.of(args[0]))
                        .operationTimeout(Duration.ofSeconds(5))
                        .build());
                Worker worker = windrow.worker()
                        .handle(NOOP, (input, job) -> run(job, name, false))
                        .handle(HOLD, (input, job) -> run(job, name, true))
                        .name(name)
                        .queue(args[2])
                        .concurrency(3)
                        .lease(LEASE)
                        .start();
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            say("ready");
            String line = in.readLine();
            while (line != null && !line.equals("stop")) {
                String[] words = line.split(" ", -1);
                switch (words[0]) {
                    case "enqueue" -> enqueue(windrow, words[1], words[2], words[3], Integer.parseInt(words[4]));
                    case "finish" -> latch(Long.parseLong(words[1])).countDown();
                    case "unfinished" ->
                        say("unfinished "
                                + windrow.monitor().statistics().states().entrySet().stream()
                                        .filter(entry -> !entry.getKey().isFinished())
                                        .mapToLong(entry -> entry.getValue())
                                        .sum());
                    case "held" -> say("held " + leaseLeft(args[0], Long.parseLong(words[1])));
                    default -> throw new IllegalArgumentException(line);
                }
                line = in.readLine();
            }
        }
        say("stopped");
    }

    private static void enqueue(Windrow windrow, String call, String queue, String type, int size) {
        JobRequest<String, String> job = (type.equals("hold") ? HOLD : NOOP)
                .job("x".repeat(size))
                .withQueue(queue)
                .withName(call + "-0");
        try {
            say("ack " + call + " " + windrow.enqueue(job).id());
        } catch (OutcomeUnknownException e) {
            say("unknown " + call + " " + e.getMessage());
        } catch (StoreUnavailableException e) {
            say("refused " + call + " " + e.getMessage());
        }
    }

    private static long leaseLeft(String db, long job) throws SQLException {
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + db);
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SELECT lease_until FROM windrow_jobs WHERE id = " + job)) {
            return row.next() ? row.getLong(1) - System.currentTimeMillis() : 0;
        }
    }

    private static CountDownLatch latch(long id) {
        return held.computeIfAbsent(id, key -> new CountDownLatch(1));
    }

    private static String run(JobContext job, String worker, boolean holds) throws InterruptedException {
        say("started %d %d %s".formatted(job.id(), job.attempt(), worker));
        if (holds) {
            latch(job.id()).await();
        }
        say("ended %d %d %s".formatted(job.id(), job.attempt(), worker));
        return "by attempt " + job.attempt();
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
