package dev.windrow.tests.testkit;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.AttemptOutcome;
import dev.windrow.BatchItem;
import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobContext;
import dev.windrow.JobHistory;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.RetryPolicy;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.WindrowException;
import dev.windrow.schedule.Schedule;
import dev.windrow.testkit.Drain;
import dev.windrow.testkit.ManualTime;
import dev.windrow.testkit.WindrowTest;
import dev.windrow.tests.stores.OnEachStore;
import dev.windrow.tests.stores.StoreKind;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Crashes, lost leases and failing stores, on purpose. */
@OnEachStore
@Timeout(120)
class FaultsTest {
    private static final RetryPolicy LATER = RetryPolicy.fixed(ofMinutes(1));
    private static final JobType<String, Integer> CHARGE =
            JobType.of("charge", String.class, Integer.class).withRetry(LATER);
    private static final JobType<String, String> STEPS =
            JobType.of("steps", String.class, String.class).withRetry(LATER);
    private static final JobType<String, String> ONCE =
            JobType.of("once", String.class, String.class).withRetry(LATER);
    private static final JobType<String, String> ZOMBIE =
            JobType.of("zombie", String.class, String.class).withRetry(LATER);
    private static final JobType<Integer, Void> BATCH =
            JobType.of("batch", Integer.class).withRetry(LATER);

    private final List<String> calls = new ArrayList<>();

    @RegisterExtension
    final WindrowTest test;

    FaultsTest(StoreKind kind) {
        test = Kits.on(kind, WindrowTest.manual())
                .handle(CHARGE, (card, job) -> {
                    calls.add("charge " + card);
                    return calls.size();
                })
                .handle(STEPS, this::steps)
                .handle(
                        ONCE,
                        (what, job) -> job.completeInTransaction(connection -> {
                            calls.add(what);
                            return what;
                        }))
                .handle(ZOMBIE, this::zombie)
                .handleBatch(BATCH, 10, ZERO, items -> {
                    calls.add("batch of " + items.size());
                    BatchItem<Integer, Void> first = items.get(0);
                    first.complete();
                });
    }

    private String steps(String what, JobContext job) {
        String reserved = job.step("reserve", String.class, () -> {
            calls.add("reserve");
            return "r1";
        });
        if (what.equals("crash") && job.attempt() == 1) {
            test.crashHere();
        }
        job.stepVoid("pack", () -> calls.add("pack " + reserved));
        return reserved;
    }

    private String zombie(String how, JobContext job) {
        calls.add("begin " + job.attempt());
        if (job.attempt() == 1) {
            test.loseLeaseHere();
            calls.add("zombie");
            switch (how) {
                case "step" -> job.stepVoid("late", () -> calls.add("late step"));
                case "transaction" -> job.completeInTransaction(connection -> "late");
                case "throw" -> throw new IllegalStateException("late");
                default -> {}
            }
        }
        return "by attempt " + job.attempt();
    }

    private List<AttemptOutcome> outcomes(JobRef<?> job) {
        return test.windrow().job(job).history().attempts().stream()
                .map(JobHistory.Attempt::outcome)
                .toList();
    }

    @Test
    void aCrashedAttemptIsRepeated(Windrow windrow, ManualTime time) {
        JobRef<Integer> job = windrow.enqueue(CHARGE, "visa");
        test.crashDuring(job);
        test.assertThat(job)
                .isScheduledIn(ofMinutes(1))
                .hasErrorCode("INTERNAL:CRASHED")
                .hasAttempts(1)
                .hasEvents(
                        EventKind.ENQUEUED,
                        EventKind.CLAIMED,
                        EventKind.STARTED,
                        EventKind.RECOVERED,
                        EventKind.RETRY_SCHEDULED);
        assertThat(time.now()).isEqualTo(ManualTime.START);
        assertThat(test.drain(Drain.ready().withScheduled()).completed()).isEqualTo(1);
        assertThat(calls).containsExactly("charge visa", "charge visa");
        test.assertThat(job).isCompleted().hasResult(2).hasAttempts(2);
        assertThat(outcomes(job)).containsExactly(AttemptOutcome.RECOVERED, AttemptOutcome.SUCCEEDED);
    }

