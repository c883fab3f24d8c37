package dev.windrow.bench;

import dev.windrow.Enqueued;
import dev.windrow.Windrow;
import dev.windrow.store.job.ClaimedJob;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The cost of an open transaction. The server removes no dead rows of claims that the transaction could still see. Jobs
 * are claimed and settled a hundred at a time. One run has such a transaction from before the first job, the other has
 * none. Two more runs do the same with delayed jobs, and then enqueue single jobs.
 */
final class LongTransaction {
    private static final int CYCLE = 100;
    private static final int WARM_UP = 5_000;
    private static final Duration DELAY = Duration.ofMillis(1);
    private static final int ENQUEUES = 200;
    /** The time for a thousand delayed jobs, which take less than a second. */
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(1);

    private static final String LOOK = """
            SELECT count(*) FROM windrow_jobs
            """;

    private final Ground ground;
    private final BenchSettings settings;

    LongTransaction(Ground ground) {
        this.ground = ground;
        this.settings = ground.settings();
    }

    /**
     * A run.
     *
     * @param first median milliseconds of a claim of the first tenth
     * @param last median milliseconds of a claim of the last tenth
     * @param seconds the time of all claims and settlements
     */
    private record Drained(double first, double last, double seconds) {}

    BenchReport.Held run() throws SQLException, IOException {
        ground.progress().accept("claims behind an open transaction, warm-up");
        drain(Math.min(WARM_UP, settings.jobs()), false);
        ground.progress().accept("claims without an open transaction");
        Drained without = drain(settings.jobs(), false);
        ground.progress().accept("claims behind an open transaction");
        Drained with = drain(settings.jobs(), true);
        ground.progress().accept("enqueues after delayed jobs");
        double enqueueWithout = enqueueAfterDelayed(settings.jobs(), false);
        ground.progress().accept("enqueues after delayed jobs behind an open transaction");
        double enqueueWith = enqueueAfterDelayed(settings.jobs(), true);
        return new BenchReport.Held(
                /* p50Ratio= */ with.last / with.first,
                /* p50RatioWithout= */ without.last / without.first,
                /* lastP50Millis= */ with.last,
                /* lastP50MillisWithout= */ without.last,
                /* timeRatio= */ with.seconds / without.seconds,
                /* enqueueP50Millis= */ enqueueWith,
                /* enqueueP50MillisWithout= */ enqueueWithout);
    }

    private static void look(Connection connection) throws SQLException {
        connection.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute(LOOK);
        }
    }

    /** Runs delayed jobs, and returns the median milliseconds of a single enqueue afterwards. */
    private double enqueueAfterDelayed(int jobs, boolean held) throws SQLException, IOException {
        Database database = ground.databases().next();
        OpenedStore store = new OpenedStore(database.store());
        List<Double> enqueues = new ArrayList<>();
        try (Windrow windrow = Windrow.open(store);
                Connection other = database.connect()) {
            if (held) {
                look(other);
            }
            for (int left = jobs; left > 0; left -= Work.BULK) {
                int part = Math.min(Work.BULK, left);
                windrow.enqueueAll(Work.noOps(part, settings.payload()).stream()
                        .map(job -> job.withDelay(DELAY))
                        .toList());
                long deadline = System.nanoTime() + PATIENCE_NANOS;
                for (int done = 0; done < part; ) {
                    if (System.nanoTime() - deadline > 0) {
                        throw new BenchException(
                                "%d of %d delayed jobs were not due in time".formatted(part - done, part));
                    }
                    List<ClaimedJob> claimed = ByHand.claimUpTo(store.verbs(), Set.of(Work.QUEUE), part - done);
                    ByHand.complete(store.verbs(), claimed);
                    done += claimed.size();
                }
            }
            for (int i = 0; i < ENQUEUES; i++) {
                long begin = System.nanoTime();
                Enqueued<@Nullable Void> unused = windrow.enqueue(Work.NO_OP.job(settings.payload()));
                enqueues.add((System.nanoTime() - begin) / 1e6);
            }
            ByHand.complete(store.verbs(), ByHand.claim(store.verbs(), Set.of(Work.QUEUE), ENQUEUES));
            if (held) {
                other.rollback();
            }
        }
        Audit.completed(database, jobs + ENQUEUES);
        database.remove();
        return median(enqueues);
    }

    private Drained drain(int jobs, boolean held) throws SQLException, IOException {
        Database database = ground.databases().next();
        OpenedStore store = new OpenedStore(database.store());
        Drained drained;
        try (Windrow windrow = Windrow.open(store);
                Connection other = database.connect()) {
            if (held) {
                look(other);
            }
            Work.enqueue(windrow, jobs, settings.payload());
            List<Double> claims = new ArrayList<>();
            long start = System.nanoTime();
            for (int left = jobs; left > 0; left -= CYCLE) {
                long begin = System.nanoTime();
                List<ClaimedJob> claimed = ByHand.claim(store.verbs(), Set.of(Work.QUEUE), Math.min(CYCLE, left));
                claims.add((System.nanoTime() - begin) / 1e6);
                ByHand.complete(store.verbs(), claimed);
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            int tenth = Math.max(1, claims.size() / 10);
            drained = new Drained(
                    median(claims.subList(0, tenth)),
                    median(claims.subList(claims.size() - tenth, claims.size())),
                    seconds);
            if (held) {
                other.rollback();
            }
        }
        Audit.completed(database, jobs);
        database.remove();
        return drained;
    }

    private static double median(List<Double> values) {
        Samples samples = new Samples();
        values.forEach(samples::add);
        @Nullable Double median = samples.median();
        return Objects.requireNonNull(median);
    }
}
