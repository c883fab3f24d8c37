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

/** One peer after the other through the same work, each run on a new file; round after round, so that all meet the same machine. */
final class Comparison {
    private static final int SLOTS = 8;

    private final Path folder;
    private final int jobs;
    private final long patienceNanos;

    /** What is measured. */
    enum Figure {
        ENQUEUE_ONE,
        ENQUEUE_EIGHT,
        ENQUEUE_BULK,
        /** From the start of the first job until the file says that all have ended. */
        DRAIN,
        /** Jobs by the time to enqueue them in bulk and then to drain them. */
        WHOLE
    }

    /** The rates of one peer, round by round, and what went wrong. */
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

        /** Calls of enqueue that ended with an exception. */
        int refused() {
            return refused;
        }

        /** Jobs that had not ended when there was no more time, in all rounds. */
        long unfinished() {
            return unfinished;
        }
    }

    Comparison(Path folder, int jobs, int patienceSeconds) {
        this.folder = folder;
        this.jobs = jobs;
        this.patienceNanos = TimeUnit.SECONDS.toNanos(patienceSeconds);
    }

    /** One round of one peer. */
    void run(Peer peer, Rates rates) throws Exception {
        singles(peer, 1, Figure.ENQUEUE_ONE, rates);
        singles(peer, SLOTS, Figure.ENQUEUE_EIGHT, rates);
        whole(peer, rates);
    }

    private void singles(Peer peer, int threads, Figure figure, Rates rates) throws Exception {
        int most = jobs;
        AtomicInteger next = new AtomicInteger();
        AtomicInteger done = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        onNewFile(peer, most, (subject, ledger) -> {
            long start = System.nanoTime();
            long end = start + TimeUnit.SECONDS.toNanos(1);
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
                        "%s has lost jobs: %d were enqueued, %d are there".formatted(peer.name(), done.get(), there));
            }
        });
    }

    private void whole(Peer peer, Rates rates) throws Exception {
        onNewFile(peer, jobs, (subject, ledger) -> {
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
            // Of those that have not ended in time, the enqueueing is not counted either.
            rates.add(Figure.WHOLE, (jobs - unfinished) / (enqueued * (jobs - unfinished) / jobs + drained));
            rates.unfinished += unfinished;
            if (ledger.ran() + unfinished < jobs) {
                throw new IllegalStateException("%s has lost jobs: %d of %d have run, %d are said to wait"
                        .formatted(peer.name(), ledger.ran(), jobs, unfinished));
            }
        });
    }

    private static double seconds(long start) {
        return (System.nanoTime() - start) / 1e9;
    }

    private interface Part {
        void run(Peer.Subject subject, Ledger ledger) throws Exception;
    }

    private void onNewFile(Peer peer, int most, Part part) throws Exception {
        Path home = Files.createTempDirectory(folder, "file-");
        Ledger ledger = new Ledger(most);
        try (Peer.Subject subject = peer.open(home.resolve("jobs.db"), ledger)) {
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
