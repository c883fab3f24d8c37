package dev.windrow.bench;

import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.store.job.ClaimedJob;
import java.io.IOException;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The cost of jobs that a claim must pass. It measures a claim of a hundred jobs and their settlement, by the store's
 * own verbs. Four databases take turns. One has ten thousand finished jobs, one has many. Two also have many ready jobs
 * of a key that is paused or full. The claims are of a hundred jobs, because a claim of one is little more than its
 * commit.
 */
final class ClaimFlatness {
    private static final int FEW = 10_000;
    private static final int MAX_OF_KEY = 100_000;
    private static final String KEY = "busy";
    private static final int CYCLE = 100;
    private static final int MAX_CYCLES = 300;
    private static final int LEAST_CYCLES = 20;

    private final Ground ground;
    private final BenchSettings settings;
    private final int counted;
    private final int warmUp;
    private final int ofKey;

    ClaimFlatness(Ground ground) {
        this.ground = ground;
        this.settings = ground.settings();
        this.counted = Math.max(LEAST_CYCLES, Math.min(MAX_CYCLES, settings.jobs() / CYCLE));
        this.warmUp = counted / 5;
        this.ofKey = Math.min(MAX_OF_KEY, settings.rows());
    }

    /** A database, and the times of its cycles. */
    private static final class Course implements AutoCloseable {
        private final Database database;
        private final OpenedStore store;
        private final Windrow windrow;
        private final Samples claims = new Samples();
        private final Samples cycles = new Samples();

        Course(Database database) throws SQLException {
            this.database = database;
            this.store = new OpenedStore(database.store());
            // Without a worker only the measurement claims.
            this.windrow = Windrow.open(store);
        }

        @Override
        public void close() {
            windrow.close();
        }
    }

    BenchReport.Flatness run() throws SQLException, IOException {
        try (Course few = new Course(seeded(FEW));
                Course many = new Course(seeded(settings.rows()));
                Course paused = new Course(seeded(FEW));
                Course full = new Course(seeded(FEW))) {
            ground.progress().accept("%,d ready jobs of a key".formatted(2 * ofKey));
            paused.windrow.key(KEY).pause();
            fill(paused.windrow, ConcurrencyKey.of(KEY));
            fill(full.windrow, ConcurrencyKey.atMost(KEY, 1));
            // This job has the only key permit, and does not end.
            List<ClaimedJob> unused = ByHand.claim(full.store.verbs(), Set.of(Work.QUEUE), 1);
            ground.progress().accept("claims behind finished jobs, and behind those of a key");
            List<Course> all = List.of(few, many, paused, full);
            for (int i = 0; i < warmUp + counted; i++) {
                for (Course course : all) {
                    cycle(course, i >= warmUp);
                }
            }
            ground.progress().accept("counting finished jobs");
            int added = CYCLE * (warmUp + counted);
            Audit.completed(few.database, FEW + added);
            Audit.completed(many.database, settings.rows() + added);
            check(paused, FEW + added, ofKey, 0);
            check(full, FEW + added, ofKey - 1, 1);
            BenchReport.Flatness flatness = new BenchReport.Flatness(
                    ratio(many.cycles, few.cycles),
                    settings.rows(),
                    ratio(paused.claims, few.claims),
                    ratio(full.claims, few.claims),
                    ofKey);
            for (Course course : all) {
                course.close();
                course.database.remove();
            }
            return flatness;
        }
    }

    /** Checks that only measured jobs were claimed. */
    private static void check(Course course, int completed, int pending, int running) {
        Map<JobState, Long> states = course.windrow.monitor().statistics().states();
        Map<JobState, Integer> expected =
                Map.of(JobState.COMPLETED, completed, JobState.PENDING, pending, JobState.RUNNING, running);
        expected.forEach((state, count) -> {
            if (states.getOrDefault(state, 0L) != count.longValue()) {
                throw new BenchException("%d jobs are %s instead of %d".formatted(states.get(state), state, count));
            }
        });
    }

    private static @Nullable Double ratio(Samples some, Samples others) {
        Double one = some.median();
        Double other = others.median();
        return one == null || other == null ? null : Double.valueOf(one / other);
    }

    private Database seeded(int rows) throws SQLException {
        ground.progress().accept("%,d finished jobs".formatted(rows));
        Database database = ground.databases().next();
        database.seed(rows, Work.json(settings.payload()));
        return database;
    }

    /** Enqueues jobs that come before all others. */
    private void fill(Windrow windrow, ConcurrencyKey key) {
        for (int left = ofKey; left > 0; left -= Work.BULK) {
            List<JobRequest<String, Void>> jobs = new ArrayList<>();
            for (JobRequest<String, Void> job : Work.noOps(Math.min(Work.BULK, left), settings.payload())) {
                jobs.add(job.withPriority(1).withConcurrencyKey(key));
            }
            windrow.enqueueAll(jobs);
        }
    }

    /** Enqueues jobs, which does not count, then claims and settles them. */
    private void cycle(Course course, boolean counts) {
        Work.enqueue(course.windrow, CYCLE, settings.payload());
        long start = System.nanoTime();
        List<ClaimedJob> jobs = ByHand.claim(course.store.verbs(), Set.of(Work.QUEUE), CYCLE);
        long claimed = System.nanoTime();
        ByHand.complete(course.store.verbs(), jobs);
        if (counts) {
            course.claims.add((claimed - start) / 1e6);
            course.cycles.add((System.nanoTime() - start) / 1e6);
        }
    }
}
