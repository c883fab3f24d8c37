package dev.windrow.tests.crash;

import dev.windrow.JobContext;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.tests.stores.Target;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.concurrent.locks.LockSupport;

/**
 * The program that the test kills: a worker whose handlers write each start and end to a ledger beside the database. Arguments: the target, the
 * ledger, and {@code once} to end when the queue is idle.
 */
public final class CrashWorker {
    /** The duration of a handler's work, in microseconds of spinning and waiting. */
    record Work(int micros) {}

    static final JobType<Work, String> WORK = JobType.of("crash.work", Work.class, String.class)
            .withMaxAttempts(1000)
            .withRetry(RetryPolicy.fixed(Duration.ofMillis(10)));

    static final int SLOTS = 8;

    private CrashWorker() {}

    public static void main(String[] args) throws Exception {
        Path ledger = Path.of(args[1]);
        try (FileChannel out = FileChannel.open(
                        ledger, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.APPEND);
                Windrow windrow = Windrow.open(Target.of(args[0]).newStore());
                Worker worker = windrow.worker()
                        .handle(WORK, (work, job) -> handle(work, job, out))
                        .concurrency(SLOTS)
                        .lease(Duration.ofSeconds(1))
                        .poll(Duration.ofMillis(50))
                        .start()) {
            System.out.println("ready");
            if (args.length > 2 && args[2].equals("once")) {
                worker.awaitIdle();
            } else {
                // The parent ends this process. If the parent dies, the closed pipe ends it.
                while (System.in.read() >= 0) {
                    Thread.onSpinWait();
                }
            }
        }
    }

    private static String handle(Work work, JobContext job, FileChannel ledger) throws IOException {
        write(ledger, "start " + job.id() + "\n");
        long until = System.nanoTime() + work.micros() * 1000L;
        for (long left = until - System.nanoTime(); left > 0; left = until - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
        write(ledger, "end " + job.id() + "\n");
        return "done " + job.id();
    }

    /** Writes a line with one call, so that lines of killed processes are complete or missing. */
    private static void write(FileChannel ledger, String line) throws IOException {
        ByteBuffer bytes = ByteBuffer.wrap(line.getBytes(StandardCharsets.UTF_8));
        while (bytes.hasRemaining()) {
            ledger.write(bytes);
        }
    }
}
