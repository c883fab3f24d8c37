package dev.windrow.engine.worker;

import dev.windrow.TimeSource;
import dev.windrow.engine.EngineContext;
import dev.windrow.engine.monitor.Listeners;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.JobRow;
import java.time.Instant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jetbrains.lincheck.Lincheck;

/**
 * Tries the steps of a few threads in many orders, chosen by Lincheck's model checker. Lincheck 3.7 silently drops an
 * order in which a thread has called {@code AtomicInteger.compareAndExchange} after another thread's write. The code
 * that is tried here does not call it.
 */
public final class Races {
    /** Transactions for attempts whose handlers have none of their own. */
    public static final Attempt.Transactions NO_TRANSACTIONS = (attempt, connection) -> {
        throw new AssertionError("no transaction is expected");
    };

    /** The deadline of a wait that only a signal ends; without a signal, the checker reports that all threads wait. */
    public static final long NEVER = Long.MAX_VALUE / 2;

    private Races() {}

    /** The steps of one thread. */
    public interface AttemptSteps {
        void run() throws Exception;
    }

    /** The threads of a race, and the check when all of them have ended. Created for each order. */
    public record Race(List<AttemptSteps> threads, AttemptSteps afterwards) {}

    /** Creates a race. */
    public interface Start {
        Race get();
    }

    /**
     * Fails with the first order that fails.
     *
     * @param orders the number of orders that every build tries
     * @param soaking the number of orders that {@code -Psoak} tries
     */
    public static void inManyOrders(int orders, int soaking, Start start) {
        Lincheck.runConcurrentTest(Boolean.getBoolean("windrow.soak") ? soaking : orders, () -> {
            Race race = start.get();
            Thread[] threads = new Thread[race.threads.size()];
            Throwable[] failures = new Throwable[threads.length];
            for (int i = 0; i < threads.length; i++) {
                AttemptSteps steps = race.threads.get(i);
                int number = i;
                threads[i] = new Thread(() -> {
                    try {
                        steps.run();
                    } catch (Throwable e) {
                        failures[number] = e;
                    }
                });
            }
            for (Thread thread : threads) {
                thread.start();
            }
            for (Thread thread : threads) {
                // No method reference: the checker would not see the call, and would wait for a thread that waits.
                run(() -> thread.join());
            }
            for (Throwable failure : failures) {
                if (failure != null) {
                    throw new AssertionError(failure.getMessage(), failure);
                }
            }
            run(race.afterwards);
        });
    }

    private static void run(AttemptSteps steps) {
        try {
            steps.run();
        } catch (RuntimeException e) {
            throw e;
        } catch (Exception e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * Throws if the condition does not hold. AssertJ does not work here, because the checker cannot inspect its
     * objects.
     */
    public static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }

    /** A clock that does not move, so that no deadline compensates for a lost signal. */
    public static final class Still implements TimeSource {
        @Override
        public Instant now() {
            return Instant.EPOCH;
        }

        @Override
        public long nanoTime() {
            return 0;
        }

        @Override
        @SuppressWarnings("WaitNotInLoop") // The contract allows an early return: the caller loops.
        public void awaitUntil(ReentrantLock lock, Condition condition, long deadlineNanos)
                throws InterruptedException {
            condition.await();
        }
    }

    /** Returns an attempt at a job of this id. Its steps do not use the missing parts. */
    @SuppressWarnings("NullAway")
    public static Attempt attempt(long id) {
        TimeSource time = new Still();
        ClaimedJob job = ClaimedJob.first(id, 1, JobRow.of("t", "q", 3, "test").build(), 0, 0);
        EngineContext context = new EngineContext(
                null, time, new SplittableRandom(1), null, new Listeners(List.of(), time), null, null, null, List.of());
        return new Attempt(job, null, null, context, null);
    }
}
