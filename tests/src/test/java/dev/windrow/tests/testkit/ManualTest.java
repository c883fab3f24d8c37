package dev.windrow.tests.testkit;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofDays;
import static java.time.Duration.ofHours;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.BatchItem;
import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobContext;
import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.JobSnooze;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Jobs;
import dev.windrow.RetryPolicy;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.query.JobFilter;
import dev.windrow.schedule.Schedule;
import dev.windrow.testkit.Drain;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testkit.WindrowTest;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Jobs that run when the test says so, on its thread. */
@OnEachStore
@Timeout(120)
class ManualTest {
    private static final JobType<String, String> GREET = JobType.of("greet", String.class, String.class);
    private static final JobType<Integer, Void> COUNT = JobType.of("count", Integer.class);
    private static final JobType<Integer, Integer> DOUBLE = JobType.of("double", Integer.class, Integer.class);
    private static final JobType<String, Void> FAIL =
            JobType.of("fail", String.class).withMaxAttempts(3).withRetry(RetryPolicy.fixed(ofMinutes(10)));
    private static final JobType<Void, Void> TICK = JobType.of("tick");
    private static final JobType<String, String> ASK = JobType.of("ask", String.class, String.class);
    private static final JobType<Duration, Void> SLOW =
            JobType.of("slow", Duration.class).withTimeout(ofMinutes(1));
    private static final JobType<Long, Void> CANCEL = JobType.of("cancel", Long.class);
    private static final JobType<String, Void> STOP = JobType.of("stop", String.class);

    private final List<String> calls = new ArrayList<>();

    @RegisterExtension
    final WindrowTest test;

    ManualTest(StoreKind kind) {
        test = Kits.on(kind, WindrowTest.manual())
                .handle(GREET, this::greet)
                .handleVoid(COUNT, this::count)
                .handleVoid(
                        CANCEL,
                        (other, job) -> test().windrow().job(JobRef.raw(other)).cancel())
                .handleBatch(DOUBLE, 3, ZERO, this::doubled)
                .handleVoid(FAIL, (how, job) -> fail(how))
                .handleVoid(
                        TICK,
                        (nothing, job) -> calls.add("tick at " + test().time().now()))
                .handle(
                        ASK,
                        (what, job) -> job.awaitEvent("answer", String.class, ofDays(7))
                                .orElse("no answer"))
                .handleVoid(SLOW, (time, job) -> {
                    test().advance(time);
                    calls.add("interrupted: " + Thread.currentThread().isInterrupted());
                })
                .handleVoid(STOP, this::stop);
    }

    private WindrowTest test() {
        return test;
    }

    private String greet(String name, JobContext job) {
        calls.add(Thread.currentThread().getName() + " greets " + name);
        job.afterCommit(() -> calls.add("greeted " + name));
        return "Hello, " + name;
    }

    /** Enqueues the next number. */
    private void count(int left, JobContext job) {
        calls.add(Integer.toString(left));
        if (left > 0) {
            JobRef<Void> unused = test.windrow().enqueue(COUNT, left - 1);
        }
    }

    private void doubled(List<BatchItem<Integer, Integer>> items) {
        calls.add("batch of " + items.size());
        items.forEach(item -> item.complete(2 * item.input()));
    }

    private void fail(String how) throws Exception {
        calls.add("fail");
        switch (how) {
            case "assertion" -> throw new AssertionError("not equal");
            case "checked" -> throw new IOException("no network");
            case "snooze" -> throw JobSnooze.after(ofHours(1));
            default -> throw new IllegalStateException(how);
        }
    }

    private void stop(String how, JobContext job) throws InterruptedException {
        test.windrow().job(job.id()).cancel();
        calls.add("cancelled");
        // The request reaches the worker after the commit, on a thread of the store, and interrupts this one.
        new CountDownLatch(1).await();
    }

    @Test
    void nothingRunsBeforeTheTestSaysSo(Windrow windrow, Jobs jobs, ManualTime time) {
        JobRef<String> job = jobs.enqueue(GREET, "Ada");
        test.assertThat(job).hasState(JobState.PENDING).hasAttempts(0).hasEvents(EventKind.ENQUEUED);
        assertThat(calls).isEmpty();
        Worker.Totals totals = test.drain();
        assertThat(totals.completed()).isEqualTo(1);
        assertThat(calls).containsExactly(Thread.currentThread().getName() + " greets Ada", "greeted Ada");
        test.assertThat(job)
                .isCompleted()
                .hasResult("Hello, Ada")
                .hasAttempts(1)
                .hasEvents(EventKind.ENQUEUED, EventKind.CLAIMED, EventKind.STARTED, EventKind.SUCCEEDED);
        assertThat(windrow.job(job).info().finishedAt()).isEqualTo(time.now()).isEqualTo(ManualTime.START);
    }

