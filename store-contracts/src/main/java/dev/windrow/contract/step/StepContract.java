package dev.windrow.contract.step;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.windrow.AttemptOutcome;
import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory;
import dev.windrow.JobHistory.Step;
import dev.windrow.JobHistory.StepKind;
import dev.windrow.JobHistory.StepState;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.contract.job.CallerTransactionContract;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.step.Signalled;
import dev.windrow.store.Author;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Suspect;
import dev.windrow.store.step.EndWaits;
import dev.windrow.store.step.Signal;
import dev.windrow.store.step.StepAnswer;
import dev.windrow.store.step.StepWrite;
import dev.windrow.workflow.ParentPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Durable steps of running attempts, and the events that jobs await or receive. */
public abstract class StepContract extends StoreContract {
    private static final Duration HOUR = Duration.ofHours(1);

    /** Creates the contract for a subclass. */
    protected StepContract() {}

    /** See {@link CallerTransactionContract#newConnection}. */
    protected abstract Connection newConnection() throws SQLException;

    private StepWrite work(LeaseToken leaseToken, String name, @Nullable String result) {
        return StepWrite.work(leaseToken, name, result, time.millis());
    }

    private StepWrite waits(LeaseToken leaseToken, StepKind kind, String name, Duration duration) {
        return StepWrite.waits(leaseToken, name, kind, duration, time.millis());
    }

    private Optional<StepAnswer> write(StepWrite step) {
        return StoreDriver.answer(store().store().submit(step));
    }

    private Step written(StepWrite step) {
        return write(step)
                .orElseThrow(() -> new AssertionError("the holder is one"))
                .step();
    }

    private static Signal event(long job, String name, @Nullable String payload) {
        return new Signal(job, name, payload, new Author("hook", null), null);
    }

    private Signalled signal(long job, String name, @Nullable String payload) {
        return StoreDriver.answer(store().store().submit(event(job, name, payload)));
    }

    private Step step(long job, String name) {
        return store().store().steps(job).stream()
                .filter(step -> step.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("there is no step " + name));
    }

    private int endWaits() {
        return StoreDriver.answer(store().store().submit(new EndWaits(1000)));
    }

    private ClaimedJob awaiting(String event) {
        ClaimedJob job = store().running(NewRow.job());
        assertThat(store().awaits(job, event, HOUR)).isTrue();
        assertThat(store().state(job.id())).isEqualTo(JobState.BLOCKED);
        return job;
    }

    // ---- work -------------------------------------------------------------------------------------------------------

    @Test
    void aStepIsWrittenOnceAndReadInOrder() {
        ClaimedJob job = store().running(NewRow.job());
        Instant began = time.now();
        assertThat(write(work(job.leaseToken(), "second", "{\"a\":1}")).map(StepAnswer::isNew))
                .contains(true);
        time.advance(Duration.ofSeconds(1));
        assertThat(written(work(job.leaseToken(), "first", null)).result()).isNull();
        Optional<StepAnswer> again = write(work(job.leaseToken(), "second", "2"));
        assertThat(again.map(StepAnswer::isNew)).contains(false);
        Step second = again.orElseThrow().step();
        assertThat(second)
                .extracting(
                        Step::name,
                        Step::kind,
                        Step::state,
                        Step::result,
                        Step::until,
                        Step::startedAt,
                        Step::finishedAt,
                        Step::actor)
                .containsExactly(
                        "second", StepKind.STEP, StepState.DONE, new Json("{\"a\":1}"), null, began, began, null);
        List<Step> steps = store().store().steps(job.id());
        assertThat(steps).extracting(Step::name).containsExactly("second", "first");
        assertThat(steps).first().isEqualTo(second);
        assertThat(store().history(job.id()).steps()).isEqualTo(steps);
        assertThat(store().store().steps(job.id() + 1)).isEmpty();
    }

