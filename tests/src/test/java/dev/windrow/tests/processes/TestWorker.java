package dev.windrow.tests.processes;

import dev.windrow.JobContext;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.Store;
import dev.windrow.TimeSource;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.tests.stores.Target;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * A worker in its own process. Arguments: the target, the number of slots, the lease in milliseconds, and optionally the file with the seconds by
 * which its clock is wrong. With the system property {@value #WAITS} it first prints {@code loaded} and waits for a line. It prints {@code ready} and
 * then the actions of its handlers. The line {@code finish ID} lets a held job end. Any other line, and the end of the input, stop the worker.
 */
public final class TestWorker {
    /** A job that ends at once. It returns its start time by the monotonic clock that all processes of the machine share. */
    public static final JobType<String, Long> NOOP = JobType.of("test.noop", String.class, Long.class);
    /** A job that takes 20 ms, as work that waits for another system does. */
    public static final JobType<String, Long> BRIEF = JobType.of("test.brief", String.class, Long.class)
            .withMaxAttempts(10)
            .withRetry(RetryPolicy.fixed(Duration.ofMillis(10)));
    /** A job that prints {@code started ID} and runs until a {@code finish} line or an interrupt. */
    public static final JobType<String, String> HOLD = JobType.of("test.hold", String.class, String.class)
            .withMaxAttempts(5)
            .withRetry(RetryPolicy.fixed(Duration.ofMillis(10)));

    /** The property of a process that opens its store on command. */
    static final String WAITS = "windrow.test.waits";

    private static final ConcurrentHashMap<Long, CountDownLatch> held = new ConcurrentHashMap<>();

    private TestWorker() {}

    public static void main(String[] args) throws Exception {
        TimeSource time = args.length < 4 ? TimeSource.system() : new SteppedTime(Path.of(args[3]));
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        Store store = Target.of(args[0]).newStore();
        if (Boolean.getBoolean(WAITS)) {
            say("loaded");
            in.readLine();
        }
        try (Windrow windrow = Windrow.configure(store).time(time).open();
                Worker worker = windrow.worker()
                        .handle(NOOP, (input, job) -> System.nanoTime())
                        .handle(BRIEF, (input, job) -> {
                            var unused = new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS);
                            return System.nanoTime();
                        })
                        .handle(HOLD, (input, job) -> hold(job))
                        .concurrency(Integer.parseInt(args[1]))
                        .lease(Duration.ofMillis(Long.parseLong(args[2])))
                        .start()) {
            say("worker " + worker.name());
            say("ready");
            String line = in.readLine();
            while (line != null && line.startsWith("finish ")) {
                latch(Long.parseLong(line.substring("finish ".length()))).countDown();
                line = in.readLine();
            }
            say("stopping");
        }
        say("stopped");
    }

    private static CountDownLatch latch(long id) {
        return held.computeIfAbsent(id, key -> new CountDownLatch(1));
    }

    private static String hold(JobContext job) throws InterruptedException {
        say("started " + job.id());
        try {
            latch(job.id()).await();
        } catch (InterruptedException e) {
            say("interrupted " + job.id());
            throw e;
        }
        say("finished " + job.id());
        return "by attempt " + job.attempt();
    }

    private static synchronized void say(String line) {
        System.out.println(line);
        System.out.flush();
    }
}
