package dev.windrow.bench;

import dev.windrow.Windrow;
import dev.windrow.store.job.ClaimedJob;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The cost of an open transaction. The server removes no dead rows of claims that the transaction could still see. Jobs
 * are claimed and settled a hundred at a time. One run has such a transaction from before the first job, the other has
 * none.
 */
final class LongTransaction {
    private static final int CYCLE = 100;
    private static final int WARM_UP = 5_000;

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
        return new BenchReport.Held(
                with.last / with.first,
                without.last / without.first,
                with.last,
                without.last,
                with.seconds / without.seconds);
    }

    private Drained drain(int jobs, boolean held) throws SQLException, IOException {
        Database database = ground.databases().next();
        OpenedStore store = new OpenedStore(database.store());
        Drained drained;
        try (Windrow windrow = Windrow.open(store);
                Connection other = database.connect();
                Statement statement = other.createStatement()) {
            if (held) {
                other.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
                other.setAutoCommit(false);
                statement.execute(LOOK);
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
