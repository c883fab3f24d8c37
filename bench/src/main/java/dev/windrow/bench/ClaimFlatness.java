package dev.windrow.bench;

import dev.windrow.engine.Windrow;
import dev.windrow.store.Store;
import java.io.IOException;
import java.sql.SQLException;
import java.util.Set;

/**
 * What history costs: a claim of a hundred jobs and their settlement, by the store's own verbs, behind many
 * finished jobs and behind ten thousand, by turns. A hundred, because a claim of one is little more than its commit.
 */
final class ClaimFlatness {
    private static final int FEW = 10_000;
    private static final int CYCLE = 100;
    private static final int MOST_CYCLES = 300;
    private static final int LEAST_CYCLES = 20;

    private final Ground ground;
    private final BenchSettings settings;
    private final int counted;
    private final int warmUp;

    ClaimFlatness(Ground ground) {
        this.ground = ground;
        this.settings = ground.settings();
        this.counted = Math.max(LEAST_CYCLES, Math.min(MOST_CYCLES, settings.jobs() / CYCLE));
        this.warmUp = counted / 5;
    }

    BenchReport.Flatness run() throws SQLException, IOException {
        Database few = seeded(FEW);
        Database many = seeded(settings.rows());
        ground.progress().accept("claims behind finished jobs");
        Samples ofFew = new Samples();
        Samples ofMany = new Samples();
        Store fewStore = few.store();
        Store manyStore = many.store();
        // Opened by the engine, which starts the store; without a worker nobody else claims.
        try (Windrow fewJobs = Windrow.open(fewStore);
                Windrow manyJobs = Windrow.open(manyStore)) {
            for (int i = 0; i < warmUp + counted; i++) {
                double fewMillis = cycle(fewJobs, fewStore);
                double manyMillis = cycle(manyJobs, manyStore);
                if (i >= warmUp) {
                    ofFew.add(fewMillis);
                    ofMany.add(manyMillis);
                }
            }
        }
        int added = CYCLE * (warmUp + counted);
        ground.progress().accept("counting finished jobs");
        Audit.completed(few, FEW + added);
        Audit.completed(many, settings.rows() + added);
        few.remove();
        many.remove();
        Double fewMedian = ofFew.median();
        Double manyMedian = ofMany.median();
        return new BenchReport.Flatness(
                fewMedian == null || manyMedian == null ? null : manyMedian / fewMedian, settings.rows());
    }

    private Database seeded(int rows) throws SQLException {
        ground.progress().accept("%,d finished jobs".formatted(rows));
        Database database = ground.databases().next();
        database.seed(rows, Work.json(settings.payload()));
        return database;
    }

    /** New jobs, which are not counted, then a claim of them and their settlement. */
    private double cycle(Windrow windrow, Store store) {
        Work.enqueue(windrow, CYCLE, settings.payload());
        long start = System.nanoTime();
        ByHand.complete(store, ByHand.claim(store, Set.of(Work.QUEUE), CYCLE));
        return (System.nanoTime() - start) / 1e6;
    }
}
