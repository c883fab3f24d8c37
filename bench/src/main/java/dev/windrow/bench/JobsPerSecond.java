package dev.windrow.bench;

import dev.windrow.Windrow;
import dev.windrow.Worker;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
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
    private final Samples endToEnd = new Samples();
    private final Samples endToEndRatio = new Samples();
    private final Samples drain = new Samples();
    private final Samples drainRatio = new Samples();
    private BenchReport.WarmUp warmUp = BenchReport.WarmUp.NONE;

    JobsPerSecond(Ground ground) {
        this.ground = ground;
        this.settings = ground.settings();
    }

    /** The figures of one round; null for omitted ones. */
    private record Round(
            @Nullable Double fused,
            @Nullable Double endToEnd,
            @Nullable Double bareDrain,
            @Nullable Double drain) {}

    void run() throws SQLException, IOException, InterruptedException {
        for (int run = 0; run <= Ground.RUNS; run++) {
            ground.begins("whole jobs", run);
            Round round = round();
            if (run == 0) {
                warmUp = new BenchReport.WarmUp(round.fused, round.endToEnd, round.drain);
            } else {
                add(fused, round.fused);
                add(bareDrain, round.bareDrain);
                compare(round.endToEnd, round.fused, endToEnd, endToEndRatio);
                compare(round.drain, round.bareDrain, drain, drainRatio);
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

    private static void add(Samples samples, @Nullable Double rate) {
        if (rate != null) {
            samples.add(rate);
        }
    }

    private static void compare(@Nullable Double engine, @Nullable Double bare, Samples rates, Samples ratios) {
        add(rates, engine);
        if (engine != null && bare != null) {
            ratios.add(engine / bare);
        }
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
        return counted(new FileDatabase(file, settings.durability()), rate);
    }

    private interface OnEngine {
        double rate(Windrow windrow) throws InterruptedException;
    }

    private double engine(OnEngine work) throws SQLException, IOException, InterruptedException {
        Database database = ground.databases().next();
        double rate;
        try (Windrow windrow = database.open()) {
            rate = work.rate(windrow);
        }
        return counted(database, rate);
    }

    private double counted(Database database, double rate) throws SQLException, IOException {
        Audit.completed(database, settings.jobs());
        database.remove();
        return rate;
    }

    private double endToEnd(Windrow windrow) throws InterruptedException {
        try (Worker worker = Work.start(windrow, settings.slots())) {
            long start = System.nanoTime();
            Work.enqueue(windrow, settings.jobs(), settings.payload());
            return untilIdle(worker, start);
        }
    }

    private double drain(Windrow windrow) throws InterruptedException {
        Work.enqueue(windrow, settings.jobs(), settings.payload());
        long start = System.nanoTime();
        try (Worker worker = Work.start(windrow, settings.slots())) {
            return untilIdle(worker, start);
        }
    }

    private double untilIdle(Worker worker, long start) throws InterruptedException {
        if (!worker.awaitIdle(PATIENCE)) {
            throw new BenchException("the jobs did not end within %d minutes".formatted(PATIENCE.toMinutes()));
        }
        return settings.jobs() / ((System.nanoTime() - start) / 1e9);
    }

    BenchReport.BareLoopRates bareLoop() {
        return new BenchReport.BareLoopRates(fused.median(), bareDrain.median());
    }

    BenchReport.Compared endToEnd() {
        return new BenchReport.Compared(endToEnd.median(), endToEndRatio.median());
    }

    BenchReport.Compared drain() {
        return new BenchReport.Compared(drain.median(), drainRatio.median());
    }

    BenchReport.WarmUp warmUp() {
        return warmUp;
    }
}
