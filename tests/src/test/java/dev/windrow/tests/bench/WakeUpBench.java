package dev.windrow.tests.bench;

import dev.windrow.tests.processes.Child;
import dev.windrow.tests.processes.TestWorker;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Measures the processor time of three idle workers. The name of this class has no "Test", so a build runs it only by {@code -Dtest=WakeUpBench}. */
class WakeUpBench {
    private static final int SETTLE_SECONDS = Integer.getInteger("windrow.bench.settleSeconds", 30);
    private static final int IDLE_SECONDS = Integer.getInteger("windrow.bench.idleSeconds", 60);

    @TempDir
    Path folder;

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

    /** Returns the user and system time, in hundredths of a second. */
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
