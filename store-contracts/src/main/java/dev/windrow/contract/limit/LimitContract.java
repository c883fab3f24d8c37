package dev.windrow.contract.limit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;
import dev.windrow.monitor.Diagnosis.Check;
import dev.windrow.monitor.Statistics;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.limit.KeyLimits;
import dev.windrow.store.limit.LimitChange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** The pauses, limits and rates of queues and types. */
public abstract class LimitContract extends StoreContract {
    private static final LimitTarget MAIL = LimitTarget.queue("mail");
    private static final LimitTarget SEND = LimitTarget.type("send");

    /** Creates the contract for a subclass. */
    protected LimitContract() {}

    private Limits change(LimitChange change) {
        return StoreDriver.answer(KeyLimits.change(store().store(), change));
    }

    private Limits pause(LimitTarget scope) {
        return change(LimitChange.pause(scope, "anna", "provider is down"));
    }

    private Limits resume(LimitTarget scope) {
        return change(LimitChange.resume(scope, "anna"));
    }

    private Limits limit(LimitTarget scope, @Nullable Integer most) {
        return change(LimitChange.limit(scope, "anna", most));
    }

    private Limits rate(LimitTarget scope, @Nullable Rate rate) {
        return change(LimitChange.limitRate(scope, "anna", rate));
    }

