package dev.windrow.tests.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.EventKind;
import dev.windrow.EventLevel;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Store;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.WindrowEvent;
import dev.windrow.payload.Json;
import dev.windrow.store.OpenStore;
import dev.windrow.store.StoreEnvironment;
import dev.windrow.store.StoreHints;
import dev.windrow.store.StoreProvider;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.testkit.ManualTime;
import dev.windrow.tests.stores.StoreKind;
import dev.windrow.tests.stores.Target;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.Parameter;

/** The common part of engine tests: an engine on its own store, a clock that the test moves, and ways to wait for events. */
public abstract class EngineTest {
    /** The time by the machine's clock after which a wait fails the test. */
    public static final Duration PATIENCE = Duration.ofSeconds(30);
    /** The lease of all workers in these tests, unless a test sets another one. */
    public static final Duration LEASE = Duration.ofSeconds(30);

    public static final JobType<Json, Json> ECHO = JobType.raw("test.echo");

    @Parameter
    public StoreKind kind;

    @TempDir
    public Path folder;

    public Target target;

    public final ManualTime time = new ManualTime();
    public final List<WindrowEvent> events = new CopyOnWriteArrayList<>();
    /** The resources that are closed in reverse order after the test. */
    private final Deque<AutoCloseable> open = new ArrayDeque<>();

    public FaultyStore faults;
    public Windrow windrow;

    @BeforeEach
    void openEngine() {
        target = kind.emptyTarget(folder);
        faults = new FaultyStore(newStore());
        windrow = open(faults);
    }

    @AfterEach
    void closeAll() throws Exception {
        faults.settle = (settlement, real) -> real.apply(settlement);
        FutureTask<Void> closing = new FutureTask<>(() -> {
            while (!open.isEmpty()) {
                open.pop().close();
            }
            return null;
        });
        Thread closer = new Thread(closing, "close");
        closer.setDaemon(true);
        closer.start();
        try {
            closing.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            // After a failure, a worker may wait for a time of the clock that only the test moves.
            runClockUntil(Duration.ofMillis(100), closing::isDone);
            throw e;
        } finally {
            target.close();
        }
    }

    public Store newStore() {
        return target.newStore();
    }

    /** Opens an engine. A second engine plays the part of another process. */
    public Windrow open(Store store) {
        return closing(Windrow.configure(store)
                .time(time)
                .random(new Random(42))
                .listener(this::hear)
                .open());
    }

    /** Records the events about jobs. Claims and commits are not recorded, because their times are not deterministic. */
    private void hear(WindrowEvent event) {
        if (!(event instanceof WindrowEvent.JobsClaimed
                || event instanceof WindrowEvent.ClaimFailed
                || event instanceof WindrowEvent.TransactionCommitted)) {
            events.add(event);
        }
    }

    /** Opens a store without an engine on the same target. No worker is involved in its changes. */
    public OpenStore openBareStore() {
        OpenStore store = StoreProvider.open(newStore(), new StoreEnvironment(time, EventLevel.ALL, new StoreHints() {
            @Override
            public void ready(String queue, String type) {}

            @Override
            public @Nullable WaitingClaim waitingClaim(String queue, String type) {
                return null;
            }

            @Override
            public void due(long atMillis) {}

            @Override
            public void cancelRequested(LeaseToken leaseToken) {}

            @Override
            public void finished(long id, JobState state) {}

            @Override
            public void waitEnds(long atMillis) {}

            @Override
            public void scheduleDue(long atMillis) {}

            @Override
            public void superseded(@Nullable LeaseToken leaseToken) {}
        }));
        return closing(store);
    }

    public <T extends AutoCloseable> T closing(T resource) {
        open.push(resource);
        return resource;
    }

    /** Starts a worker that is stopped at once after the test. */
    public Worker start(Worker.Builder builder) {
        Worker worker = builder.start();
        open.push(worker::stopNow);
        return worker;
    }

    public Worker.Builder worker() {
        return windrow.worker().lease(LEASE).concurrency(2);
    }

    public JobRef<Json> enqueue(JobType<Json, Json> type) {
        return windrow.enqueue(type, new Json("{}"));
    }

    public JobHistory history(JobRef<?> job) {
        return windrow.job(job).history();
    }

    public JobState state(JobRef<?> job) {
        return history(job).job().state();
    }

    public List<EventKind> eventsOf(JobRef<?> job) {
        return history(job).events().stream().map(JobHistory.Event::event).toList();
    }

    public static void until(Callable<Boolean> condition) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(condition);
    }

    public void untilState(JobRef<?> job, JobState state) {
        until(() -> state(job) == state);
    }

    /** Moves the clock, a step every few milliseconds, until the condition holds. */
    public void runClockUntil(Duration step, Callable<Boolean> condition) {
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(5)).until(() -> {
            if (condition.call()) {
                return true;
            }
            time.advance(step);
            return false;
        });
    }

    /** Moves the clock in steps. After each step, every loop of the engine that waits by the clock runs once. */
    public void runClock(Duration step, int steps) {
        for (int i = 0; i < steps; i++) {
            int waiting = time.waiting();
            time.advance(step);
            until(() -> time.waiting() >= waiting);
        }
    }

    /** Runs the task on a new thread. On a small machine the common pool has one thread, so a task that waits there would block the next one. */
    public static CompletableFuture<Void> onItsOwnThread(Runnable task) {
        return CompletableFuture.runAsync(task, EngineTest::newThread);
    }

    public static <T> CompletableFuture<T> onItsOwnThread(Supplier<T> task) {
        return CompletableFuture.supplyAsync(task, EngineTest::newThread);
    }

    private static void newThread(Runnable task) {
        Thread thread = new Thread(task, "test-waits");
        thread.setDaemon(true);
        thread.start();
    }

    public static void take(CountDownLatch latch) {
        try {
            assertThat(latch.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError("interrupted", e);
        }
    }

    public <E extends WindrowEvent> List<E> told(Class<E> kind) {
        return events.stream().filter(kind::isInstance).map(kind::cast).toList();
    }
}