    @Test
    void escapesInStepResultsAndSignalPayloadsAreKept() {
        String json = "[\"\\ud83d\",\"\\u0000\",\"😀\"]";
        ClaimedJob job = store().running(NewRow.job());
        assertThat(written(work(job.leaseToken(), "work", json)).result()).isEqualTo(new Json(json));
        signal(job.id(), "paid", json);
        assertThat(step(job.id(), "work").result()).isEqualTo(new Json(json));
        assertThat(step(job.id(), "paid").result()).isEqualTo(new Json(json));
    }

    @Test
    void aLostHolderWritesNoStep() {
        ClaimedJob job = store().running(NewRow.job());
        assertThat(write(work(new LeaseToken(job.id(), job.token() + 1), "a", null)))
                .isEmpty();
        assertThat(write(work(new LeaseToken(job.id(), job.token() - 1), "a", null)))
                .isEmpty();
        assertThat(write(work(new LeaseToken(job.id() + 1, job.token()), "a", null)))
                .isEmpty();
        time.advance(StoreDriver.LEASE.plusMillis(1));
        Suspect suspect = store().suspects().get(0);
        assertThat(store().reclaim(suspect, Transition.RETRY_LATER, AttemptOutcome.RECOVERED))
                .isTrue();
        assertThat(write(work(job.leaseToken(), "a", null))).isEmpty();
        time.advance(HOUR);
        ClaimedJob next = store().claimOne();
        assertThat(write(work(job.leaseToken(), "a", null)))
                .as("the zombie while the next attempt runs")
                .isEmpty();
        assertThat(store().store().steps(job.id())).isEmpty();
        assertThat(written(work(next.leaseToken(), "a", null)).state()).isEqualTo(StepState.DONE);
        assertThat(store().complete(next)).isTrue();
        assertThat(write(work(next.leaseToken(), "b", null))).isEmpty();
        assertThat(store().store().steps(job.id())).hasSize(1);
    }

    @Test
    void stepsStayWhenTheJobRunsAgain() {
        ClaimedJob job = store().running(NewRow.job());
        Step done = written(work(job.leaseToken(), "a", "1"));
        assertThat(store().settle(job, Transition.RETRY_LATER)).isTrue();
        time.advance(HOUR);
        ClaimedJob second = store().claimOne();
        assertThat(store().store().steps(job.id())).containsExactly(done);
        assertThat(written(work(second.leaseToken(), "a", "2"))).isEqualTo(done);
        assertThat(store().settle(second, Transition.FAIL)).isTrue();
        store().change(Verb.RETRY, job.id());
        assertThat(store().store().steps(job.id())).containsExactly(done);
        store().complete(store().claimOne());
    }

