package dev.windrow.bench;

import dev.windrow.AttemptOutcome;
import dev.windrow.TimeSource;
import dev.windrow.store.OpenStore;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Started;
import dev.windrow.store.job.WorkerId;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/** The steps of a worker by the store's own verbs, so that each can be timed. */
final class ByHand {
    private static final String WORKER = "bench";
    private static final long LEASE_MILLIS = 60_000;

    private ByHand() {}

    /** Claims this number of jobs, which must exist. */
    static List<ClaimedJob> claim(OpenStore store, Set<String> queues, int count) {
        List<ClaimedJob> jobs = claimUpTo(store, queues, count);
        if (jobs.size() != count) {
            throw new BenchException("a claim got %d of %d jobs".formatted(jobs.size(), count));
        }
        return jobs;
    }

    /** Claims jobs that are ready or due, at most this number. */
    static List<ClaimedJob> claimUpTo(OpenStore store, Set<String> queues, int count) {
        return store.submit(
                        new Claim(new WorkerId(WORKER, "1"), queues, Set.of(Work.NO_OP.name()), count, LEASE_MILLIS))
                .join()
                .jobs();
    }

    /** Starts and completes the jobs. */
    static void complete(OpenStore store, List<ClaimedJob> jobs) {
        long now = TimeSource.system().now().toEpochMilli();
        List<CompletableFuture<Boolean>> settled = new ArrayList<>(jobs.size());
        for (ClaimedJob job : jobs) {
            CompletableFuture<Void> unused = store.submit(new Started(job.leaseToken(), WORKER, now));
            settled.add(settle(store, job, now));
        }
        settled.forEach(ByHand::await);
    }

    /** Completes a job whose start is not written, because its attempt ends before. */
    static void settle(OpenStore store, ClaimedJob job) {
        await(settle(store, job, TimeSource.system().now().toEpochMilli()));
    }

    private static CompletableFuture<Boolean> settle(OpenStore store, ClaimedJob job, long now) {
        return store.submit(Settle.of(job, WORKER, Transition.COMPLETE, AttemptOutcome.SUCCEEDED, now)
                .startedAtMillis(now)
                .build());
    }

    private static void await(CompletableFuture<Boolean> settled) {
        if (!settled.join()) {
            throw new BenchException("a job was lost that no other worker could take");
        }
    }
}
