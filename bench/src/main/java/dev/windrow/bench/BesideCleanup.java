package dev.windrow.bench;

import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.payload.Json;
import dev.windrow.postgres.PostgresStore;
import dev.windrow.retention.Cleanup;
import dev.windrow.retention.RetentionResult;
import dev.windrow.sqlite.SqliteStore;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Measures how long an enqueue takes without, during and after a pass of retention. One run has a worker, a client and
 * the pass in three processes:
 *
 * <pre>java -cp cli/target/windrow.jar:bench/target/windrow-bench.jar dev.windrow.bench.BesideCleanup FILE|URL [SECONDS [RATE [COMPLETED_DAYS]]]</pre>
 *
 * <p>The client enqueues at a steady rate, default 500 a second. It does so for 30 s before the pass, until the pass
 * has ended, and as long after it. For each phase it prints percentiles of the time of a call. It prints the same
 * percentiles from the time when the call was due, so that a stall counts for all calls that it has delayed. It also
 * prints the greatest size of the write-ahead log. {@link Seed} creates the file.
 */
final class BesideCleanup {
    private static final JobType<Json, Json> JOB = JobType.raw("bench.beside-cleanup");

    private final PrintStream out;
    private final String place;
    private final long everyNanos;

    private BesideCleanup(PrintStream out, String place, int rate) {
        this.out = out;
        this.place = place;
        this.everyNanos = TimeUnit.SECONDS.toNanos(1) / rate;
    }

    public static void main(String[] args) throws IOException, InterruptedException {
        PrintStream out = System.out;
        if (args.length == 2 && args[0].equals("work")) {
            work(args[1]);
        } else if (args.length == 3 && args[0].equals("cleanup")) {
            cleanup(out, args[1], Integer.parseInt(args[2]));
        } else if (args.length >= 1 && args.length <= 4) {
            int rate = args.length < 3 ? 500 : Integer.parseInt(args[2]);
            new BesideCleanup(out, args[0], rate)
                    .run(args.length < 2 ? 30 : Integer.parseInt(args[1]), args.length < 4 ? "30" : args[3]);
        } else {
            throw new IllegalArgumentException("arguments FILE|URL [SECONDS [RATE [COMPLETED_DAYS]]] are needed");
        }
    }

    private static Windrow open(String place) {
        Store store =
                place.startsWith("jdbc:") ? PostgresStore.configure(place).build() : SqliteStore.at(Path.of(place));
        return Windrow.configure(store).withoutRetention().open();
    }

    private static void work(String place) throws IOException {
        try (Windrow windrow = open(place)) {
            Worker unused = windrow.worker().handle(JOB, (input, job) -> input).start();
            // This waits until the parent process ends the input.
            int end = System.in.read();
            assert end < 0;
        }
    }

    private static void cleanup(PrintStream out, String place, int days) {
        try (Windrow windrow = open(place)) {
            long start = System.nanoTime();
            RetentionResult done = windrow.retention()
                    .cleanup(Cleanup.BY_THE_RULES.withAge(JobState.COMPLETED, Duration.ofDays(days)));
            out.printf(
                    "deleted %,d jobs in %,d s, kept %,d%n",
                    done.total(), TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - start), done.kept());
        }
    }

    private static Process start(String... words) throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                BesideCleanup.class.getName()));
        command.addAll(List.of(words));
        return new ProcessBuilder(command)
                .redirectOutput(Redirect.INHERIT)
                .redirectError(Redirect.INHERIT)
                .start();
    }

    private void run(int seconds, String days) throws IOException, InterruptedException {
        Process worker = start("work", place);
        try (Windrow windrow = open(place)) {
            // This phase warms up: code is compiled and pages are read for the first time.
            Part unused = measure(windrow, until(10));
            Part before = measure(windrow, until(seconds));
            out.println("without  " + before);
            Process cleanup = start("cleanup", place, days);
            Part during = measure(windrow, cleanup::isAlive);
            out.println("during   " + during);
            Part after = measure(windrow, until(seconds));
            out.println("after    " + after);
            out.printf(
                    "p99 during is %.2f times that without, after %.2f times; the pass ended with %d%n",
                    during.millis(99) / before.millis(99), after.millis(99) / before.millis(99), cleanup.waitFor());
        } finally {
            worker.getOutputStream().close();
            worker.waitFor();
        }
    }

    private static BooleanSupplier until(int seconds) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        return () -> System.nanoTime() - end < 0;
    }

    /** The figures of one phase. */
    private record Part(Samples samples, Samples fromDue, long logBytes) {
        double millis(int percent) {
            return millis(samples, percent);
        }

        private static double millis(Samples samples, int percent) {
            Double value = samples.percentile(percent);
            return value == null ? Double.NaN : value;
        }

        @Override
        public String toString() {
            return "p50 %.2f ms, p90 %.2f, p95 %.2f, p99 %.2f, max %.1f; from due p99 %.2f; log at most %.1f MB"
                    .formatted(
                            millis(50),
                            millis(90),
                            millis(95),
                            millis(99),
                            millis(100),
                            millis(fromDue, 99),
                            logBytes / 1e6);
        }
    }

    private Part measure(Windrow windrow, BooleanSupplier goesOn) throws IOException {
        Samples samples = new Samples();
        Samples fromDue = new Samples();
        Path log = Path.of(place + "-wal");
        long max = 0;
        long due = System.nanoTime();
        while (goesOn.getAsBoolean()) {
            long wait;
            while ((wait = due - System.nanoTime()) > 0) {
                LockSupport.parkNanos(wait);
            }
            long begin = System.nanoTime();
            var unused = windrow.enqueue(JOB, new Json("{\"order\":1}"));
            long end = System.nanoTime();
            samples.add((end - begin) / 1e6);
            fromDue.add((end - due) / 1e6);
            due += everyNanos;
            if (!place.startsWith("jdbc:") && Files.exists(log)) {
                max = Math.max(max, Files.size(log));
            }
        }
        return new Part(samples, fromDue, max);
    }
}