    @Test
    void runNextRunsTheMostUrgentJob(Windrow windrow) {
        JobRef<String> first = windrow.enqueue(GREET, "Ada");
        JobRef<String> urgent = windrow.enqueue(GREET.job("Bob").withPriority(5));
        assertThat(test.runNext().completed()).isEqualTo(1);
        test.assertThat(urgent).isCompleted();
        test.assertThat(first).hasState(JobState.PENDING);
        assertThat(test.runNext().completed()).isEqualTo(1);
        assertThat(test.runNext().completed()).isZero();
    }

    @Test
    void runReadyLeavesWhatBecomesReadyMeanwhile(Windrow windrow) {
        windrow.enqueue(COUNT, 2);
        windrow.enqueue(COUNT, 0);
        assertThat(test.runReady().completed()).isEqualTo(2);
        assertThat(calls).containsExactly("2", "0");
        assertThat(test.drain().completed()).isEqualTo(2);
        assertThat(calls).containsExactly("2", "0", "1", "0");
    }

    @Test
    void aJobThatIsCancelledAfterItsClaimIsNotCalled(Windrow windrow) {
        JobRef<Void> other = windrow.enqueue(COUNT, 7);
        windrow.enqueue(CANCEL.job(other.id()).withPriority(1));
        assertThat(test.runReady().completed()).isEqualTo(1);
        test.assertThat(other).isCancelled();
        assertThat(calls).isEmpty();
    }

    @Test
    void aDrainWithAMaximumEndsAfterIt(Windrow windrow) {
        windrow.enqueue(COUNT, 5);
        assertThat(test.drain(Drain.ready().withMax(2)).completed()).isEqualTo(2);
        assertThat(calls).containsExactly("5", "4");
        assertThatThrownBy(() -> Drain.ready().withMax(0))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("max 0 is not allowed: 1 or more");
    }

    @Test
    void everyQueueIsServedUnlessSomeAreNamed(Windrow windrow) {
        JobRef<String> job = windrow.enqueue(GREET.job("Ada").withQueue("mail"));
        test.drain();
        test.assertThat(job).isCompleted();
        JobRef<String> another = windrow.enqueue(GREET.job("Ada").withQueue("letters"));
        test.drain();
        test.assertThat(another).isCompleted();
    }

    @Test
    void jobsOfABatchHandlerRunTogether(Windrow windrow) {
        windrow.enqueueAll(DOUBLE, IntStream.range(0, 7).boxed().toList());
        assertThat(test.runNext().completed()).isEqualTo(3);
        assertThat(test.runReady().completed()).isEqualTo(4);
        assertThat(calls).containsExactly("batch of 3", "batch of 3", "batch of 1");
        test.assertThat(test.enqueued(DOUBLE).withInput(4).job()).hasResult(8);
    }

    @Test
    void aRetryRunsWhenTheClockHasMoved(Windrow windrow) {
        JobRef<Void> job = windrow.enqueue(FAIL, "no mail server");
        assertThat(test.drain().retried()).isEqualTo(1);
        test.assertThat(job).isScheduledIn(ofMinutes(10)).hasErrorCode("INTERNAL:EXCEPTION");
        assertThat(test.drain().retried()).isZero();
        test.advance(ofMinutes(10).minusMillis(1));
        assertThat(test.drain().retried()).isZero();
        test.advance(Duration.ofMillis(1));
        assertThat(test.drain().retried()).isEqualTo(1);
        test.assertThat(job).hasAttempts(2);
    }

    @Test
    void aDrainWithScheduledJobsMovesTheClock(Windrow windrow, ManualTime time) {
        JobRef<Void> job = windrow.enqueue(FAIL, "no mail server");
        JobRef<String> later = windrow.enqueue(GREET.job("Ada").withDelay(ofDays(1)));
        Worker.Totals totals = test.drain(Drain.ready().withScheduled());
        assertThat(totals.retried()).isEqualTo(2);
        assertThat(totals.failed()).isEqualTo(1);
        test.assertThat(job).isFailed().hasAttempts(3);
        test.assertThat(later).isCompleted();
        assertThat(time.now()).isEqualTo(ManualTime.START.plus(ofDays(1)));
    }