    private void enqueue(String queue, String type, int count) {
        List<NewRow> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(NewRow.of(queue, type));
        }
        store().enqueueAll(rows);
    }

    /** Claims for a worker of both queues and both types. */
    private Claimed claimed(String worker, int limit) {
        return store().claim(StoreDriver.request(worker, Set.of("mail", "bulk"), Set.of("send", "count"), limit));
    }

    private List<ClaimedJob> claim(int limit) {
        return claimed("w", limit).jobs();
    }

    // ---- pause ------------------------------------------------------------------------------------------------------

    @Test
    void aPausedQueueStartsNothingUntilItIsResumed() {
        enqueue("mail", "send", 2);
        enqueue("mail", "count", 1);
        enqueue("bulk", "send", 1);
        pause(MAIL);
        assertThat(claim(10)).extracting(ClaimedJob::queue).containsExactly("bulk");
        assertThat(claim(10)).isEmpty();
        store().hints().forget();
        resume(MAIL);
        store().hints().awaitHint("mail", "send");
        store().hints().awaitHint("mail", "count");
        assertThat(claim(10)).hasSize(3);
    }

    @Test
    void aPausedTypeStartsInNoQueue() {
        enqueue("mail", "send", 1);
        enqueue("bulk", "send", 1);
        enqueue("bulk", "count", 1);
        pause(SEND);
        assertThat(claim(10)).extracting(ClaimedJob::type).containsExactly("count");
        resume(SEND);
        assertThat(claim(10)).hasSize(2);
    }

    @Test
    void aQueueAndATypeArePausedSeparately() {
        enqueue("mail", "send", 1);
        pause(MAIL);
        pause(SEND);
        resume(MAIL);
        assertThat(claim(10)).isEmpty();
        pause(MAIL);
        resume(SEND);
        assertThat(claim(10)).isEmpty();
        resume(MAIL);
        assertThat(claim(10)).hasSize(1);
    }

    @Test
    void aPauseAppliesToNewLanes() {
        pause(MAIL);
        limit(SEND, 1);
        enqueue("mail", "count", 1);
        enqueue("bulk", "send", 3);
        assertThat(claim(10)).extracting(ClaimedJob::queue).containsExactly("bulk");
        enqueue("mail", "send", 1);
        assertThat(claim(10)).isEmpty();
    }

    @Test
    void runningJobsContinueWhileTheirQueueIsPaused() {
        enqueue("mail", "send", 1);
        ClaimedJob job = claim(1).get(0);
        pause(MAIL);
        assertThat(store().settle(job, Transition.HAND_BACK)).isTrue();
        assertThat(claim(1)).isEmpty();
        resume(MAIL);
        ClaimedJob again = claim(1).get(0);
        pause(MAIL);
        assertThat(store().complete(again)).isTrue();
    }

    @Test
    void aPauseRecordsItsTimeActorAndReason() {
        Limits paused = pause(MAIL);
        assertThat(paused.target()).isEqualTo(MAIL);
        assertThat(paused.isPaused()).isTrue();
        Limits.Pause pause = Objects.requireNonNull(paused.pause());
        assertThat(pause.at()).isEqualTo(store().time().now());
        assertThat(pause.by()).isEqualTo("anna");
        assertThat(pause.reason()).isEqualTo("provider is down");

        store().time().advance(Duration.ofMinutes(1));
        Limits again = change(LimitChange.pause(MAIL, "anna", "still down"));
        assertThat(again.pause()).isEqualTo(new Limits.Pause(pause.at(), "anna", "still down"));
        assertThat(store().store().controls()).containsExactly(again);
        assertThat(resume(MAIL)).isEqualTo(new Limits(MAIL, null, null, null));
        assertThat(store().store().controls()).isEmpty();
        assertThat(resume(MAIL).isPaused()).isFalse();
    }

    @Test
    void pauseLimitAndRateOfATargetAreSetSeparately() {
        Rate rate = new Rate(7, Duration.ofSeconds(2), 3);
        limit(MAIL, 5);
        rate(MAIL, rate);
        Limits.Pause pause = pause(MAIL).pause();
        pause(SEND);
        assertThat(store().store().controls())
                .containsExactly(
                        new Limits(MAIL, pause, 5, rate),
                        new Limits(SEND, store().store().controls().get(1).pause(), null, null));
        assertThat(resume(MAIL)).isEqualTo(new Limits(MAIL, null, 5, rate));
        assertThat(limit(MAIL, null)).isEqualTo(new Limits(MAIL, null, null, rate));
        assertThat(rate(MAIL, null)).isEqualTo(new Limits(MAIL, null, null, null));
        assertThat(store().store().controls()).extracting(Limits::target).containsExactly(SEND);
    }

    @Test
    void pausedJobsKeepNoWorkerBusyAndAreCounted() {
        enqueue("mail", "send", 2);
        enqueue("bulk", "send", 1);
        pause(MAIL);
        assertThat(store().store().unfinished(Set.of("mail", "bulk"), Set.of("send"), Claim.EVERY_PRIORITY))
                .isEqualTo(1);
        assertThat(store().store().statistics().queues())
                .extracting(Statistics.OfQueue::queue, Statistics.OfQueue::paused)
                .containsExactly(
                        org.assertj.core.groups.Tuple.tuple("bulk", false),
                        org.assertj.core.groups.Tuple.tuple("mail", true));
        assertThat(store().count(JobState.PENDING)).isEqualTo(3);
    }

    @Test
    void aPausedQueueGetsNoDirectDispatch() {
        enqueue("mail", "send", 1);
        assertThat(store().complete(claim(1).get(0))).isTrue();
        pause(MAIL);
        store().hints().forget();
        enqueue("mail", "send", 1);
        assertThat(claim(1)).isEmpty();
    }

    // ---- limits -----------------------------------------------------------------------------------------------------

    @Test
    void noMoreJobsRunAtOnceThanTheLimit() {
        limit(SEND, 3);
        enqueue("mail", "send", 5);
        enqueue("bulk", "send", 5);
        List<ClaimedJob> first = claimed("a", 2).jobs();
        assertThat(first).hasSize(2);
        List<ClaimedJob> second = claimed("b", 10).jobs();
        assertThat(second).hasSize(1);
        assertThat(claimed("c", 10).jobs()).isEmpty();

        store().hints().forget();
        assertThat(store().complete(first.get(0))).isTrue();
        store().hints().awaitHint("mail", "send");
        assertThat(claimed("c", 10).jobs()).hasSize(1);
        assertThat(claimed("c", 10).jobs()).isEmpty();
    }

    @Test
    void jobsBeyondTheLimitDelayNoOtherJob() {
        limit(MAIL, 1);
        for (int i = 0; i < 5; i++) {
            store().enqueue(NewRow.of("mail", "send").priority(10));
        }
        enqueue("bulk", "count", 3);
        assertThat(claim(3)).extracting(ClaimedJob::queue).containsExactly("mail", "bulk", "bulk");
        assertThat(claim(3)).extracting(ClaimedJob::queue).containsExactly("bulk");
    }

    @Test
    void theBestJobThatMayStartIsClaimed() {
        limit(SEND, 2);
        store().enqueueAll(
                        NewRow.of("mail", "send").priority(1),
                        NewRow.of("bulk", "count").priority(2),
                        NewRow.of("bulk", "send").priority(3),
                        NewRow.of("mail", "count").priority(4),
                        NewRow.of("bulk", "send").priority(5));
        assertThat(claim(10))
                .extracting(job -> job.queue() + "/" + job.type())
                .containsExactly("bulk/send", "mail/count", "bulk/send", "bulk/count");
    }

    @Test
    void limitsOfAQueueAndATypeHoldTogether() {
        limit(SEND, 2);
        limit(MAIL, 3);
        enqueue("mail", "send", 5);
        enqueue("mail", "count", 5);
        enqueue("bulk", "send", 5);
        enqueue("bulk", "count", 5);
        List<ClaimedJob> jobs = claim(20);
        assertThat(jobs.stream().filter(job -> job.type().equals("send"))).hasSize(2);
        assertThat(jobs.stream().filter(job -> job.queue().equals("mail"))).hasSize(3);
        assertThat(jobs.stream()
                        .filter(job -> job.queue().equals("bulk") && job.type().equals("count")))
                .hasSize(5);
        assertThat(claim(20)).isEmpty();
    }

    @Test
    void everyEndOfAnAttemptFreesItsSlotOfTheLimit() {
        limit(SEND, 1);
        for (Transition end : List.of(
                Transition.COMPLETE,
                Transition.FAIL,
                Transition.RETRY_LATER,
                Transition.SNOOZE,
                Transition.HAND_BACK,
                Transition.PARK)) {
            enqueue("mail", "send", 2);
            ClaimedJob job = claim(1).get(0);
            assertThat(claim(1)).as("%s", end).isEmpty();
            assertThat(store().settle(job, end)).isTrue();
            List<ClaimedJob> next = claim(5);
            assertThat(next).as("%s", end).hasSize(1);
            assertThat(store().complete(next.get(0))).isTrue();
        }
    }

    @Test
    void externalEndsAndReclaimsFreeASlotOfTheLimit() {
        limit(SEND, 1);
        enqueue("mail", "send", 3);
        ClaimedJob completed = claim(1).get(0);
        store().change(Change.Verb.COMPLETE, completed.id());
        ClaimedJob dead = claim(5).get(0);
        assertThat(claim(5)).isEmpty();
        store().time().advance(StoreDriver.LEASE.multipliedBy(2));
        assertThat(store().reclaim(store().suspects().get(0), Transition.FAIL, AttemptOutcome.RECOVERED))
                .isTrue();
        assertThat(store().state(dead.id())).isEqualTo(JobState.FAILED);
        assertThat(claim(5)).hasSize(1);
    }

    @Test
    void aLimitIsRaisedLoweredAndRemoved() {
        enqueue("mail", "send", 10);
        limit(SEND, 2);
        List<ClaimedJob> jobs = new ArrayList<>(claim(10));
        assertThat(jobs).hasSize(2);
        store().hints().forget();
        limit(SEND, 3);
        store().hints().awaitHint("mail", "send");
        jobs.addAll(claim(10));
        assertThat(jobs).hasSize(3);
        limit(SEND, 1);
        assertThat(store().complete(jobs.get(0))).isTrue();
        assertThat(store().complete(jobs.get(1))).isTrue();
        assertThat(claim(10)).isEmpty();
        assertThat(store().complete(jobs.get(2))).isTrue();
        assertThat(claim(10)).hasSize(1);
        limit(SEND, null);
        assertThat(claim(10)).hasSize(6);
    }

    @Test
    void aLimitHoldsForDirectDispatch() {
        limit(SEND, 1);
        enqueue("mail", "send", 1);
        claim(1);
        enqueue("mail", "send", 1);
        assertThat(claim(10)).isEmpty();
        assertThat(store().count(JobState.RUNNING)).isEqualTo(1);
    }

    @Test
    void randomStepsNeverExceedALimitAndNeverWasteASlot() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        limit(SEND, 3);
        limit(MAIL, 4);
        List<ClaimedJob> running = new ArrayList<>();
        for (int step = 0; step < 150; step++) {
            if (random.nextInt(3) == 0) {
                enqueue(
                        random.nextBoolean() ? "mail" : "bulk",
                        random.nextBoolean() ? "send" : "count",
                        random.nextInt(4));
            } else if (random.nextBoolean()) {
                running.addAll(
                        claimed("w" + random.nextInt(3), 1 + random.nextInt(5)).jobs());
            } else if (!running.isEmpty()) {
                ClaimedJob job = running.remove(random.nextInt(running.size()));
                assertThat(store().settle(job, random.nextBoolean() ? Transition.COMPLETE : Transition.HAND_BACK))
                        .isTrue();
            }
            assertThat(running.stream().filter(job -> job.type().equals("send")).count())
                    .as("seed %d, step %d", seed, step)
                    .isLessThanOrEqualTo(3);
            assertThat(running.stream()
                            .filter(job -> job.queue().equals("mail"))
                            .count())
                    .as("seed %d, step %d", seed, step)
                    .isLessThanOrEqualTo(4);
        }
        // All remaining jobs run to their ends, even with few permits at a time.
        long left = store().count(JobState.PENDING) + running.size();
        for (int i = 0; i < 1000 && left > 0; i++) {
            running.addAll(claim(10));
            assertThat(running).as("seed %d", seed).isNotEmpty();
            for (ClaimedJob job : running) {
                assertThat(store().complete(job)).isTrue();
                left--;
            }
            running.clear();
        }
        assertThat(left).as("seed %d", seed).isZero();
        assertThat(store().diagnose().checks()).allMatch(Check::isOk);
    }

    // ---- rates ------------------------------------------------------------------------------------------------------

    @Test
    void jobsStartAtTheRateAndTheNextTimeIsReturned() {
        rate(SEND, new Rate(10, Duration.ofSeconds(1), 1));
        enqueue("mail", "send", 100);
        long begin = store().time().millis();
        int started = 0;
        while (store().time().millis() - begin < 3000) {
            Claimed claimed = claimed("w" + started % 3, 5);
            started += claimed.jobs().size();
            assertThat(claimed.jobs().size()).isLessThanOrEqualTo(1);
            claimed.jobs().forEach(job -> assertThat(store().complete(job)).isTrue());
            long wait = Objects.requireNonNull(claimed.nextDueMillis())
                    - store().time().millis();
            assertThat(wait).isBetween(1L, 100L);
            // A little late, as claims are.
            store().time().advance(Duration.ofMillis(wait + started % 5));
        }
        assertThat(started).isBetween(29, 32);
    }

    @Test
    void aBurstStartsAtOnceAfterAQuietTime() {
        rate(SEND, new Rate(10, Duration.ofSeconds(1), 4));
        enqueue("mail", "send", 20);
        assertThat(claim(20)).hasSize(4);
        assertThat(claim(20)).isEmpty();
        store().time().advance(Duration.ofMillis(250));
        assertThat(claim(20)).hasSizeBetween(2, 3);
        store().time().advance(Duration.ofSeconds(10));
        assertThat(claim(20)).hasSize(4);
    }

    @Test
    void aClockSetBackDoesNotBlockARate() {
        rate(SEND, new Rate(1, Duration.ofSeconds(1), 1));
        enqueue("mail", "send", 2);
        assertThat(claim(5)).hasSize(1);
        store().time().stepWall(Duration.ofHours(-1));
        store().time().advance(Duration.ofSeconds(2));
        assertThat(claim(5)).hasSize(1);
    }

    @Test
    void aRateAppliesOnlyToItsTarget() {
        rate(SEND, new Rate(1, Duration.ofHours(1), 1));
        enqueue("mail", "send", 3);
        enqueue("bulk", "send", 3);
        enqueue("bulk", "count", 3);
        assertThat(claim(20)).extracting(ClaimedJob::type).containsExactly("send", "count", "count", "count");
        rate(SEND, null);
        assertThat(claim(20)).hasSize(5);
    }

    @Test
    void workersAreNotifiedWhenARateIsUsedUp() {
        enqueue("mail", "send", 1);
        assertThat(claim(1)).hasSize(1);
        rate(SEND, new Rate(1, Duration.ofSeconds(1), 1));
        store().hints().forget();
        enqueue("mail", "send", 2);
        store().hints().awaitHint("mail", "send");
        store().hints().forget();
        assertThat(claim(5)).hasSize(1);
        store().hints().awaitHint("mail", "send");
        // No job started, so that the store has no reason to notify workers again. A store's own poll for ready jobs,
        // once in some seconds, may come in between once.
        assertThat(IntStream.range(0, 3).anyMatch(any -> isEmptyClaimSilent())).isTrue();
    }

    private boolean isEmptyClaimSilent() {
        store().hints().forget();
        assertThat(claim(5)).isEmpty();
        return store().hints().rings().isEmpty();
    }

    /** The limit does not keep the claim from the lower jobs: its best job leaves room for one more. */
    @Test
    void aClaimFromALimitedQueueLeavesJobsBelowTheMinimumPriority() {
        limit(MAIL, 5);
        List<Long> ids = store().enqueueAll(
                        NewRow.of("mail", "send").priority(5),
                        NewRow.of("mail", "send").priority(4));
        Claim urgent = StoreDriver.from(5, StoreDriver.request("w", Set.of("mail"), Set.of("send"), 10));
        assertThat(store().claim(urgent).jobs()).extracting(ClaimedJob::id).containsExactly(ids.get(0));
        assertThat(claim(10)).extracting(ClaimedJob::id).containsExactly(ids.get(1));
    }

    @Test
    void aWorkerWithAMinimumPriorityKeepsToLimitsAndRates() {
        limit(MAIL, 2);
        rate(SEND, Rate.of(3, Duration.ofSeconds(10)).withBurst(3));
        List<Long> ids = store().enqueueAll(
                        NewRow.of("mail", "send"),
                        NewRow.of("mail", "send").priority(5),
                        NewRow.of("mail", "send").priority(7),
                        NewRow.of("mail", "send").priority(6),
                        NewRow.of("bulk", "count"));
        Claim urgent =
                StoreDriver.from(5, StoreDriver.request("w", Set.of("mail", "bulk"), Set.of("send", "count"), 10));
        assertThat(store().claim(urgent).jobs()).extracting(ClaimedJob::id).containsExactly(ids.get(2), ids.get(3));
        limit(MAIL, null);
        assertThat(store().claim(urgent).jobs()).extracting(ClaimedJob::id).containsExactly(ids.get(1));
        assertThat(store().claim(urgent).nextDueMillis())
                .as("only a job below the minimum waits for the rate")
                .isNull();
        assertThat(claim(10)).extracting(ClaimedJob::id).containsExactly(ids.get(4));
        time.advance(Duration.ofSeconds(10));
        assertThat(store().claim(urgent).jobs()).isEmpty();
        assertThat(claim(10)).extracting(ClaimedJob::id).containsExactly(ids.get(0));
    }
}
