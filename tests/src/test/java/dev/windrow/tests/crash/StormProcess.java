package dev.windrow.tests.crash;

import dev.windrow.TimeSource;
import dev.windrow.Windrow;
import dev.windrow.tests.processes.SteppedTime;
import dev.windrow.tests.stores.Target;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The common part of all processes of a storm. It opens the store, with as many tries as it needs. If the file {@value #CLOCK} exists beside the
 * ledger, its clock is stepped by that file. It accepts lines until the input ends: {@code memory N} makes N allocations of the writer fail, and
 * {@code log true} makes the log fail until {@code log false}.
 */
final class StormProcess {
    static final String CLOCK = "clock";

    private static final AtomicInteger allocations = new AtomicInteger();
    private static volatile boolean logFails;

    private StormProcess() {}

    /** A command that only one kind of process accepts. */
    interface Command {
        void run(String[] words) throws Exception;
    }

    static Windrow open(String target, Path ledger) throws InterruptedException {
        System.setErr(new FailingLog(System.err));
        Path clock = ledger.resolveSibling(CLOCK);
        TimeSource time = Files.exists(clock) ? new SteppedTime(clock) : TimeSource.system();
        while (true) {
            try {
                return Windrow.configure(Target.of(target).newStore(StormProcess::allocate))
                        .time(time)
                        .open();
            } catch (RuntimeException e) {
                // Not an exception of Windrow if its pool cannot log its start.
                e.printStackTrace();
                var unused = new CountDownLatch(1).await(100, TimeUnit.MILLISECONDS);
            }
        }
    }

    private static void allocate() {
        if (ThreadLocalRandom.current().nextBoolean() && allocations.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
            throw new OutOfMemoryError("told to fail");
        }
    }

    private static final class FailingLog extends PrintStream {
        FailingLog(PrintStream log) {
            super(log, true, StandardCharsets.UTF_8);
        }

        @Override
        public void println(String line) {
            if (logFails) {
                throw new IllegalStateException("the log is told to fail");
            }
            super.println(line);
        }
    }

    /** Runs the commands of the input, and returns at its end. */
    static void obey(Command other) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        String line = in.readLine();
        while (line != null) {
            String[] words = line.split(" ", -1);
            switch (words[0]) {
                case "memory" -> allocations.set(Integer.parseInt(words[1]));
                case "log" -> logFails = Boolean.parseBoolean(words[1]);
                default -> other.run(words);
            }
            line = in.readLine();
        }
    }

    /** Runs the common commands of the input, and returns at its end. */
    static void obey() throws Exception {
        obey(words -> {
            throw new IOException("what is " + String.join(" ", words));
        });
    }
}
