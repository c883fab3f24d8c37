package dev.windrow.bench;

import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.bench.BenchReport.Percentiles;
import dev.windrow.bench.BenchReport.StartLatencies;
import dev.windrow.store.OpenStore;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The waits of a lone caller: for the disk, for a commit, and for the start of its job by an idle worker. They run
 * alternately, one job at a time with a pause after each, so that the figures can be compared.
 */
final class Latency {
    private static final int MOST = 300;
    /** The jobs of each leg without a pause, before the others. In a process that has run for a while, the code is compiled. */
    private static final int HOT = 3000;

    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Ground ground;
    private final BenchSettings settings;
    private final int counted;
    private final int hot;
    private final int warmUp;
    private final List<Leg> legs = new ArrayList<>();
    private @Nullable Double roundTrips;
    private @Nullable Double claimAndSettleRoundTrips;

    Latency(Ground ground) {
        this.ground = ground;
        this.settings = ground.settings();
        this.counted = Math.min(MOST, settings.jobs());
        this.hot = Math.min(HOT, settings.jobs());
        this.warmUp = Math.max(1, counted / 5);
    }

    /** One figure. */
    private abstract static class Leg implements AutoCloseable {
        final Samples samples = new Samples();

        /** Returns the measured time. */
        abstract double millis() throws IOException, InterruptedException;

        /** Checks the work after the end, and removes its database. */
        abstract void check(int jobs) throws SQLException, IOException;

        @Override
        public abstract void close() throws IOException;
    }

    /** The bytes of a commit, written and forced without a database. */
    private static final class Flush extends Leg {
        private final FlushLoop loop;

        Flush(FlushLoop loop) {
            this.loop = loop;
        }

        @Override
        double millis() throws IOException {
            long start = System.nanoTime();
            loop.flush();
            return (System.nanoTime() - start) / 1e6;
        }

        @Override
        void check(int jobs) {
            // It has no jobs.
        }

        @Override
        public void close() {
            // The owner closes the loop.
        }
    }

    /** A figure of jobs, on its own database. */
    private abstract class Jobs extends Leg {
        final Database database = ground.databases().next();
        final Windrow windrow = database.open();

        Jobs() throws SQLException {}

        /** Counts the rows of the database. */
        abstract void count(int jobs) throws SQLException;

        @Override
        void check(int jobs) throws SQLException, IOException {
            count(jobs);
            database.remove();
        }

        @Override
        public void close() throws IOException {
            windrow.close();
        }
    }

    /** A synchronous enqueue in a process without a worker for it. */
    private final class Commit extends Jobs {
        Commit() throws SQLException {}

        @Override
        double millis() {
            long start = System.nanoTime();
            windrow.enqueue(Work.NO_OP.job(settings.payload()));
            return (System.nanoTime() - start) / 1e6;
        }

        @Override
        void count(int jobs) throws SQLException {
            Audit.pending(database, jobs);
        }
    }

    /** The time from the call of enqueue to the start of the handler, by the wall clock, which all processes share. */
    private abstract class Start extends Jobs {
        Start() throws SQLException {}

        @Override
        double millis() throws InterruptedException {
            long called = Work.micros();
            Long started = windrow.await(windrow.enqueue(Work.WAKE.job(settings.payload())), PATIENCE);
            if (started == null) {
                throw new BenchException("a job has ended without the result of its handler");
            }
            return (started - called) / 1e3;
        }

        @Override
        void count(int jobs) throws SQLException {
            Audit.completed(database, jobs);
        }

        Percentiles percentiles() {
            return new Percentiles(samples.percentile(50), samples.percentile(99));
        }
    }

    private final class SameProcess extends Start {
        private final Worker worker = Work.start(windrow, settings.slots());

        SameProcess() throws SQLException {}

        @Override
        public void close() throws IOException {
            worker.close();
            super.close();
        }
    }

    private final class OtherProcess extends Start {
        private final Child child;

        OtherProcess(Child child) throws SQLException, IOException {
            this.child = child;
            child.open(settings, database);
            child.start();
        }

