package dev.windrow.bench;

import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.JobState;
import dev.windrow.Windrow;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.workflow.ParentPolicy;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The cost of waiting jobs, in two measurements. One is claims of other jobs while many jobs wait. The other is the end
 * of one parent of half as many, until the last of its children is ready. During the second one a caller continues to
 * enqueue.
 */
final class DependentsBench {
    private static final int CYCLE = 100;
    private static final int WARM_UP = 20;
    private static final int COUNTED = 100;
    private static final long LOOK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);
    private static final long PATIENCE_NANOS = TimeUnit.MINUTES.toNanos(30);

    private final Ground ground;
    private final BenchSettings settings;
    private final int blocked;
    private final int children;

    DependentsBench(Ground ground) {
        this.ground = ground;
        this.settings = ground.settings();
        this.blocked = settings.jobs();
        this.children = Math.max(1, settings.jobs() / 2);
    }

    BenchReport.Dependents run() throws SQLException, IOException {
        Double ratio = beside();
        Released released = release();
        return new BenchReport.Dependents(
                /* blockedRows= */ blocked,
                /* claimP50Ratio= */ ratio,
                /* children= */ children,
                /* releaseSeconds= */ released.seconds,
                /* enqueueP50Millis= */ released.waits.median(),
                /* enqueueLongestMillis= */ released.longestMillis,
                /* enqueueP50MillisBefore= */ released.calm.median());
    }

    /**
     * Returns the time of a claim of a hundred jobs and their settlement while many jobs are blocked, divided by the
     * time without blocked jobs. Both run alternately.
     */
    private @Nullable Double beside() throws SQLException, IOException {
        Database few = ground.databases().next();
        Database many = ground.databases().next();
        OpenedStore fewStore = new OpenedStore(few.store());
        OpenedStore manyStore = new OpenedStore(many.store());
        Samples without = new Samples();
        Samples beside = new Samples();
        try (Windrow alone = Windrow.open(fewStore);
                Windrow crowded = Windrow.open(manyStore)) {
            ground.progress().accept("%,d blocked jobs".formatted(blocked));
            // The parent is not due, so that no worker claims it.
            JobRef<Void> parent =
                    crowded.enqueue(Work.NO_OP.job(settings.payload()).withDelay(Duration.ofDays(1)));
            block(crowded, parent, blocked);
            ground.progress().accept("claims beside blocked jobs");
            for (int i = 0; i < WARM_UP + COUNTED; i++) {
                double first = cycle(alone, fewStore);
                double second = cycle(crowded, manyStore);
                if (i >= WARM_UP) {
                    without.add(first);
                    beside.add(second);
                }
            }
            check(crowded, JobState.BLOCKED, blocked);
        }
        few.remove();
        many.remove();
        Double one = beside.median();
        Double other = without.median();
        return one == null || other == null ? null : Double.valueOf(one / other);
    }

    private double cycle(Windrow windrow, OpenedStore store) {
        Work.enqueue(windrow, CYCLE, settings.payload());
        long start = System.nanoTime();
        ByHand.complete(store.verbs(), ByHand.claim(store.verbs(), Set.of(Work.QUEUE), CYCLE));
        return (System.nanoTime() - start) / 1e6;
    }

    private void block(Windrow windrow, JobRef<?> parent, int count) {
        for (int left = count; left > 0; left -= Work.BULK) {
            List<JobRequest<String, Void>> jobs = new ArrayList<>();
            for (JobRequest<String, Void> job : Work.noOps(Math.min(Work.BULK, left), settings.payload())) {
                jobs.add(job.withParents(ParentPolicy.WAIT, List.of(parent)));
            }
            windrow.enqueueAll(jobs);
        }
    }

    private static void check(Windrow windrow, JobState state, long expected) {
        Map<JobState, Long> states = windrow.monitor().statistics().states();
        if (states.getOrDefault(state, 0L) != expected) {
            throw new BenchException("%d jobs are %s instead of %d".formatted(states.get(state), state, expected));
        }
    }

    /**
     * The end of a parent.
     *
     * @param seconds the time from its settlement to the release of its last child
     * @param waits the time of each single enqueue during the release
     * @param calm the time of each single enqueue before
     * @param longestMillis the longest of the waits
     */
    private record Released(double seconds, Samples waits, Samples calm, double longestMillis) {}

    private Released release() throws SQLException, IOException {
        Database database = ground.databases().next();
        OpenedStore store = new OpenedStore(database.store());
        Released released;
        try (Windrow windrow = Windrow.open(store)) {
            ground.progress().accept("%,d children of one parent".formatted(children));
            JobRef<Void> parent = windrow.enqueue(Work.NO_OP.job(settings.payload()));
            List<ClaimedJob> running = ByHand.claim(store.verbs(), Set.of(Work.QUEUE), 1);
            block(windrow, parent, children);
            ground.progress().accept("the end of a parent");
            Samples calm = new Samples();
            for (int i = 0; i < COUNTED; i++) {
                calm.add(enqueue(windrow));
            }
            Samples waits = new Samples();
            double longest = 0;
            long others = COUNTED;
            long start = System.nanoTime();
            CompletableFuture<Double> seconds = CompletableFuture.supplyAsync(() -> {
                ByHand.complete(store.verbs(), running);
                return untilReleased(windrow, start);
            });
            while (!seconds.isDone()) {
                double wait = enqueue(windrow);
                waits.add(wait);
                longest = Math.max(longest, wait);
                others++;
            }
            released = new Released(seconds.join(), waits, calm, longest);
            check(windrow, JobState.PENDING, children + others);
            check(windrow, JobState.BLOCKED, 0);
        }
        database.remove();
        return released;
    }

    private double enqueue(Windrow windrow) {
        long start = System.nanoTime();
        windrow.enqueue(Work.NO_OP, settings.payload());
        return (System.nanoTime() - start) / 1e6;
    }

    private static double untilReleased(Windrow windrow, long start) {
        while (windrow.monitor().statistics().states().getOrDefault(JobState.BLOCKED, 0L) > 0) {
            if (System.nanoTime() - start > PATIENCE_NANOS) {
                throw new BenchException("the children of a parent that has ended were not released");
            }
            Work.waitUntil(System.nanoTime() + LOOK_NANOS);
        }
        return (System.nanoTime() - start) / 1e9;
    }
}
