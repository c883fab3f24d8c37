package dev.windrow.tests.testkit;

import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.JobContext;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Windrow;
import dev.windrow.schedule.Schedule;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testkit.WindrowTest;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
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

    private final List<String> calls = Collections.synchronizedList(new ArrayList<>());

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
                .handleVoid(TICK, (nothing, job) -> calls.add("tick"));
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
        // The first run is due at once or after an interval; each later one after an interval.
        assertThat(calls).hasSizeBetween(1, 4);
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
    void eachThreadRunsJobs(Windrow windrow) throws Exception {
        int threads = 4;
        CountDownLatch start = new CountDownLatch(threads);
        ExecutorService executor = Executors.newFixedThreadPool(threads);
        try {
            List<Future<JobRef<String>>> jobs = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                String name = "thread " + i;
                jobs.add(executor.submit(() -> {
                    start.countDown();
                    start.await();
                    return windrow.enqueue(GREET, name);
                }));
            }
            for (Future<JobRef<String>> job : jobs) {
                job.get();
            }
            test.drain();
            test.enqueued(GREET).times(threads);
            for (Future<JobRef<String>> job : jobs) {
                test.assertThat(job.get()).isCompleted().hasAttempts(1);
            }
        } finally {
            executor.shutdownNow();
        }
    }
}
