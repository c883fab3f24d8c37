package dev.windrow.bench;

import dev.windrow.engine.Windrow;
import dev.windrow.engine.Worker;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;

/**
 * What a lone caller waits for: a commit, and the start of its job by an idle worker. All in the same rhythm, one job at
 * a time with a pause before the next, so that they can be compared.
 */
final class Latency {
    private static final int MOST = 300;
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    private final Ground ground;
    private final BenchSettings settings;
    private final int counted;
    private final int warmUp;

    Latency(Ground ground) {
        this.ground = ground;
        this.settings = ground.settings();
        this.counted = Math.min(MOST, settings.jobs());
        this.warmUp = Math.max(1, counted / 5);
    }

    private interface Call {
        /** One job; answers how long it took. */
        double millis() throws InterruptedException;
    }

    private Samples sample(Call call) throws InterruptedException {
        Samples samples = new Samples();
        for (int i = 0; i < warmUp + counted; i++) {
            double millis = call.millis();
            if (i >= warmUp) {
                samples.add(millis);
            }
            Work.pause();
        }
        return samples;
    }

    /** The time of a lone enqueue without any worker. */
    Samples commit() throws SQLException, IOException, InterruptedException {
        ground.progress().accept("a lone commit");
        Path file = ground.scratch().newFile();
        Samples samples;
        try (Windrow windrow = Work.open(file, settings.durability())) {
            samples = sample(() -> {
                long start = System.nanoTime();
                windrow.enqueue(Work.NO_OP.job(settings.payload()));
                return (System.nanoTime() - start) / 1e6;
            });
        }
        Audit.pending(file, warmUp + counted);
        ground.scratch().remove(file);
        return samples;
    }

    BenchReport.StartLatencies starts(Children children) throws SQLException, IOException, InterruptedException {
        return new BenchReport.StartLatencies(sameProcess(), otherProcess(children));
    }

    private BenchReport.Percentiles sameProcess() throws SQLException, IOException, InterruptedException {
        ground.progress().accept("start of a job, same process");
        Path file = ground.scratch().newFile();
        Samples samples;
        try (Windrow windrow = Work.open(file, settings.durability());
                Worker worker = Work.start(windrow, settings.slots())) {
            samples = sample(() -> start(windrow));
            worker.stop(PATIENCE);
        }
        return counted(file, samples);
    }

    private BenchReport.Percentiles otherProcess(Children children)
            throws SQLException, IOException, InterruptedException {
        ground.progress().accept("start of a job, other process");
        Path file = ground.scratch().newFile();
        Samples samples;
        try (Windrow windrow = Work.open(file, settings.durability())) {
            Child child = children.first(1).get(0);
            child.open(settings, file);
            child.start();
            samples = sample(() -> start(windrow));
            child.stop();
        }
        return counted(file, samples);
    }

    /** From the call of enqueue to the start of the handler, by the wall clock, which is the same in all processes. */
    private double start(Windrow windrow) throws InterruptedException {
        long called = Work.micros();
        Long started =
                windrow.await(windrow.enqueue(Work.WAKE.job(settings.payload())).ref(), PATIENCE);
        if (started == null) {
            throw new BenchException("a job has ended without the answer of its handler");
        }
        return (started - called) / 1e3;
    }

    private BenchReport.Percentiles counted(Path file, Samples samples) throws SQLException, IOException {
        Audit.completed(file, warmUp + counted);
        ground.scratch().remove(file);
        return new BenchReport.Percentiles(samples.percentile(50), samples.percentile(99));
    }
}