    @Test
    void aCrashOfTheLastAttemptFailsTheJob(Windrow windrow) {
        JobRef<Integer> job = windrow.enqueue(CHARGE.job("visa").withMaxAttempts(2));
        test.crashDuring(job);
        test.crashDuring(job);
        test.assertThat(job).isFailed().hasErrorCode("INTERNAL:CRASHED").hasAttempts(2);
    }

    @Test
    void jobsBeforeACrashRunAsUsual(Windrow windrow) {
        JobRef<Integer> first = windrow.enqueue(CHARGE, "first");
        JobRef<Integer> second = windrow.enqueue(CHARGE, "second");
        test.crashDuring(second);
        test.assertThat(first).isCompleted();
        test.assertThat(second).hasState(JobState.SCHEDULED);
    }

    @Test
    void aCrashBetweenTwoStepsRepeatsNone(Windrow windrow) {
        JobRef<String> job = windrow.enqueue(STEPS, "crash");
        test.drain();
        assertThat(calls).containsExactly("reserve");
        test.assertThat(job).hasState(JobState.SCHEDULED).hasErrorCode("INTERNAL:CRASHED");
        test.drain(Drain.ready().withScheduled());
        test.assertThat(job).isCompleted().hasAttempts(2);
        assertThat(calls).containsExactly("reserve", "pack r1");
    }

    @Test
    void aJobThatWasCompletedInATransactionSurvivesACrash(Windrow windrow) {
        JobRef<String> job = windrow.enqueue(ONCE, "once");
        test.crashDuring(job);
        test.assertThat(job).isCompleted().hasAttempts(1);
        assertThat(calls).containsExactly("once");
    }

    @Test
    void aCrashEndsAllJobsOfABatchThatHaveNotEnded(Windrow windrow) {
        List<? extends JobRef<Void>> jobs = windrow.enqueueAll(BATCH, List.of(1, 2, 3));
        test.crashDuring(jobs.get(1));
        assertThat(calls).containsExactly("batch of 3");
        test.assertThat(jobs.get(0)).isCompleted();
        test.assertThat(jobs.get(1)).hasState(JobState.SCHEDULED).hasErrorCode("INTERNAL:CRASHED");
        test.assertThat(jobs.get(2)).hasState(JobState.SCHEDULED).hasErrorCode("INTERNAL:CRASHED");
    }

    @Test
    void aZombieChangesNothing(Windrow windrow) {
        for (String how : List.of("return", "throw", "transaction", "step")) {
            calls.clear();
            JobRef<String> job = windrow.enqueue(ZOMBIE, how);
            test.drain();
            assertThat(calls).startsWith("begin 1", "begin 2", "zombie").hasSizeLessThanOrEqualTo(4);
            test.assertThat(job)
                    .as(how)
                    .isCompleted()
                    .hasResult("by attempt 2")
                    .hasAttempts(2)
                    .hasEvents(
                            EventKind.ENQUEUED,
                            EventKind.CLAIMED,
                            EventKind.STARTED,
                            EventKind.RECOVERED,
                            EventKind.RETRY_SCHEDULED,
                            EventKind.CLAIMED,
                            EventKind.STARTED,
                            EventKind.SUCCEEDED);
            assertThat(outcomes(job)).containsExactly(AttemptOutcome.RECOVERED, AttemptOutcome.SUCCEEDED);
        }
    }

    @Test
    void aLostLeaseIsLostBeforeTheHandlerBegins(Windrow windrow) {
        JobRef<Integer> job = windrow.enqueue(CHARGE, "visa");
        test.loseLease(job);
        assertThat(calls).containsExactly("charge visa", "charge visa");
        // The other attempt was first.
        test.assertThat(job).isCompleted().hasResult(1).hasAttempts(2);
    }

    @Test
    void aZombieIsRefusedInItsTransaction(Windrow windrow) {
        JobRef<String> job = windrow.enqueue(ONCE, "once");
        test.loseLease(job);
        test.assertThat(job).isCompleted().hasAttempts(2);
    }

