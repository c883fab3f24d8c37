package dev.windrow.tests.crash;

import dev.windrow.AwaitTimeoutException;
import dev.windrow.Enqueued;
import dev.windrow.JobRef;
import dev.windrow.JobUnsuccessfulException;
import dev.windrow.NewJob;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.engine.Windrow;
import dev.windrow.tests.stores.Target;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Enqueues into the storm. Arguments: the target, the ledger, its name, the seed. Each call to enqueue is noted
 * before it is made, and again, with each job's id and kind, when it was acknowledged, or when it has failed. It prints {@code ready}, goes
 * on until its input ends, and prints {@code stopped}. It does not run ahead of the workers by much.
 */
public final class StormEnqueuer {
    private static final int MOST = 40;

    private StormEnqueuer() {}

    public static void main(String[] args) throws Exception {
        String name = args[2];
        AtomicBoolean inputEnded = new AtomicBoolean();
        Thread listener = new Thread(() -> awaitEndOfInput(inputEnded));
        listener.setDaemon(true);
        listener.start();
        SplittableRandom random = new SplittableRandom(Long.parseLong(args[3]));
        try (Ledger ledger = new Ledger(Path.of(args[1]));
                Windrow windrow = Windrow.open(Target.of(args[0]).newStore())) {
            System.out.println("ready");
            List<JobRef<?>> before = new ArrayList<>();
            for (int call = 0; !inputEnded.get(); call++) {
                List<StormJobs> kinds = new ArrayList<>();
                List<NewJob<?, ?>> jobs = new ArrayList<>();
                String callName = name + "." + call;
                int count = 1 + random.nextInt(MOST);
                for (int i = 0; i < count; i++) {
                    StormJobs kind = kind(random);
                    if (kind == StormJobs.CHILD && before.size() < 2) {
                        kind = StormJobs.PLAIN;
                    }
                    NewJob<?, ?> job = kind == StormJobs.CHILD
                            ? kind.after(random, before.subList(before.size() - 2, before.size()))
                            : kind.job(random);
                    kinds.add(kind);
                    jobs.add(job.name(callName + "-" + i));
                }
                ledger.write("try", callName, count);
                List<Enqueued<?>> enqueued;
                try {
                    enqueued = windrow.enqueueAll(jobs);
                } catch (OutcomeUnknownException e) {
                    ledger.write("unknown", callName);
                    continue;
                } catch (StoreUnavailableException e) {
                    ledger.write("refused", callName);
                    continue;
                }
                for (int i = 0; i < count; i++) {
                    ledger.write("ack", enqueued.get(i).ref().id(), kinds.get(i));
                }
                before.clear();
                enqueued.forEach(one -> before.add(one.ref()));
                awaitOne(windrow, before.get(random.nextInt(count)));
            }
        }
        System.out.println("stopped");
    }

    private static void awaitEndOfInput(AtomicBoolean ended) {
        try {
            while (System.in.read() >= 0) {
                Thread.onSpinWait();
            }
        } catch (IOException e) {
            System.err.println("the input cannot be read: " + e);
        }
        ended.set(true);
    }

    private static StormJobs kind(SplittableRandom random) {
        int n = random.nextInt(100);
        if (n < 50) {
            return StormJobs.PLAIN;
        }
        if (n < 65) {
            return StormJobs.FLAKY;
        }
        if (n < 70) {
            return StormJobs.DOOMED;
        }
        if (n < 72) {
            return StormJobs.LATE;
        }
        return n < 75 ? StormJobs.PROCESS : StormJobs.CHILD;
    }

    private static void awaitOne(Windrow windrow, JobRef<?> job) {
        try {
            windrow.await(job, Duration.ofMillis(50));
        } catch (AwaitTimeoutException | JobUnsuccessfulException | StoreUnavailableException e) {
            // Whatever becomes of it is looked at when all is over.
        }
    }
}
