package dev.windrow.tests.processes.job;

import dev.windrow.Enqueued;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.tests.stores.Target;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A process whose threads enqueue the same keys repeatedly, each in its own order. Arguments: the target, the numbers of threads, keys and rounds, a
 * seed, and {@code plain} or {@code transactions}. With {@code transactions} each enqueue is in a transaction of the process, and a third of these is
 * rolled back. It prints {@code ready}, waits for a line, and prints how many of its jobs were new.
 */
public final class KeyEnqueuer {
    static final JobType<Integer, Void> KEYED = JobType.of("test.keyed", Integer.class);

    private KeyEnqueuer() {}

    public static void main(String[] args) throws Exception {
        Target target = Target.of(args[0]);
        int threads = Integer.parseInt(args[1]);
        int keys = Integer.parseInt(args[2]);
        int rounds = Integer.parseInt(args[3]);
        long seed = Long.parseLong(args[4]);
        boolean plain = args[5].equals("plain");
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        ExecutorService pool = Executors.newFixedThreadPool(threads);
        try (Windrow windrow = Windrow.open(target.newStore())) {
            System.out.println("ready");
            in.readLine();
            List<Callable<Long>> tasks = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                Random random = new Random(seed + i);
                tasks.add(() -> plain
                        ? enqueue(windrow, keys, rounds, random)
                        : enqueue(windrow, target, keys, rounds, random));
            }
            long fresh = 0;
            for (Future<Long> future : pool.invokeAll(tasks)) {
                fresh += future.get();
            }
            System.out.println("new " + fresh);
        } finally {
            pool.shutdownNow();
        }
    }

    private static List<Integer> shuffled(int keys, Random random) {
        List<Integer> all = new ArrayList<>();
        for (int i = 0; i < keys; i++) {
            all.add(i);
        }
        Collections.shuffle(all, random);
        return all;
    }

    /** Enqueues the keys one by one and in bulks. */
    private static long enqueue(Windrow windrow, int keys, int rounds, Random random) {
        AtomicLong fresh = new AtomicLong();
        for (int round = 0; round < rounds; round++) {
            List<Integer> order = shuffled(keys, random);
            for (int i = 0; i < keys; ) {
                int size = Math.min(keys - i, random.nextInt(10) == 0 ? 1 : 100);
                windrow.enqueueAll(order.subList(i, i + size).stream()
                                .map(key -> KEYED.job(key).withDedupeKey("key" + key))
                                .toList())
                        .forEach(job -> count(job, fresh));
                i += size;
            }
        }
        return fresh.get();
    }

    private static long enqueue(Windrow windrow, Target target, int keys, int rounds, Random random) throws Exception {
        AtomicLong fresh = new AtomicLong();
        try (Connection connection = target.begin()) {
            for (int round = 0; round < rounds; round++) {
                for (int key : shuffled(keys, random)) {
                    Enqueued<Void> job =
                            windrow.on(connection).enqueue(KEYED.job(key).withDedupeKey("key" + key));
                    if (random.nextInt(3) == 0) {
                        connection.rollback();
                    } else {
                        connection.commit();
                        count(job, fresh);
                    }
                }
            }
        }
        return fresh.get();
    }

    private static void count(Enqueued<?> job, AtomicLong fresh) {
        if (!job.deduplicated()) {
            fresh.incrementAndGet();
        }
    }
}
