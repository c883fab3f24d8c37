package dev.windrow.peers;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Runs the same work with each peer, each run on a new database. It goes round after round, so that all peers run under
 * the same conditions of the machine.
 */
final class Comparison {
    private static final int SLOTS = 8;
    private static final int STARTS = 150;
    private static final long STARTS_NANOS = TimeUnit.SECONDS.toNanos(4);
    /** The longest wait for a start: some peers poll for new jobs only every 5 to 10 s. */
    private static final long START_PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(15);

    private final Path folder;
    private final int jobs;
    private final long patienceNanos;

    /** The measured figures. */
    enum Figure {
        ENQUEUE_ONE,
        ENQUEUE_EIGHT,
        ENQUEUE_BULK,
        /** Jobs a second from the start of the first job until the database shows that all have ended. */
        DRAIN,
        /** Jobs a second, by the time to enqueue them in bulk and then to drain them. */
        WHOLE,
        /**
         * Milliseconds from the call of a single enqueue to the start of its job by an idle worker: the median of a
         * round.
         */
        START
    }

    /** The rates of one peer, round by round, and its errors. */
    static final class Rates {
        private final Map<Figure, List<Double>> samples = new EnumMap<>(Figure.class);
        private int refused;
        private long unfinished;

        private void add(Figure figure, double rate) {
            samples.computeIfAbsent(figure, each -> new ArrayList<>()).add(rate);
        }

        double median(Figure figure) {
            List<Double> sorted =
                    samples.getOrDefault(figure, List.of()).stream().sorted().toList();
            return sorted.isEmpty() ? Double.NaN : sorted.get((sorted.size() - 1) / 2);
        }

        /** Returns the number of enqueue calls that ended with an exception. */
        int refused() {
            return refused;
        }

        /** Returns the number of jobs that had not ended at the time limit, in all rounds. */
        long unfinished() {
            return unfinished;
        }
    }

    Comparison(Path folder, int jobs, int patienceSeconds) {
        this.folder = folder;
        this.jobs = jobs;
        this.patienceNanos = TimeUnit.SECONDS.toNanos(patienceSeconds);
    }

    /** Runs one round of one peer. */
    void run(Peer peer, Rates rates) throws Exception {
        singles(peer, 1, Figure.ENQUEUE_ONE, rates);
        singles(peer, SLOTS, Figure.ENQUEUE_EIGHT, rates);
        whole(peer, rates);
        starts(peer, rates);
    }

    private void singles(Peer peer, int threads, Figure figure, Rates rates) throws Exception {
        int most = jobs;
        AtomicInteger next = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        onNewDatabase(peer, most, (subject, ledger) -> {
            long start = System.nanoTime();
            long end = start + TimeUnit.SECONDS.toNanos(3);
            all(threads, () -> {
                for (int number = next.getAndIncrement();
                        number < most && System.nanoTime() - end < 0;
                        number = next.getAndIncrement()) {
                    try {
                        subject.enqueue(number);
                        done.incrementAndGet();
                    } catch (Exception e) {
                        refused.incrementAndGet();
                    }
                }
                return null;
            });
            rates.add(figure, done.get() / seconds(start));
            rates.refused += refused.get();
            long there = subject.unfinished();
            if (there < done.get()) {
                throw new IllegalStateException(
                        "%s has lost jobs: %d were enqueued, %d exist".formatted(peer.name(), done.get(), there));
            }
        });
    }

    private void whole(Peer peer, Rates rates) throws Exception {
        onNewDatabase(peer, jobs, (subject, ledger) -> {
            long start = System.nanoTime();
            subject.enqueueAll(0, jobs);
            double enqueued = seconds(start);
            rates.add(Figure.ENQUEUE_BULK, jobs / enqueued);
            long begun = System.nanoTime();
            subject.work(SLOTS);
            while (ledger.ran() == 0 && System.nanoTime() - begun < patienceNanos) {
                LockSupport.parkNanos(100_000);
            }
            long first = ledger.ran() == 0 ? begun : ledger.firstNanos();
            while (ledger.ran() < jobs && System.nanoTime() - first < patienceNanos) {
                LockSupport.parkNanos(100_000);
            }
            long unfinished = subject.unfinished();
            while (unfinished > 0 && System.nanoTime() - first < patienceNanos) {
                LockSupport.parkNanos(1_000_000);
                unfinished = subject.unfinished();
            }
            double drained = seconds(first);
            rates.add(Figure.DRAIN, (jobs - unfinished) / drained);
            // For the jobs that have not ended in time, the time to enqueue them is not counted either.
            rates.add(Figure.WHOLE, (jobs - unfinished) / (enqueued * (jobs - unfinished) / jobs + drained));
            rates.unfinished += unfinished;
            if (ledger.ran() + unfinished < jobs) {
                throw new IllegalStateException("%s has lost jobs: %d of %d have run, %d are reported as waiting"
                        .formatted(peer.name(), ledger.ran(), jobs, unfinished));
            }
        });
    }

    private void starts(Peer peer, Rates rates) throws Exception {
        onNewDatabase(peer, STARTS, (subject, ledger) -> {
            subject.work(SLOTS);
            List<Double> millis = new ArrayList<>();
            long end = System.nanoTime() + STARTS_NANOS;
            for (int number = 0; number < STARTS && (number == 0 || System.nanoTime() - end < 0); number++) {
                LockSupport.parkNanos(PAUSE_NANOS);
                long called = System.nanoTime();
                subject.enqueue(number);
                while (ledger.begunNanos(number) == 0) {
                    if (System.nanoTime() - called > START_PATIENCE_NANOS) {
                        throw new IllegalStateException(
                                "%s, %s, has not started a job that was enqueued".formatted(peer.name(), peer.setup()));
                    }
                    LockSupport.parkNanos(100_000);
                }
                millis.add((ledger.begunNanos(number) - called) / 1e6);
            }
            // The first samples are a warm-up, unless they are the only ones.
            List<Double> counted = millis.subList(millis.size() / 5, millis.size()).stream()
                    .sorted()
                    .toList();
            rates.add(Figure.START, counted.get((counted.size() - 1) / 2));
        });
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    private interface Part {
        void run(Peer.Subject subject, Ledger ledger) throws Exception;
    }

    private void onNewDatabase(Peer peer, int most, Part part) throws Exception {
        Path home = Files.createTempDirectory(folder, "run-");
        Ledger ledger = new Ledger(most);
        try (Place.Ground ground = peer.place().fresh(home);
                Peer.Subject subject = peer.open(ground, ledger)) {
            part.run(subject, ledger);
        }
        remove(home);
    }

    static void remove(Path root) throws Exception {
        List<Path> all;
        try (Stream<Path> tree = Files.walk(root)) {
            all = tree.sorted(Comparator.reverseOrder()).toList();
        }
        for (Path each : all) {
            Files.delete(each);
        }
    }

    private static void all(int threads, Callable<Void> work) throws Exception {
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try {
            List<Callable<Void>> works = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                works.add(work);
            }
            for (Future<Void> each : pool.invokeAll(works)) {
                each.get();
            }
        } finally {
            pool.shutdownNow();
        }
    }
}
