package dev.windrow.bench;

import dev.windrow.bench.BenchReport.BareLoopRates;
import dev.windrow.bench.BenchReport.Compared;
import dev.windrow.bench.BenchReport.EnqueueRates;
import dev.windrow.bench.BenchReport.Flatness;
import dev.windrow.bench.BenchReport.RawFlush;
import dev.windrow.bench.BenchReport.Shares;
import dev.windrow.bench.BenchReport.WarmUp;
import java.io.IOException;
import java.sql.SQLException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** Measures the engine on separate files or schemas, and counts the rows in them that prove each figure. */
public final class Bench {
    private final BenchSettings settings;
    private final Consumer<String> progress;

    /**
     * Creates a measurement.
     *
     * @param progress called with a short description of each step
     */
    public Bench(BenchSettings settings, Consumer<String> progress) {
        this.settings = settings;
        this.progress = progress;
    }

    /**
     * Runs the measurements.
     *
     * @throws BenchException if a database does not contain the rows that the work must have left
     * @throws InterruptedException if the thread is interrupted
     */
    public BenchReport run() throws InterruptedException {
        try (Scratch scratch = new Scratch();
                Databases databases = databases(scratch)) {
            Ground ground = new Ground(settings, scratch, databases, progress);
            try (FlushLoop flushLoop = wantsFlushLoop() ? FlushLoop.beside(ground) : null) {
                return run(ground, flushLoop);
            }
        } catch (IOException | SQLException e) {
            throw new BenchException("measuring failed: " + e.getMessage(), e);
        }
    }

    private Databases databases(Scratch scratch) {
        String url = settings.url();
        return url == null ? new ScratchFiles(scratch, settings.durability()) : new Schemas(url);
    }

    /** True if a measurement is selected in which one caller waits for the disk. */
    private boolean wantsFlushLoop() {
        return settings.wants(Section.ENQUEUE)
                || settings.wants(Section.COMMIT)
                || settings.wants(Section.START_LATENCY);
    }

    private BenchReport run(Ground ground, @Nullable FlushLoop flushLoop)
            throws IOException, SQLException, InterruptedException {
        String version = ground.databases().version();
        BareLoopRates bareLoop = BareLoopRates.NONE;
        Compared endToEnd = Compared.NONE;
        Compared drain = Compared.NONE;
        WarmUp warmUp = WarmUp.NONE;
        if (settings.wantsThroughput()) {
            JobsPerSecond throughput = new JobsPerSecond(ground);
            throughput.run();
            bareLoop = throughput.bareLoop();
            endToEnd = throughput.endToEnd();
            drain = throughput.drain();
            warmUp = throughput.warmUp();
        }
        EnqueueBench enqueueBench = new EnqueueBench(ground, flushLoop);
        EnqueueRates enqueue = settings.wants(Section.ENQUEUE) ? enqueueBench.run() : EnqueueRates.NONE;
        Latency latency = new Latency(ground);
        if (settings.wants(Section.COMMIT) || settings.wants(Section.START_LATENCY)) {
            try (Children children = new Children(ground.scratch())) {
                latency.run(children, flushLoop);
            }
        }
        Flatness flatness = settings.wants(Section.CLAIM_FLATNESS) ? new ClaimFlatness(ground).run() : Flatness.NONE;
        Shares shares = settings.wants(Section.PROCESSES) ? new ProcessesBench(ground).run() : Shares.NONE;
        BenchReport.Scale scale = settings.wants(Section.SCALE) ? new Scale(ground).run() : BenchReport.Scale.NONE;
        BenchReport.Left bloat = settings.wants(Section.BLOAT) ? new Bloat(ground).run() : BenchReport.Left.NONE;
        BenchReport.Held held =
                settings.wants(Section.LONG_TRANSACTION) ? new LongTransaction(ground).run() : BenchReport.Held.NONE;
        BenchReport.Dependents dependents =
                settings.wants(Section.DEPENDENTS) ? new DependentsBench(ground).run() : BenchReport.Dependents.NONE;
        return new BenchReport(
                /* database= */ version,
                /* durability= */ ground.databases().durability(),
                /* bareLoop= */ bareLoop,
                /* endToEnd= */ endToEnd,
                /* drain= */ drain,
                /* enqueue= */ enqueue,
                /* startLatency= */ latency.startLatencies(),
                /* commit= */ latency.commit(),
                /* rawFlush= */ flushLoop == null ? RawFlush.NONE : rawFlush(flushLoop, enqueueBench, latency),
                /* claimFlatness= */ flatness,
                /* processes= */ shares,
                /* scale= */ scale,
                /* bloat= */ bloat,
                /* longTransaction= */ held,
                /* dependents= */ dependents,
                /* warmUp= */ warmUp,
                /* runs= */ Ground.RUNS);
    }

    private static RawFlush rawFlush(FlushLoop loop, EnqueueBench enqueue, Latency latency) {
        Double flush = latency.flushP50Millis();
        Double start = latency.startLatencies().sameProcess().p50Millis();
        return new RawFlush(
                /* bytes= */ loop.bytes(),
                /* perSecond= */ enqueue.flushesPerSecond(),
                /* afterPauseP50Millis= */ flush,
                /* oneThreadRatio= */ enqueue.oneThreadByFlushes(),
                /* startLatencyRatio= */ flush == null || start == null ? null : (Double) (start / flush));
    }
}