    @Test
    void anEnqueueFailsWithTheStore(Windrow windrow) {
        test.storeFails(2);
        assertThatThrownBy(() -> windrow.enqueue(CHARGE, "visa"))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessage("enqueuing 1 job failed: the test has said storeFails");
        assertThatThrownBy(() -> windrow.inTransaction(
                        connection -> windrow.on(connection).enqueue(CHARGE, "visa")))
                .isInstanceOf(StoreUnavailableException.class);
        test.notEnqueued(CHARGE);
        windrow.enqueue(CHARGE, "visa");
        test.enqueued(CHARGE).once();
    }

    @Test
    void eachChangeOfAnApplicationFailsWithTheStore(Windrow windrow) {
        JobRef<Integer> job = windrow.enqueue(CHARGE.job("visa").withDelay(ofMinutes(1)));
        List<ThrowingCallable> changes = List.of(
                () -> windrow.job(job).cancel(),
                () -> windrow.job(job).signal("paid", "yes"),
                () -> windrow.schedules().save(Schedule.every("charges", ofMinutes(1), CHARGE.job("visa"))),
                () -> windrow.queue("default").pause("provider down"),
                () -> windrow.retention().keepForever(JobState.COMPLETED));
        test.storeFails(changes.size());
        for (ThrowingCallable change : changes) {
            assertThatThrownBy(change).isInstanceOf(StoreUnavailableException.class);
        }
        test.assertThat(job).hasState(JobState.SCHEDULED).hasEvents(EventKind.ENQUEUED);
        assertThat(windrow.schedules().list()).isEmpty();
    }

    @Test
    void theEndOfAnAttemptIsRecordedWhenTheStoreIsBack(Windrow windrow) {
        JobRef<Integer> job = windrow.enqueue(CHARGE, "visa");
        test.storeFails(3);
        assertThat(test.drain().completed()).isEqualTo(1);
        test.assertThat(job).isCompleted().hasAttempts(1);
        assertThat(calls).containsExactly("charge visa");
        // The three commits that failed were tries to record the end.
        windrow.enqueue(CHARGE, "visa");
    }

    @Test
    void aStoreThatStaysAwayEndsTheWait(Windrow windrow) {
        JobRef<Integer> job = windrow.enqueue(CHARGE, "visa");
        test.storeFails(1000);
        assertThatThrownBy(test::drain)
                .isInstanceOf(WindrowException.class)
                .hasMessage(
                        "the end of job %d (charge, attempt 1) could not be recorded in 100 tries".formatted(job.id()));
        test.storeFails(0);
        JobRef<Integer> next = windrow.enqueue(CHARGE, "visa");
        test.drain();
        test.assertThat(next).isCompleted();
        test.assertThat(job).isCompleted().hasAttempts(1);
    }

    @Test
    void aStepThatCouldNotBeWrittenIsDoneAgain(Windrow windrow) {
        JobRef<String> job = windrow.enqueue(STEPS, "pass");
        test.storeFails(1);
        assertThat(test.drain().retried()).isEqualTo(1);
        test.drain(Drain.ready().withScheduled());
        test.assertThat(job).isCompleted();
        assertThat(calls).containsExactly("reserve", "reserve", "pack r1");
    }

    @Test
    void aRepeatableHandlerIsRepeatable() {
        TreeSet<String> charged = new TreeSet<>();
        test.assertRepeatable(CHARGE, "visa", () -> {
            charged.addAll(calls);
            return charged;
        });
        assertThat(calls).hasSize(2);
    }

    @Test
    void faultsNeedARunningHandler() {
        assertThatThrownBy(() -> test.crashHere())
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("crashHere is not possible here: no handler of the test runs");
        assertThatThrownBy(() -> test.loseLeaseHere())
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("loseLeaseHere is not possible here: no handler of the test runs");
        assertThatThrownBy(() -> test.storeFails(-1))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("storeFails -1 is not allowed: 0 or more");
    }
}