    @Test
    void exceptionsOfHandlersAreRethrownOnRequest(Windrow windrow) {
        JobRef<Void> job = windrow.enqueue(FAIL, "checked");
        windrow.enqueue(GREET, "Ada");
        assertThatThrownBy(() -> test.drain(Drain.ready().withRethrow()))
                .isInstanceOf(IOException.class)
                .hasMessage("no network");
        test.assertThat(job).isScheduledIn(ofMinutes(10));
        assertThat(calls).containsExactly("fail");
        assertThat(test.drain(Drain.ready().withRethrow()).completed()).isEqualTo(1);
        JobRef<Void> snoozed = windrow.enqueue(FAIL, "snooze");
        assertThat(test.drain(Drain.ready().withRethrow()).snoozed()).isEqualTo(1);
        test.assertThat(snoozed).isScheduledIn(ofHours(1));
    }

    @Test
    void aFailedAssertionOfAHandlerFailsTheTest(Windrow windrow) {
        JobRef<Void> job = windrow.enqueue(FAIL, "assertion");
        assertThatThrownBy(test::drain).isInstanceOf(AssertionError.class).hasMessage("not equal");
        test.assertThat(job).isScheduledIn(ofMinutes(10));
    }

    @Test
    void schedulesEnqueueWhileTheClockMoves(Windrow windrow, ManualTime time) {
        windrow.schedules().save(Schedule.cron("hourly", "0 * * * *", ZoneId.of("UTC"), TICK.job()));
        Instant until = ManualTime.START.plus(ofHours(3)).plusSeconds(1);
        assertThat(test.drainSkippingTime(until).completed()).isEqualTo(3);
        assertThat(calls)
                .containsExactly(
                        "tick at 2026-01-01T01:00:00Z", "tick at 2026-01-01T02:00:00Z", "tick at 2026-01-01T03:00:00Z");
        assertThat(time.now()).isEqualTo(until);
        test.advance(ofHours(1));
        test.enqueued(TICK).times(4);
        test.drain();
        assertThat(calls).last().isEqualTo("tick at 2026-01-01T04:00:01Z");
    }

    @Test
    void theClockStopsAtEachRunOfASchedule(Windrow windrow) {
        windrow.schedules().save(Schedule.cron("hourly", "0 * * * *", ZoneId.of("UTC"), TICK.job()));
        test.advance(ofHours(3).plusSeconds(1));
        test.enqueued(TICK).times(3);
        assertThat(windrow.jobs(JobFilter.ALL).oldestFirst().page().jobs())
                .extracting(JobInfo::createdAt)
                .containsExactly(
                        ManualTime.START.plus(ofHours(1)),
                        ManualTime.START.plus(ofHours(2)),
                        ManualTime.START.plus(ofHours(3)));
    }

    @Test
    void anEventThatDoesNotComeTimesOut(Windrow windrow, ManualTime time) {
        JobRef<String> asked = windrow.enqueue(ASK, "Ada");
        JobRef<String> forgotten = windrow.enqueue(ASK, "Bob");
        assertThat(test.drain().parked()).isEqualTo(2);
        test.advance(ofDays(1));
        windrow.job(asked).signal("answer", "yes");
        test.drain();
        test.assertThat(asked).isCompleted().hasResult("yes");
        test.assertThat(forgotten).hasState(JobState.BLOCKED);
        test.drainSkippingTime(ManualTime.START.plus(ofDays(30)));
        test.assertThat(forgotten).isCompleted().hasResult("no answer");
        assertThat(windrow.job(forgotten).info().finishedAt()).isEqualTo(ManualTime.START.plus(ofDays(7)));
        assertThat(time.now()).isEqualTo(ManualTime.START.plus(ofDays(30)));
    }

    @Test
    void aHandlerThatPassesItsDeadlineTimesOut(Windrow windrow) {
        JobRef<Void> job = windrow.enqueue(SLOW, ofSeconds(59));
        JobRef<Void> late = windrow.enqueue(SLOW, ofSeconds(60));
        test.drain();
        test.assertThat(job).isCompleted();
        test.assertThat(late).hasState(JobState.SCHEDULED).hasErrorCode("TIMEOUT:EXECUTION");
        assertThat(calls).containsExactly("interrupted: false", "interrupted: true");
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    @Test
    void aCancelledHandlerIsInterrupted(Windrow windrow) {
        JobRef<Void> job = windrow.enqueue(STOP, "now");
        assertThat(test.drain().cancelled()).isEqualTo(1);
        test.assertThat(job).isCancelled();
        assertThat(calls).containsExactly("cancelled");
    }

    @Test
    void theClockCannotMoveBackwards() {
        assertThatThrownBy(() -> test.advance(ofSeconds(-1)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("advance -1s is not allowed: 0s or more");
    }
}