        @Override
        public void close() throws IOException {
            try {
                child.stop();
            } finally {
                super.close();
            }
        }
    }

    /**
     * Measures.
     *
     * @param flushLoop the limit of a lone caller; null if the database has none
     */
    void run(Children children, @Nullable FlushLoop flushLoop) throws SQLException, IOException, InterruptedException {
        ground.progress().accept("latencies");
        try {
            // The flush beside the start that is compared with it. Each further leg would let the processor forget more
            // of the others.
            if (flushLoop != null) {
                legs.add(new Flush(flushLoop));
            }
            if (settings.wants(Section.START_LATENCY)) {
                legs.add(new SameProcess());
            }
            alternately(List.copyOf(legs));
            List<Leg> others = new ArrayList<>();
            if (settings.wants(Section.COMMIT)) {
                others.add(new Commit());
            }
            if (settings.wants(Section.START_LATENCY)) {
                others.add(new OtherProcess(children.first(1).get(0)));
            }
            legs.addAll(others);
            alternately(others);
        } finally {
            for (Leg leg : legs) {
                leg.close();
            }
        }
        for (Leg leg : legs) {
            leg.check(hot + warmUp + counted);
        }
        if (settings.wants(Section.COMMIT)) {
            countRoundTrips();
        }
    }

    /** Counts the round trips of single enqueues, and of the claims and settlements of their jobs, on a server. */
    private void countRoundTrips() throws SQLException, IOException {
        Database database = ground.databases().next();
        try {
            Store store = database.countedStore();
            if (store == null) {
                return;
            }
            OpenedStore opened = new OpenedStore(store);
            try (Windrow windrow = Windrow.open(opened)) {
                // The first jobs teach the store its names, and take a block of ids.
                enqueueOneByOne(windrow, warmUp);
                long before = CountedSockets.roundTrips();
                enqueueOneByOne(windrow, counted);
                roundTrips = (CountedSockets.roundTrips() - before) / (double) counted;
                runOneByOne(opened.verbs(), warmUp);
                before = CountedSockets.roundTrips();
                runOneByOne(opened.verbs(), counted);
                claimAndSettleRoundTrips = (CountedSockets.roundTrips() - before) / (double) counted;
            }
        } finally {
            database.remove();
        }
    }

    private void enqueueOneByOne(Windrow windrow, int jobs) {
        for (int i = 0; i < jobs; i++) {
            windrow.enqueue(Work.NO_OP.job(settings.payload()));
        }
    }

    private static void runOneByOne(OpenStore store, int jobs) {
        for (int i = 0; i < jobs; i++) {
            ByHand.settle(store, ByHand.claim(store, Set.of(Work.QUEUE), 1).get(0));
        }
    }

    private void alternately(List<Leg> some) throws IOException, InterruptedException {
        for (Leg leg : some) {
            for (int i = 0; i < hot; i++) {
                double unused = leg.millis();
            }
        }
        for (int i = 0; i < warmUp + counted; i++) {
            for (Leg leg : some) {
                double millis = leg.millis();
                if (i >= warmUp) {
                    leg.samples.add(millis);
                }
                Work.pause();
            }
        }
    }

    /** Returns the figures of a commit; null if they were not selected. */
    BenchReport.Commit commit() {
        return new BenchReport.Commit(median(Commit.class), roundTrips, claimAndSettleRoundTrips);
    }

    /** Returns the median flush; null if the database has no such limit. */
    @Nullable Double flushP50Millis() {
        return median(Flush.class);
    }

    private @Nullable Double median(Class<? extends Leg> kind) {
        for (Leg leg : legs) {
            if (kind.isInstance(leg)) {
                return leg.samples.median();
            }
        }
        return null;
    }

    StartLatencies startLatencies() {
        return new StartLatencies(percentiles(SameProcess.class), percentiles(OtherProcess.class));
    }

    private Percentiles percentiles(Class<? extends Start> kind) {
        for (Leg leg : legs) {
            if (kind.isInstance(leg)) {
                return kind.cast(leg).percentiles();
            }
        }
        return Percentiles.NONE;
    }
}
