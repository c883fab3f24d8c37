package dev.windrow.tests.crash;

import dev.windrow.Enqueued;
import dev.windrow.JobRef;
import dev.windrow.JobRequest;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.Windrow;
import dev.windrow.WindrowException;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Enqueues into the storm. Arguments: the target, the ledger, its name, the seed. It notes each call to enqueue before the call. It notes the call
 * again after its acknowledgement, with each job's id and kind, or after its failure. It prints {@code ready}, runs until its input ends, and prints
 * {@code stopped}. It limits how far it is ahead of the workers.
 */
public final class StormEnqueuer {
    private static final int MOST = 40;

    private final Ledger ledger;
    private final Windrow windrow;
    private final String name;
    private final SplittableRandom random;
    private final List<JobRef<?>> before = new ArrayList<>();
    private final List<JobRef<?>> doomed = new ArrayList<>();

    private StormEnqueuer(Ledger ledger, Windrow windrow, String name, long seed) {
        this.ledger = ledger;
        this.windrow = windrow;
        this.name = name;
        this.random = new SplittableRandom(seed);
    }

    public static void main(String[] args) throws Exception {
        AtomicBoolean inputEnded = new AtomicBoolean();
        Thread listener = new Thread(() -> {
            try {
                StormProcess.obey();
            } catch (Exception e) {
                e.printStackTrace();
            }
            inputEnded.set(true);
        });
        listener.setDaemon(true);
        listener.start();
        Path file = Path.of(args[1]);
        try (Ledger ledger = new Ledger(file);
                Windrow windrow = StormProcess.open(args[0], file)) {
            System.out.println("ready");
            StormEnqueuer enqueuer = new StormEnqueuer(ledger, windrow, args[2], Long.parseLong(args[3]));
            for (int call = 0; !inputEnded.get(); call++) {
                enqueuer.call(call);
            }
        }
        System.out.println("stopped");
    }

    /** Thrown to roll a transaction back. */
    private static final class RolledBack extends Exception {
        private static final long serialVersionUID = 1L;
    }

    private void call(int number) throws IOException, InterruptedException {
        String call = name + "." + number;
        List<StormJobs> kinds = new ArrayList<>();
        List<JobRequest<?, ?>> jobs = new ArrayList<>();
        boolean deduped = random.nextInt(10) == 0;
        int count = deduped ? 1 : 1 + random.nextInt(MOST);
        for (int i = 0; i < count; i++) {
            StormJobs kind = deduped ? StormJobs.DEDUPED : StormJobs.any(random);
            if (kind == StormJobs.CHILD && before.size() < 2) {
                kind = StormJobs.PLAIN;
            }
            String job = call + "-" + i;
            jobs.add(
                    kind == StormJobs.CHILD
                            ? kind.after(random, job, before.subList(before.size() - 2, before.size()))
                            : kind.job(random, job));
            kinds.add(kind);
        }
        ledger.write("try", call, count);
        List<Enqueued<?>> enqueued;
        try {
            enqueued = enqueue(jobs);
        } catch (OutcomeUnknownException e) {
            ledger.write("unknown", call);
            return;
        } catch (RolledBack e) {
            ledger.write("rolledback", call);
            return;
        } catch (WindrowException e) {
            ledger.write("refused", call, e.getMessage());
            var unused = new CountDownLatch(1).await(20, TimeUnit.MILLISECONDS);
            return;
        } catch (RuntimeException e) {
            // Thrown by a pool that cannot log.
            ledger.write("unknown", call, e);
            return;
        }
        before.clear();
        for (int i = 0; i < count; i++) {
            JobRef<?> job = enqueued.get(i);
            before.add(job);
            ledger.write("ack", job.id(), kinds.get(i), call + "-" + i);
        }
        if (enqueued.get(0).deduplicated()) {
            ledger.write("deduplicated", call);
        }
        change(kinds);
        awaitOne(before.get(random.nextInt(count)));
    }

    /** Enqueues in a managed transaction, in a managed transaction that is rolled back, or in a transaction of the store. */
    private List<Enqueued<?>> enqueue(List<JobRequest<?, ?>> jobs) throws RolledBack {
        return switch (random.nextInt(10)) {
            case 0 -> windrow.inTransaction(connection -> windrow.on(connection).enqueueAll(jobs));
            case 1 ->
                windrow.<List<Enqueued<?>>, RolledBack>inTransaction(connection -> {
                    windrow.on(connection).enqueueAll(jobs);
                    throw new RolledBack();
                });
            default -> windrow.enqueueAll(jobs);
        };
    }

    /** Cancels the jobs of the last call that are due much later, and retries one failed job. */
    private void change(List<StormJobs> kinds) throws IOException {
        for (int i = 0; i < kinds.size(); i++) {
            JobRef<?> job = before.get(i);
            if (kinds.get(i) == StormJobs.FUTURE
                    && changed(() -> windrow.job(job).cancel())) {
                ledger.write("cancelled", job.id());
            } else if (kinds.get(i) == StormJobs.DOOMED) {
                doomed.add(job);
            }
        }
        if (doomed.size() > 10) {
            JobRef<?> job = doomed.remove(0);
            changed(() -> windrow.job(job).retry());
        }
    }

    private static boolean changed(Runnable change) {
        try {
            change.run();
            return true;
        } catch (RuntimeException e) {
            // The job may not have ended yet. The test checks its outcome in the end.
            return false;
        }
    }

    private void awaitOne(JobRef<?> job) {
        try {
            windrow.await(job, Duration.ofMillis(50));
        } catch (RuntimeException e) {
            // The test checks the outcome in the end.
        }
    }
}
