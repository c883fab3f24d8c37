package dev.windrow.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.EventLevel;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.Store;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.query.JobFilter;
import dev.windrow.query.JobPage;
import dev.windrow.store.OpenStore;
import dev.windrow.store.monitor.DiagnoseRequest;
import dev.windrow.testkit.ManualTime;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.TestReporter;

/**
 * The contract of every store. The author of a store subclasses each class that extends this one, and implements the creation of the store. Nothing
 * else is required, and no class may be left out. Each test has a store of its own.
 */
public abstract class StoreContract {
    /** The clock of all stores of the test. */
    protected final ManualTime time = new ManualTime();

    private final List<StoreDriver> drivers = new ArrayList<>();

    /** Creates the contract for a subclass. */
    protected StoreContract() {}

    /**
     * Returns a store that is not started. Within one test all stores are on the same target, like the stores of several processes. Each test has a
     * new, empty target.
     */
    protected abstract Store newStore();

    /** Opens another store on the target of this test; closed after it. */
    protected final StoreDriver open() {
        return open(EventLevel.ALL);
    }

    /** Opens another store on the target of this test, which writes these events; closed after it. */
    protected final StoreDriver open(EventLevel level) {
        StoreDriver driver = new StoreDriver(newStore(), time, level);
        drivers.add(driver);
        return driver;
    }

    /** Returns the first store of the test. */
    protected final StoreDriver store() {
        return drivers.get(0);
    }

    @BeforeEach
    final void openStore() {
        open();
    }

    @AfterEach
    final void checkAndCloseStores() {
        try {
            countersEqualCounts(store());
            nothingIsWrong(store());
        } finally {
            drivers.forEach(StoreDriver::close);
        }
    }

    /** Asserts that the counters equal a recount after a test. */
    public static void countersEqualCounts(StoreDriver driver) {
        Map<JobState, Long> counted = new EnumMap<>(JobState.class);
        for (JobState state : JobState.values()) {
            counted.put(state, 0L);
        }
        all(driver.store(), JobFilter.ALL).forEach(job -> counted.merge(job.state(), 1L, Long::sum));
        assertThat(driver.store().statistics().states()).isEqualTo(counted);
    }

    /**
     * The checks of data that tests can change. Leases are left out, because tests let them expire on purpose without a live worker. Query plans are
     * left out, because they would take a large part of the time of all tests.
     */
    private static final Set<String> OF_CONTENT = Set.of(
            "schema",
            "queues",
            "handlers",
            "stuck-slots",
            "schedules",
            "ids",
            "integrity",
            "foreign-keys",
            "orphans",
            "counters",
            "edges",
            "states",
            "limits",
            "attempts");

    /** Asserts that no check finds anything after a test. */
    private static void nothingIsWrong(StoreDriver driver) {
        Diagnosis diagnosis =
                driver.store().diagnose(new DiagnoseRequest(driver.time(), DiagnoseOptions.ALL.withChecks(OF_CONTENT)));
        assertThat(diagnosis.checks()).filteredOn(check -> !check.isOk()).isEmpty();
    }

    /** Returns all jobs that match, page by page. */
    public static List<JobInfo> all(OpenStore store, JobFilter filter) {
        List<JobInfo> jobs = new ArrayList<>();
        Long before = Long.MAX_VALUE;
        while (before != null) {
            JobPage page = store.list(filter, before, 1000);
            jobs.addAll(page.jobs());
            before = page.next();
        }
        return jobs;
    }

    /** Returns the exception of a command. */
    public static Throwable failure(CompletableFuture<?> future) {
        return catchThrowable(() -> {
            Object unused = StoreDriver.answer(future);
        });
    }

    /** Returns a seed, which the report names and the system property {@code windrow.seed} sets. */
    public static long seed(TestReporter reporter) {
        long seed = Long.getLong("windrow.seed", new Random().nextLong(1_000_000_000));
        reporter.publishEntry("windrow.seed", Long.toString(seed));
        return seed;
    }

    /** Runs the tasks on threads of their own that begin together; returns their results, in order. */
    public static <T> List<T> together(List<Callable<T>> tasks) {
        CyclicBarrier barrier = new CyclicBarrier(tasks.size());
        ExecutorService threads = Executors.newFixedThreadPool(tasks.size());
        try {
            List<Future<T>> futures = new ArrayList<>();
            for (Callable<T> task : tasks) {
                futures.add(threads.submit(() -> {
                    barrier.await(30, TimeUnit.SECONDS);
                    return task.call();
                }));
            }
            List<T> answers = new ArrayList<>();
            for (Future<T> future : futures) {
                answers.add(future.get(120, TimeUnit.SECONDS));
            }
            return answers;
        } catch (ExecutionException e) {
            throw new AssertionError("a thread of the race failed", e.getCause());
        } catch (TimeoutException e) {
            throw new AssertionError("a thread of the race hangs", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        } finally {
            threads.shutdownNow();
        }
    }

    /** Polls until the condition is true, a minute at most. */
    public static void until(String what, BooleanSupplier condition) {
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(1);
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() - deadline > 0) {
                throw new AssertionError(what + ": not within a minute");
            }
            Thread.onSpinWait();
        }
    }
}
