package dev.windrow.bench;

import dev.windrow.engine.Windrow;
import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Worker processes that drain one file, several against one, by turns; half as many jobs as elsewhere, because each is run twice. */
final class ProcessesBench {
    private static final int COUNT = 4;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(3);
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

    private static final String COMPLETED = """
            SELECT coalesce(sum(n), 0) FROM windrow_counters WHERE state = 'COMPLETED'
            """;

    private final Ground ground;
    private final BenchSettings settings;
    private final int jobs;

    ProcessesBench(Ground ground) {
        this.ground = ground;
        this.settings = ground.settings();
        this.jobs = Math.max(1, settings.jobs() / 2);
    }

    /**
     * A run.
     *
     * @param rate jobs a second of all processes
     * @param share the least number of jobs that one ran, by the most
     */
    private record Drained(double rate, double share) {}

    BenchReport.Shares run(Children children) throws SQLException, IOException {
        Samples ratios = new Samples();
        Samples shares = new Samples();
        for (int run = 0; run <= Ground.RUNS; run++) {
            ground.begins(COUNT + " processes", run);
            Drained one = drain(children.first(1));
            Drained several = drain(children.first(COUNT));
            if (run > 0) {
                ratios.add(several.rate / one.rate);
                shares.add(several.share);
            }
        }
        return new BenchReport.Shares(COUNT, ratios.median(), shares.median());
    }

    private Drained drain(List<Child> children) throws SQLException, IOException {
        Path file = ground.scratch().newFile();
        try (Windrow windrow = Work.open(file, settings.durability())) {
            Work.enqueue(windrow, jobs, settings.payload());
        }
        for (Child child : children) {
            child.open(settings, file);
        }
        long start = System.nanoTime();
        for (Child child : children) {
            child.say("start");
        }
        for (Child child : children) {
            child.hear();
        }
        awaitCompleted(file);
        double seconds = (System.nanoTime() - start) / 1e9;
        for (Child child : children) {
            child.stop();
        }
        Audit.completed(file, jobs);
        List<Long> shares = Audit.shares(file);
        // A process that has run nothing is not among them.
        double share = shares.size() < children.size() ? 0 : (double) shares.get(0) / shares.get(shares.size() - 1);
        ground.scratch().remove(file);
        return new Drained(jobs / seconds, share);
    }

    private void awaitCompleted(Path file) throws SQLException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        try (Connection connection = DriverManager.getConnection("jdbc:sqlite:" + file);
                Statement statement = connection.createStatement()) {
            while (Audit.number(statement, COMPLETED) < jobs) {
                if (System.nanoTime() - deadline > 0) {
                    throw new BenchException("the jobs did not end within %d minutes"
                            .formatted(TimeUnit.NANOSECONDS.toMinutes(PATIENCE_NANOS)));
                }
                Work.waitUntil(System.nanoTime() + LOOK_NANOS);
            }
        }
    }
}
