package dev.windrow.tests.processes;

import dev.windrow.JobContext;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.TimeSource;
import dev.windrow.engine.Windrow;
import dev.windrow.engine.Worker;
import dev.windrow.sqlite.SqliteStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/**
 * A worker in a process of its own. Arguments: the database, the number of slots, the lease in milliseconds. It prints
 * {@code ready}, then what its handlers do, and takes lines: {@code finish ID} lets a held job end, anything else or the
 * end of the input stops the worker.
 */
public final class TestWorker {
    /** Ends at once; returns when it was started, by the monotonic clock that all processes of the machine share. */
    public static final JobType<String, Long> NOOP = JobType.of("test.noop", String.class, Long.class);
    /** Says {@code started ID}, and goes on until it is told to finish or interrupted. */
    static final JobType<String, String> HOLD = JobType.of("test.hold", String.class, String.class)
            .withMaxAttempts(5)
            .withRetry(RetryPolicy.fixed(Duration.ofMillis(10)));

    private static final ConcurrentHashMap<Long, CountDownLatch> held = new ConcurrentHashMap<>();

    private TestWorker() {}

    public static void main(String[] args) throws Exception {
        Path db = Path.of(args[0]);
        try (Windrow windrow = Windrow.configure(SqliteStore.at(db))
                        .time(new SteppedTime(db.resolveSibling("clock-offset")))
                        .open();
                Worker worker = windrow.worker()
                        .handle(NOOP, (input, job) -> System.nanoTime())
                        .handle(HOLD, (input, job) -> hold(job))
                        .concurrency(Integer.parseInt(args[1]))
                        .lease(Duration.ofMillis(Long.parseLong(args[2])))
                        .start();
                BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
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

    /** The machine's time, with the wall clock off by the seconds that a file names: an operator who steps the clock. */
    record SteppedTime(Path offset) implements TimeSource {
        @Override
        public Instant now() {
            try {
                return Instant.now().plusSeconds(Long.parseLong(Files.readString(offset)));
            } catch (NoSuchFileException e) {
                return Instant.now();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void awaitUntil(ReentrantLock lock, Condition condition, long deadlineNanos)
                throws InterruptedException {
            TimeSource.system().awaitUntil(lock, condition, deadlineNanos);
        }
    }
}