    @Test
    void aNameBelongsToOneKind() {
        ClaimedJob job = store().running(NewRow.job());
        assertThat(written(work(job.leaseToken(), "a", null))).isNotNull();
        assertThat(failure(store().store().submit(waits(job.leaseToken(), StepKind.SLEEP, "a", HOUR))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("'a'")
                .hasMessageContaining("SLEEP");
        assertThat(failure(store().store().submit(event(job.id(), "a", "1"))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("'a'");
        assertThat(signal(job.id(), "b", "1").kept()).isTrue();
        assertThat(failure(store().store().submit(work(job.leaseToken(), "b", null))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("EVENT");
        assertThat(store().store().steps(job.id())).extracting(Step::name).containsExactly("a", "b");
    }

    @Test
    void aJobHasAtMostTheAllowedNumberOfSteps() {
        ClaimedJob job = store().running(NewRow.job());
        // In batches, because each step must be written within the store's timeout.
        for (int from = 0; from < StepWrite.MAX_STEPS; from += 500) {
            List<CompletableFuture<Optional<StepAnswer>>> part = new ArrayList<>();
            for (int i = from; i < from + 500; i++) {
                part.add(store().store().submit(work(job.leaseToken(), "s" + i, null)));
            }
            part.forEach(one -> assertThat(StoreDriver.answer(one)).isPresent());
        }
        assertThat(failure(store().store().submit(work(job.leaseToken(), "more", null))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("10000");
        assertThat(failure(store().store().submit(event(job.id(), "more", null))))
                .isInstanceOf(InvalidRequestException.class);
        assertThat(written(work(job.leaseToken(), "s7", "1")).result())
                .as("what is there is answered")
                .isNull();
        assertThat(store().store().steps(job.id())).hasSize(StepWrite.MAX_STEPS);
    }

    @Test
    void stepsAreDeletedWithTheirJob() {
        ClaimedJob job = store().running(NewRow.job());
        written(work(job.leaseToken(), "a", "1"));
        signal(job.id(), "b", null);
        store().settle(job, Transition.FAIL);
        store().change(Verb.DELETE, job.id());
        assertThat(store().store().steps(job.id())).isEmpty();
    }

    @Test
    void aRetryFromTheStartDeletesTheSteps() {
        ClaimedJob parent = store().running(NewRow.job());
        written(work(parent.leaseToken(), "a", "1"));
        store().settle(parent, Transition.FAIL);
        ClaimedJob other = store().running(NewRow.job());
        written(work(other.leaseToken(), "a", "1"));
        store().settle(other, Transition.FAIL);
        StoreDriver.answer(ChangeByFilter.run(
                store().store(),
                Change.byId(Change.Verb.RETRY, List.of(parent.id()), "operator")
                        .maxAttempts(7)
                        .fromStart(true)
                        .build()));
        assertThat(store().store().steps(parent.id())).isEmpty();
        assertThat(store().job(parent.id()).maxAttempts()).isEqualTo(7);
        JobHistory.Event last = store().history(parent.id())
                .events()
                .get(store().events(parent.id()).size() - 1);
        assertThat(last.event()).isEqualTo(EventKind.RETRIED);
        assertThat(requireNonNull(last.detail()).text()).contains("fromStart");
        assertThat(store().store().steps(other.id())).hasSize(1);
        Change all = Change.byFilter(Change.Verb.RETRY, JobFilter.ALL, "operator")
                .dryRun(true)
                .fromStart(true)
                .build();
        assertThat(StoreDriver.answer(ChangeByFilter.run(store().store(), all)).count())
                .isEqualTo(1);
        assertThat(store().store().steps(other.id())).as("a dry run").hasSize(1);
        StoreDriver.answer(ChangeByFilter.run(
                store().store(),
                Change.byFilter(Change.Verb.RETRY, JobFilter.ALL, "operator")
                        .fromStart(true)
                        .build()));
        assertThat(store().store().steps(other.id())).isEmpty();
        assertThat(requireNonNull(store().audit(1).get(0).detail()).text()).contains("fromStart");
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> Change.byId(Verb.CANCEL, List.of(1L), "x")
                        .fromStart(true)
                        .build());
    }

    // ---- sleeps -----------------------------------------------------------------------------------------------------

    @Test
    void aSleepKeepsItsEndTimeAndEndsThen() {
        ClaimedJob job = store().running(NewRow.job());
        Instant until = time.now().plus(HOUR);
        Step first = written(waits(job.leaseToken(), StepKind.SLEEP, "nap", HOUR));
        assertThat(first.state()).isEqualTo(StepState.WAITING);
        assertThat(first.until()).isEqualTo(until);
        time.advance(HOUR.dividedBy(2));
        assertThat(written(waits(job.leaseToken(), StepKind.SLEEP, "nap", HOUR)))
                .as("asked again, by whom had not heard")
                .isEqualTo(first);
        time.advance(HOUR.dividedBy(2).minusMillis(1));
        assertThat(written(waits(job.leaseToken(), StepKind.SLEEP, "nap", HOUR)).state())
                .isEqualTo(StepState.WAITING);
        time.advance(Duration.ofMillis(1));
        Step over = written(waits(job.leaseToken(), StepKind.SLEEP, "nap", HOUR));
        assertThat(over.state()).isEqualTo(StepState.DONE);
        assertThat(over.finishedAt()).isEqualTo(until);
        assertThat(step(job.id(), "nap")).isEqualTo(over);
        assertThat(written(waits(job.leaseToken(), StepKind.SLEEP, "none", Duration.ZERO))
                        .state())
                .isEqualTo(StepState.DONE);
    }

    // ---- events -----------------------------------------------------------------------------------------------------

    @Test
    void aSignalWakesTheJobThatAwaitsItWithItsPayload() {
        ClaimedJob job = awaiting("paid");
        JobInfo parked = store().job(job.id());
        assertThat(parked.waitingFor()).isEqualTo(JobInfo.Waiting.EVENT);
        assertThat(parked.wakeAt()).isEqualTo(time.now().plus(HOUR));
        assertThat(parked.worker()).isNull();
        assertThat(parked.attempt()).as("no attempt is counted").isZero();
        assertThat(store().claim(1)).isEmpty();
        time.advance(Duration.ofMinutes(1));
        assertThat(signal(job.id(), "paid", "{\"euro\":5}")).isEqualTo(new Signalled(JobState.PENDING, true));
        assertThat(store().job(job.id()).waitingFor()).isNull();
        assertThat(store().job(job.id()).wakeAt()).isNull();
        Step event = step(job.id(), "paid");
        assertThat(event.state()).isEqualTo(StepState.DONE);
        assertThat(event.result()).isEqualTo(new Json("{\"euro\":5}"));
        assertThat(event.actor()).isEqualTo("hook");
        assertThat(event.finishedAt()).isEqualTo(time.now());
        JobHistory.Event last =
                store().history(job.id()).events().get(store().events(job.id()).size() - 1);
        assertThat(last.event()).isEqualTo(EventKind.RELEASED);
        assertThat(last.actor()).isEqualTo("hook");
        ClaimedJob next = store().claimOne();
        assertThat(next.id()).isEqualTo(job.id());
        assertThat(written(waits(next.leaseToken(), StepKind.EVENT, "paid", HOUR)))
                .isEqualTo(event);
        time.advance(HOUR);
        assertThat(endWaits()).isZero();
        store().complete(next);
    }

    @Test
    void aSignalBeforeTheWaitIsStored() {
        long scheduled = store().enqueue(NewRow.job().delay(HOUR));
        assertThat(signal(scheduled, "paid", "1")).isEqualTo(new Signalled(JobState.SCHEDULED, true));
        ClaimedJob parent = store().running(NewRow.job());
        long blocked = store().enqueue(NewRow.job().after(parent.id(), ParentPolicy.WAIT));
        assertThat(signal(blocked, "paid", "2")).isEqualTo(new Signalled(JobState.BLOCKED, true));
        assertThat(signal(parent.id(), "paid", "3")).isEqualTo(new Signalled(JobState.RUNNING, true));
        Step event = written(waits(parent.leaseToken(), StepKind.EVENT, "paid", HOUR));
        assertThat(event.state()).isEqualTo(StepState.DONE);
        assertThat(event.result()).isEqualTo(new Json("3"));
        assertThat(event.until()).isNull();
        store().complete(parent);
        assertThat(signal(blocked, "other", null)).isEqualTo(new Signalled(JobState.PENDING, true));
        assertThat(store().store().steps(blocked)).extracting(Step::name).containsExactly("paid", "other");
    }

    @Test
    void aSignalBetweenTheReadAndTheParkIsNotLost() {
        ClaimedJob job = store().running(NewRow.job());
        assertThat(written(waits(job.leaseToken(), StepKind.EVENT, "paid", HOUR))
                        .state())
                .isEqualTo(StepState.WAITING);
        assertThat(signal(job.id(), "paid", "1")).isEqualTo(new Signalled(JobState.RUNNING, true));
        assertThat(store().park(job, "paid", HOUR)).isTrue();
        assertThat(store().state(job.id())).isEqualTo(JobState.PENDING);
        assertThat(store().outcomes(job.id())).containsExactly(AttemptOutcome.PARKED);
        assertThat(store().events(job.id())).endsWith(EventKind.SNOOZED, EventKind.RELEASED);
        ClaimedJob next = store().claimOne();
        assertThat(next.id()).isEqualTo(job.id());
        assertThat(written(waits(next.leaseToken(), StepKind.EVENT, "paid", HOUR))
                        .result())
                .isEqualTo(new Json("1"));
    }

    @Test
    void theFirstSignalOfANameCounts() {
        ClaimedJob job = awaiting("paid");
        assertThat(signal(job.id(), "other", null)).isEqualTo(new Signalled(JobState.BLOCKED, true));
        assertThat(signal(job.id(), "other", "5")).isEqualTo(new Signalled(JobState.BLOCKED, false));
        assertThat(signal(job.id(), "paid", "1")).isEqualTo(new Signalled(JobState.PENDING, true));
        assertThat(signal(job.id(), "paid", "2")).isEqualTo(new Signalled(JobState.PENDING, false));
        assertThat(step(job.id(), "paid").result()).isEqualTo(new Json("1"));
        assertThat(step(job.id(), "other").result()).isNull();
        assertThat(store().events(job.id())).containsOnlyOnce(EventKind.RELEASED);
    }

    @Test
    void anEventThatTimedOutCannotArriveLater() {
        ClaimedJob job = awaiting("paid");
        time.advance(HOUR.minusMillis(1));
        assertThat(endWaits()).isZero();
        time.advance(Duration.ofMillis(1));
        assertThat(endWaits()).isEqualTo(1);
        assertThat(store().state(job.id())).isEqualTo(JobState.PENDING);
        Step over = step(job.id(), "paid");
        assertThat(over.state()).isEqualTo(StepState.TIMED_OUT);
        assertThat(over.finishedAt()).isEqualTo(time.now());
        assertThat(signal(job.id(), "paid", "1")).isEqualTo(new Signalled(JobState.PENDING, false));
        ClaimedJob next = store().claimOne();
        assertThat(written(waits(next.leaseToken(), StepKind.EVENT, "paid", HOUR)))
                .isEqualTo(over);
        assertThat(endWaits()).isZero();
        assertThat(store().events(job.id())).containsOnlyOnce(EventKind.RELEASED);
    }

    @Test
    void aLateEventIsRefusedBeforeItsTimeoutIsRecorded() {
        ClaimedJob job = awaiting("paid");
        time.advance(HOUR);
        assertThat(signal(job.id(), "paid", "1")).isEqualTo(new Signalled(JobState.BLOCKED, false));
        assertThat(endWaits()).isEqualTo(1);
        assertThat(step(job.id(), "paid").state()).isEqualTo(StepState.TIMED_OUT);
    }

    @Test
    void aHandlerThatReadsAfterTheTimeoutEndsTheWait() {
        ClaimedJob job = store().running(NewRow.job());
        written(waits(job.leaseToken(), StepKind.EVENT, "paid", HOUR));
        store().settle(job, Transition.RETRY_LATER);
        time.advance(HOUR);
        ClaimedJob next = store().claimOne();
        Step over = written(waits(next.leaseToken(), StepKind.EVENT, "paid", HOUR));
        assertThat(over.state()).isEqualTo(StepState.TIMED_OUT);
        assertThat(signal(job.id(), "paid", "1").kept()).isFalse();
        assertThat(step(job.id(), "paid")).isEqualTo(over);
        assertThat(store().park(next, "paid", HOUR)).isTrue();
        assertThat(store().state(job.id())).as("nobody waits for what is over").isEqualTo(JobState.PENDING);
    }

    @Test
    void endedAndMissingJobsCannotBeSignalled() {
        assertThat(failure(store().store().submit(event(4711, "paid", null)))).isInstanceOf(JobNotFoundException.class);
        ClaimedJob job = awaiting("paid");
        store().change(Verb.COMPLETE, job.id());
        assertThat(failure(store().store().submit(event(job.id(), "paid", null))))
                .isInstanceOf(TransitionRefusedException.class)
                .hasMessageContaining("COMPLETED");
        assertThat(step(job.id(), "paid").state()).isEqualTo(StepState.WAITING);
        time.advance(HOUR);
        assertThat(endWaits()).isZero();
    }

    @Test
    void aJobThatWaitsForExternalCompletionIsNotWokenByASignal() {
        ClaimedJob job = store().running(NewRow.job());
        written(waits(job.leaseToken(), StepKind.EVENT, "paid", HOUR));
        assertThat(store().park(job, null, HOUR)).isTrue();
        assertThat(signal(job.id(), "paid", null)).isEqualTo(new Signalled(JobState.BLOCKED, true));
        time.advance(HOUR);
        assertThat(endWaits()).isEqualTo(1);
        assertThat(store().job(job.id()).errorCode()).isEqualTo("TIMEOUT:WAIT");
    }

    @Test
    void aParkedJobIsCancelledAndAJobWithACancelRequestIsNotParked() {
        ClaimedJob job = awaiting("paid");
        store().change(Verb.CANCEL, job.id());
        assertThat(store().job(job.id()).wakeAt()).isNull();
        ClaimedJob second = store().running(NewRow.job());
        written(waits(second.leaseToken(), StepKind.EVENT, "paid", HOUR));
        store().change(Verb.CANCEL, second.id());
        assertThat(store().park(second, "paid", HOUR)).isTrue();
        assertThat(store().state(second.id())).isEqualTo(JobState.CANCELLED);
    }

    @Test
    void aWokenJobWithAConcurrencyKeyWaitsForAPermit() {
        NewRow row = NewRow.job().concurrencyKey(ConcurrencyKey.atMost("k", 1));
        ClaimedJob first = store().running(row);
        store().awaits(first, "paid", HOUR);
        ClaimedJob second = store().running(row);
        assertThat(signal(first.id(), "paid", null).state()).isEqualTo(JobState.PENDING);
        assertThat(store().claim(1)).as("the key has no room").isEmpty();
        store().complete(second);
        ClaimedJob again = store().claimOne();
        assertThat(again.id()).isEqualTo(first.id());
        written(waits(again.leaseToken(), StepKind.EVENT, "more", HOUR));
        signal(first.id(), "more", null);
        assertThat(store().park(again, "more", HOUR)).isTrue();
        assertThat(store().claimOne().id()).as("parked and woken at once").isEqualTo(first.id());
    }

    @Test
    void theStoreNotifiesOfWokenJobsAndOfTimeouts() {
        var other = open();
        Instant until = time.now().plus(HOUR);
        ClaimedJob job = awaiting("paid");
        store().hints().awaitWait(until.toEpochMilli());
        other.hints().awaitWait(until.toEpochMilli());
        store().hints().forget();
        StoreDriver.answer(other.store().submit(event(job.id(), "paid", null)));
        store().hints().awaitHint("q", "t");
        other.hints().awaitHint("q", "t");
    }

    @Test
    void eitherASignalOrTheTimeoutWins() {
        var other = open();
        for (int round = 0; round < 40; round++) {
            ClaimedJob job = awaiting("paid");
            time.advance(HOUR);
            List<Boolean> won = together(List.of(
                    () -> StoreDriver.answer(other.store().submit(event(job.id(), "paid", "1")))
                            .kept(),
                    () -> endWaits() == 1));
            if (store().state(job.id()) == JobState.BLOCKED) {
                // The end of waits has skipped the job that the signal had locked. Or the signal came later, and was
                // refused.
                endWaits();
            }
            assertThat(store().state(job.id())).isEqualTo(JobState.PENDING);
            StepState decided = step(job.id(), "paid").state();
            assertThat(decided).isEqualTo(won.get(0) ? StepState.DONE : StepState.TIMED_OUT);
            assertThat(store().events(job.id())).containsOnlyOnce(EventKind.RELEASED);
            store().complete(store().claimSoon());
        }
    }

    @Test
    void aSignalRacingWithTheParkWakesTheJobOnce() {
        var other = open();
        for (int round = 0; round < 60; round++) {
            ClaimedJob job = store().running(NewRow.job());
            written(waits(job.leaseToken(), StepKind.EVENT, "paid", HOUR));
            List<Callable<Boolean>> race = List.of(
                    () -> store().park(job, "paid", HOUR),
                    () -> StoreDriver.answer(other.store().submit(event(job.id(), "paid", "1")))
                            .kept());
            assertThat(together(race)).containsExactly(true, true);
            assertThat(store().state(job.id())).isEqualTo(JobState.PENDING);
            assertThat(store().events(job.id())).containsOnlyOnce(EventKind.RELEASED);
            store().complete(store().claimSoon());
        }
    }

    @Test
    void onlyAParkMayAwaitAnEvent() {
        ClaimedJob job = store().running(NewRow.job());
        Settle completes = store().settlement(job, Transition.COMPLETE);
        assertThatExceptionOfType(IllegalArgumentException.class)
                .isThrownBy(() -> Settle.of(
                                job, "w", Transition.SNOOZE, AttemptOutcome.SNOOZED, completes.finishedAtMillis())
                        .nextRunAtMillis(completes.finishedAtMillis())
                        .awaits("paid")
                        .build());
    }

    // ---- in a caller's transaction ----------------------------------------------------------------------------------

    @Test
    void aStepAndASignalCommitAndRollBackWithTheCallersTransaction() throws SQLException {
        ClaimedJob job = store().running(NewRow.job());
        ClaimedJob waiting = awaiting("paid");
        try (Connection connection = newConnection()) {
            connection.setAutoCommit(false);
            assertThat(store().store().apply(connection, work(job.leaseToken(), "a", "1")))
                    .isPresent();
            assertThat(store().store().apply(connection, event(waiting.id(), "paid", null)))
                    .isEqualTo(new Signalled(JobState.PENDING, true));
            assertThat(store().store().steps(job.id())).isEmpty();
            connection.rollback();
            assertThat(store().store().steps(job.id())).isEmpty();
            assertThat(store().state(waiting.id())).isEqualTo(JobState.BLOCKED);
            store().store().apply(connection, work(job.leaseToken(), "a", "2"));
            assertThat(store().store().apply(connection, work(new LeaseToken(job.id(), 9), "b", "2")))
                    .isEmpty();
            store().store().apply(connection, event(waiting.id(), "paid", null));
            store().hints().forget();
            connection.commit();
        }
        assertThat(step(job.id(), "a").result()).isEqualTo(new Json("2"));
        assertThat(store().state(waiting.id())).isEqualTo(JobState.PENDING);
        store().hints().awaitHint("q", "t");
    }

    @Test
    void aRefusalInACallersTransactionLeavesItUsable() throws SQLException {
        ClaimedJob job = store().running(NewRow.job());
        try (Connection connection = newConnection()) {
            connection.setAutoCommit(false);
            store().store().apply(connection, work(job.leaseToken(), "a", "1"));
            assertThatExceptionOfType(InvalidRequestException.class)
                    .isThrownBy(() -> store().store().apply(connection, event(job.id(), "a", null)));
            assertThatExceptionOfType(JobNotFoundException.class)
                    .isThrownBy(() -> store().store().apply(connection, event(4711, "a", null)));
            assertThat(store().store().apply(connection, work(job.leaseToken(), "b", null)))
                    .isPresent();
            connection.commit();
        }
        assertThat(store().store().steps(job.id())).extracting(Step::name).containsExactly("a", "b");
    }
}
