package dev.windrow.tests.testkit;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.JobContext;
import dev.windrow.JobFailure;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Retry;
import dev.windrow.Windrow;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.query.JobFilter;
import dev.windrow.schedule.Schedule;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testkit.WindrowTest;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that run at once, on the thread that enqueues them. */
@OnEachStore
@Timeout(120)
class InlineTest {
    private static final JobType<String, String> GREET = JobType.of("greet", String.class, String.class);
    private static final JobType<Integer, Void> COUNT = JobType.of("count", Integer.class);
    private static final JobType<Void, Void> BREAK = JobType.of("break");
    private static final JobType<Void, Void> TICK = JobType.of("tick");
    private static final JobType<String, String> WHERE = JobType.of("where", String.class, String.class);
    private static final JobType<Void, Void> CALL_BACK = JobType.of("call-back");
    private static final JobType<Void, String> ASK = JobType.of("ask", Void.class, String.class);
    private static final JobType<Void, Void> FAIL = JobType.of("fail");

    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());

    private final AtomicInteger now = new AtomicInteger();
    /** The most calls of a handler at the same time. */
    private final AtomicInteger most = new AtomicInteger();

    private volatile boolean failing;

    @RegisterExtension
    final WindrowTest test;

    InlineTest(StoreKind kind) {
        test = Kits.onUrl(kind, WindrowTest.inline())
                .handle(GREET, (name, job) -> {
                    calls.add(Thread.currentThread().getName() + " greets " + name);
                    return "Hello, " + name;
                })
                .handleVoid(COUNT, this::count)
                .handleVoid(BREAK, (nothing, job) -> {
                    throw new AssertionError("not equal");
                })
                .handleVoid(TICK, (nothing, job) -> calls.add("tick"))
                .handle(WHERE, (from, job) -> {
                    most.accumulateAndGet(now.incrementAndGet(), Math::max);
                    Thread.yield();
                    now.decrementAndGet();
                    return from + " on " + me();
                })
                .handleVoid(
                        CALL_BACK,
                        (nothing, job) -> job.afterCommit(() -> windrow().enqueue(WHERE, "a callback")))
                .handle(
                        ASK,
                        (nothing, job) -> job.awaitEvent("answer", String.class, ofMinutes(1))
                                .orElse("none"))
                .handleVoid(FAIL, (nothing, job) -> {
                    if (failing) {
                        throw JobFailure.permanent("TEST:FAILED");
                    }
                });
    }

    private Windrow windrow() {
        return test.windrow();
    }

    private void count(int left, JobContext job) {
        calls.add("begin " + left);
        if (left > 0) {
            JobRef<Void> next = test.windrow().enqueue(COUNT, left - 1);
            test.assertThat(next).hasState(JobState.PENDING);
        }
        calls.add("end " + left);
    }

    private static String me() {
        return Thread.currentThread().getName();
    }

    @Test
    void aJobHasRunWhenTheEnqueueReturns(Windrow windrow) {
        JobRef<String> job = windrow.enqueue(GREET, "Ada");
        assertThat(calls).containsExactly(me() + " greets Ada");
        test.assertThat(job).isCompleted().hasResult("Hello, Ada");
    }

    @Test
    void aJobRunsAfterItsTransaction(Windrow windrow) {
        JobRef<String> job = windrow.inTransaction(connection -> {
            JobRef<String> enqueued = windrow.on(connection).enqueue(GREET, "Ada");
            assertThat(calls).isEmpty();
            return enqueued;
        });
        assertThat(calls).hasSize(1);
        test.assertThat(job).isCompleted();
    }

    @Test
    void jobsOfAHandlerRunAfterIt(Windrow windrow) {
        windrow.enqueue(COUNT, 2);
        assertThat(calls).containsExactly("begin 2", "end 2", "begin 1", "end 1", "begin 0", "end 0");
    }

    @Test
    void aDelayedJobRunsWhenTheClockMoves(Windrow windrow) {
        JobRef<String> job = windrow.enqueue(GREET.job("Ada").withDelay(ofMinutes(5)));
        test.advance(ofMinutes(4));
        test.assertThat(job).isScheduledIn(ofMinutes(1));
        test.advance(ofMinutes(1));
        test.assertThat(job).isCompleted();
    }

    @Test
    void schedulesRunWhenTheClockMoves(Windrow windrow, ManualTime time) {
        windrow.schedules().save(Schedule.every("ticks", ofMinutes(1), TICK.job()));
        test.advance(ofMinutes(3));
        assertThat(calls).containsExactly("tick", "tick", "tick");
        assertThat(time.now()).isEqualTo(ManualTime.START.plusSeconds(180));
    }

    @Test
    void aResumedQueueRuns(Windrow windrow) {
        windrow.queue("default").pause("provider down");
        JobRef<String> job = windrow.enqueue(GREET, "Ada");
        test.assertThat(job).hasState(JobState.PENDING);
        windrow.queue("default").resume();
        test.assertThat(job).isCompleted();
    }

    @Test
    void aHandlerIsRepeatedOnceOnly() {
        test.assertRepeatable(GREET, "Ada", () -> "always the same");
        assertThat(calls).hasSize(2);
    }

    @Test
    void aFailedAssertionReachesTheCaller(Windrow windrow) {
        assertThatThrownBy(() -> windrow.enqueue(BREAK))
                .isInstanceOf(AssertionError.class)
                .hasMessage("not equal");
    }

    @Test
    void eachThreadRunsItsOwnJobsBeforeItsEnqueueReturns(Windrow windrow) throws Exception {
        int threads = 4;
        int rounds = 25;
        CyclicBarrier together = new CyclicBarrier(threads);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<List<String>>> all = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                all.add(executor.submit(() -> {
                    List<String> results = new ArrayList<>();
                    together.await();
                    for (int round = 0; round < rounds; round++) {
                        JobRef<String> job = windrow.enqueue(WHERE, me());
                        results.add(windrow.await(job, ofMinutes(1)));
                    }
                    assertThat(results).containsOnly(me() + " on " + me());
                    return results;
                }));
            }
            for (Future<List<String>> results : all) {
                assertThat(results.get()).hasSize(rounds);
            }
        } finally {
            executor.shutdownNow();
        }
        test.enqueued(WHERE).times(threads * rounds);
        assertThat(most).hasValue(1);
    }

    @Test
    void jobsThatACallbackEnqueuesRunOnTheThreadOfTheTest(Windrow windrow) {
        JobRef<Void> job = windrow.enqueue(CALL_BACK);
        test.assertThat(job).isCompleted();
        test.assertThat(test.enqueued(WHERE).job()).isCompleted().hasResult("a callback on " + me());
    }

    @Test
    void jobsOfAsynchronousEnqueuesRunWithTheNextCommit(Windrow windrow) {
        JobRef<String> first =
                windrow.enqueueAsync(WHERE.job("first")).toCompletableFuture().join();
        test.assertThat(first).hasState(JobState.PENDING);
        JobRef<String> second = windrow.enqueue(WHERE, "second");
        test.assertThat(first).isCompleted().hasResult("first on " + me());
        test.assertThat(second).isCompleted();
    }

    @Test
    void aJobContinuesWhenItsEventComes(Windrow windrow) {
        JobRef<String> job = windrow.enqueue(ASK);
        test.assertThat(job).hasState(JobState.BLOCKED);
        windrow.job(job).signal("answer", "yes");
        test.assertThat(job).isCompleted().hasResult("yes");
    }

    @Test
    void aScheduleThatIsRunNowRuns(Windrow windrow) {
        windrow.schedules().save(Schedule.cron("yearly", "0 0 1 6 *", ZoneId.of("UTC"), TICK.job()));
        windrow.schedules().run("yearly");
        assertThat(calls).containsExactly("tick");
    }

    @Test
    void aRetryByFilterRuns(Windrow windrow) {
        failing = true;
        JobRef<Void> job = windrow.enqueue(FAIL);
        test.assertThat(job).isFailed();
        failing = false;
        windrow.jobs(JobFilter.failed()).retry(Retry.attempts(3));
        test.assertThat(job).isCompleted();
    }

    @Test
    void aHigherLimitOfAKeyRuns(Windrow windrow) {
        windrow.key("ada").pause("on holiday");
        JobRef<String> job = windrow.enqueue(GREET.job("Ada").withConcurrencyKey(ConcurrencyKey.atMost("ada", 1)));
        test.assertThat(job).hasState(JobState.PENDING);
        windrow.key("ada").resume();
        test.assertThat(job).isCompleted();
    }
}
