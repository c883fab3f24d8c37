package dev.windrow.tests.bench;

import dev.windrow.engine.Windrow;
import dev.windrow.engine.Worker;
import dev.windrow.sqlite.SqliteStore;
import dev.windrow.tests.processes.Child;
import dev.windrow.tests.processes.TestWorker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * How long a job waits for an idle worker, from the call of enqueue to the start of its handler: in the same process and
 * in another one. And what idle workers cost: the processor time of three of them.
 */
@Tag("bench")
class WakeUpBench {
    private static final int JOBS = Integer.getInteger("windrow.bench.wakes", 500);
    private static final int SETTLE_SECONDS = Integer.getInteger("windrow.bench.settleSeconds", 30);
    private static final int IDLE_SECONDS = Integer.getInteger("windrow.bench.idleSeconds", 60);
    /** Between jobs, so that the worker is idle again. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(15);

    @TempDir
    Path folder;

    @Test
    void start_latency_in_the_same_process() throws Exception {
        try (Windrow windrow = Windrow.open(SqliteStore.at(folder.resolve("same.db")));
                Worker worker = windrow.worker()
                        .handle(TestWorker.NOOP, (input, job) -> System.nanoTime())
                        .concurrency(1)
                        .start()) {
            measure("same process (" + worker.name() + ")", windrow);
        }
    }

    @Test
    void start_latency_in_another_process() throws Exception {
        Path db = folder.resolve("other.db");
        try (Windrow windrow = Windrow.open(SqliteStore.at(db));
                Child child = Child.start(folder, TestWorker.class, db, 1, 30_000)) {
            child.await("ready");
            measure("other process", windrow);
            child.send("stop");
            child.await("stopped");
        }
    }

    private static void measure(String where, Windrow windrow) throws InterruptedException {
        List<Long> waits = new ArrayList<>();
        for (int i = 0; i < JOBS + JOBS / 5; i++) {
            long begin = System.nanoTime();
            Long start = windrow.await(windrow.enqueue(TestWorker.NOOP, "x").ref(), Duration.ofMinutes(1));
            if (i >= JOBS / 5 && start != null) {
                waits.add(start - begin);
            }
            long until = System.nanoTime() + PAUSE_NANOS;
            while (System.nanoTime() - until < 0) {
                LockSupport.parkNanos(until - System.nanoTime());
            }
        }
        waits.sort(null);
        System.out.printf(
                Locale.ROOT,
                "start latency, %s, %d jobs: p50 %.2f ms, p99 %.2f ms, worst %.2f ms%n",
                where,
                waits.size(),
                waits.get(waits.size() / 2) / 1e6,
                waits.get(waits.size() * 99 / 100) / 1e6,
                waits.get(waits.size() - 1) / 1e6);
    }

    @Test
    void three_idle_workers() throws Exception {
        Path db = folder.resolve("idle.db");
        List<Child> children = new ArrayList<>();
        try {
            for (int i = 0; i < 3; i++) {
                children.add(
                        Child.start(folder, TestWorker.class, db, 8, 30_000).await("ready"));
            }
            rest(SETTLE_SECONDS);
            long before = ticks(children);
            rest(IDLE_SECONDS);
            double seconds = (ticks(children) - before) / 100.0;
            System.out.printf(
                    Locale.ROOT,
                    "3 idle workers: %.2f s of processor time in %d s: %.2f %% of a core together%n",
                    seconds,
                    IDLE_SECONDS,
                    100 * seconds / IDLE_SECONDS);
        } finally {
            children.forEach(Child::close);
        }
    }

    private static void rest(int seconds) {
        long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        while (System.nanoTime() - until < 0) {
            LockSupport.parkNanos(until - System.nanoTime());
        }
    }

    /** User and system time, in hundredths of a second. */
    private static long ticks(List<Child> children) throws Exception {
        long sum = 0;
        for (Child child : children) {
            String stat = Files.readString(Path.of("/proc", Long.toString(child.pid()), "stat"));
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
            sum += Long.parseLong(fields[11]) + Long.parseLong(fields[12]);
        }
        return sum;
    }
}
