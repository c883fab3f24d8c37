package dev.windrow.bench;

import dev.windrow.Windrow;
import dev.windrow.Worker;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Whole jobs a second of the bare loop, if the database has one, and of the engine. Both run alternately, under the
 * same conditions of the machine. Each run is on a new database, whose rows are counted afterwards.
 */
final class JobsPerSecond {
    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final Ground ground;
    private final BenchSettings settings;
    private final Samples fused = new Samples();
    private final Samples bareDrain = new Samples();
    private final Engine endToEnd = new Engine();
    private final Engine drain = new Engine();
    private BenchReport.WarmUp warmUp = BenchReport.WarmUp.NONE;

    JobsPerSecond(Ground ground) {
        this.ground = ground;
        this.settings = ground.settings();
    }

    /** A run of the engine. */
    private record Run(double rate, BenchReport.CpuMicros cpu) {}

    /** The figures of one round; null for omitted ones. */
    private record Round(
            @Nullable Double fused,
            @Nullable Run endToEnd,
            @Nullable Double bareDrain,
            @Nullable Run drain) {}

    /** The counted runs of the engine, and the bare loop's rates of the same rounds. */
    private static final class Engine {
        private final Samples rates = new Samples();
        private final Samples ratios = new Samples();
        private final List<BenchReport.CpuMicros> cpus = new ArrayList<>();

        void add(@Nullable Run run, @Nullable Double bare) {
            if (run == null) {
                return;
            }
            rates.add(run.rate);
            cpus.add(run.cpu);
            if (bare != null) {
                ratios.add(run.rate / bare);
            }
        }

        BenchReport.Compared medians() {
            return new BenchReport.Compared(
                    rates.median(),
                    ratios.median(),
                    new BenchReport.CpuMicros(
                            median(BenchReport.CpuMicros::process),
                            median(BenchReport.CpuMicros::writer),
                            median(BenchReport.CpuMicros::slots),
                            median(BenchReport.CpuMicros::callers)));
        }

        private @Nullable Double median(Function<BenchReport.CpuMicros, @Nullable Double> part) {
            Samples samples = new Samples();
            for (BenchReport.CpuMicros cpu : cpus) {
                samples.addIfKnown(part.apply(cpu));
            }
            return samples.median();
        }
    }

    void run() throws SQLException, IOException, InterruptedException {
        for (int run = 0; run <= Ground.RUNS; run++) {
            ground.begins("whole jobs", run);
            Round round = round();
            if (run == 0) {
                warmUp = new BenchReport.WarmUp(round.fused, rate(round.endToEnd), rate(round.drain));
            } else {
                fused.addIfKnown(round.fused);
                bareDrain.addIfKnown(round.bareDrain);
                endToEnd.add(round.endToEnd, round.fused);
                drain.add(round.drain, round.bareDrain);
            }
        }
    }

    private Round round() throws SQLException, IOException, InterruptedException {
        boolean possible = ground.databases().hasBareLoop();
        boolean bare = possible && settings.wants(Section.BARE_LOOP);
        boolean whole = settings.wants(Section.END_TO_END);
        boolean half = settings.wants(Section.DRAIN);
        return new Round(
                bare || (possible && whole) ? bare(loop -> loop.fused(settings.jobs())) : null,
                whole ? engine(this::endToEnd) : null,
                bare || (possible && half) ? bare(loop -> loop.drain(settings.jobs())) : null,
                half ? engine(this::drain) : null);
    }

    private static @Nullable Double rate(@Nullable Run run) {
        return run == null ? null : (Double) run.rate;
    }

    private interface OnLoop {
        double rate(BareLoop loop) throws SQLException;
    }

    private double bare(OnLoop work) throws SQLException, IOException {
        Path file = ground.scratch().newFile();
        double rate;
        try (BareLoop loop = BareLoop.on(file, settings.durability(), Work.json(settings.payload()))) {
            rate = work.rate(loop);
        }
        count(new FileDatabase(file, settings.durability()));
        return rate;
    }

    private interface OnEngine {
        Run run(Windrow windrow) throws InterruptedException;
    }

    private Run engine(OnEngine work) throws SQLException, IOException, InterruptedException {
        Database database = ground.databases().next();
        Run run;
        try (Windrow windrow = database.open()) {
            run = work.run(windrow);
        }
        count(database);
        return run;
    }

    private void count(Database database) throws SQLException, IOException {
        Audit.completed(database, settings.jobs());
        database.remove();
    }

    private Run endToEnd(Windrow windrow) throws InterruptedException {
        try (Worker worker = Work.start(windrow, settings.slots())) {
            CpuTime cpu = new CpuTime();
            long start = System.nanoTime();
            Work.enqueue(windrow, settings.jobs(), settings.payload());
            return untilIdle(worker, start, cpu);
        }
    }

    private Run drain(Windrow windrow) throws InterruptedException {
        Work.enqueue(windrow, settings.jobs(), settings.payload());
        CpuTime cpu = new CpuTime();
        long start = System.nanoTime();
        try (Worker worker = Work.start(windrow, settings.slots())) {
            return untilIdle(worker, start, cpu);
        }
    }

    private Run untilIdle(Worker worker, long start, CpuTime cpu) throws InterruptedException {
        if (!worker.awaitIdle(PATIENCE)) {
            throw new BenchException("the jobs did not end within %d minutes".formatted(PATIENCE.toMinutes()));
        }
        double seconds = (System.nanoTime() - start) / 1e9;
        return new Run(settings.jobs() / seconds, cpu.of(settings.jobs()));
    }

    BenchReport.BareLoopRates bareLoop() {
        return new BenchReport.BareLoopRates(fused.median(), bareDrain.median());
    }

    BenchReport.Compared endToEnd() {
        return endToEnd.medians();
    }

    BenchReport.Compared drain() {
        return drain.medians();
    }

    BenchReport.WarmUp warmUp() {
        return warmUp;
    }
}
