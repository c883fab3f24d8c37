package dev.windrow.bench;

import dev.windrow.Windrow;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Worker processes that drain one database: two and four compared with one, alternately. Before that, four and one in
 * their first runs, in which they are cold. It takes half as many jobs as other measurements, because each run is done
 * three times.
 */
final class ProcessesBench {
    private static final int FEW = 2;
    /** The runs of all processes together before they are counted. From the third one on they take the same time. */
    private static final int WARM_UPS = 2;

    private static final int COUNT = 4;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(3);
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(10);

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
     * @param share the smallest number of jobs of a process, divided by the largest one
     */
    private record Drained(double rate, double share) {}

    BenchReport.Shares run() throws SQLException, IOException {
        try (Children children = new Children(ground.scratch())) {
            ground.progress().accept("%d processes and one, in their first runs".formatted(COUNT));
            double several = drain(children.first(COUNT)).rate;
            double one;
            // A fifth process, because each has only one first run.
            try (Children other = new Children(ground.scratch())) {
                one = drain(other.first(1)).rate;
            }
            return run(children, several / one);
        }
    }

    private BenchReport.Shares run(Children children, double coldSumToOne) throws SQLException, IOException {
        Samples ratios = new Samples();
        Samples fewRatios = new Samples();
        Samples shares = new Samples();
        for (Child child : children.first(COUNT)) {
            ground.begins(COUNT + " processes", 0);
            // Alone, because each must be as warm as the one with which they are compared. Together, each would run a
            // fourth.
            drain(List.of(child));
        }
        for (int run = 1; run <= WARM_UPS; run++) {
            // Together, because a process also runs other code while several have the database open.
            drain(children.first(COUNT));
        }
        for (int run = 1; run <= Ground.RUNS; run++) {
            ground.begins(COUNT + " processes", run);
            Drained one = drain(children.first(1));
            Drained few = drain(children.first(FEW));
            Drained several = drain(children.first(COUNT));
            fewRatios.add(few.rate / one.rate);
            ratios.add(several.rate / one.rate);
            shares.add(several.share);
        }
        return new BenchReport.Shares(COUNT, ratios.median(), shares.median(), fewRatios.median(), coldSumToOne);
    }

    private Drained drain(List<Child> children) throws SQLException, IOException {
        Database database = ground.databases().next();
        try (Windrow windrow = database.open()) {
            Work.enqueue(windrow, jobs, settings.payload());
        }
        for (Child child : children) {
            child.open(settings, database);
        }
        long start = System.nanoTime();
        for (Child child : children) {
            child.say("start");
        }
        for (Child child : children) {
            child.hear();
        }
        awaitCompleted(database);
        double seconds = (System.nanoTime() - start) / 1e9;
        for (Child child : children) {
            child.stop();
        }
        Audit.completed(database, jobs);
        List<Long> shares = Audit.shares(database);
        // The list omits a process that has run no job.
        double share = shares.size() < children.size() ? 0 : (double) shares.get(0) / shares.get(shares.size() - 1);
        database.remove();
        return new Drained(jobs / seconds, share);
    }

    private void awaitCompleted(Database database) throws SQLException {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        String completed = database.dialect().completed();
        try (Connection connection = database.connect();
                Statement statement = connection.createStatement()) {
            while (Audit.number(statement, completed) < jobs) {
                if (System.nanoTime() - deadline > 0) {
                    throw new BenchException("the jobs did not end within %d minutes"
                            .formatted(TimeUnit.NANOSECONDS.toMinutes(PATIENCE_NANOS)));
                }
                Work.waitUntil(System.nanoTime() + LOOK_NANOS);
            }
        }
    }
}
