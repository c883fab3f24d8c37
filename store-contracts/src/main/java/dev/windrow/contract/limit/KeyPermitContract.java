package dev.windrow.contract.limit;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.AttemptOutcome;
import dev.windrow.Dedupe;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.limit.ConcurrencyKey;
import dev.windrow.limit.KeyInfo;
import dev.windrow.limit.KeyList;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.limit.Rate;
import dev.windrow.query.JobFilter;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.Touch;
import dev.windrow.store.limit.KeyLimits;
import dev.windrow.store.limit.LimitChange;
import dev.windrow.workflow.ParentPolicy;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Jobs that share a concurrency key: the number of permits, the order of the waiting jobs, and the pause and limits of the key. */
public abstract class KeyPermitContract extends StoreContract {
    private static final ConcurrencyKey TWO = ConcurrencyKey.atMost("tenant", 2);
    private static final ConcurrencyKey ORDER = ConcurrencyKey.inSequence("order");
    private static final ConcurrencyKey ANY = ConcurrencyKey.of("any");

    /** Creates the contract for a subclass. */
    protected KeyPermitContract() {}

    /** Returns a new connection to the database of the store that {@link #newStore} opens. */
    protected abstract Connection newConnection() throws SQLException;

    private static NewRow row(ConcurrencyKey key) {
        return NewRow.job().concurrencyKey(key);
    }

    private List<Long> enqueue(int count, ConcurrencyKey key) {
        List<NewRow> rows = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            rows.add(row(key).maxAttempts(1000));
        }
        return store().enqueueAll(rows);
    }

    private void change(LimitChange change) {
        Limits said = StoreDriver.answer(KeyLimits.change(store().store(), change));
        assertThat(said.target()).isEqualTo(change.target());
    }

    private void limit(String key, @Nullable Integer most) {
        change(LimitChange.limit(LimitTarget.key(key), "anna", most));
    }

    private void limitRate(String key, @Nullable Rate rate) {
        change(LimitChange.limitRate(LimitTarget.key(key), "anna", rate));
    }

    private void pause(String key) {
        change(LimitChange.pause(LimitTarget.key(key), "anna", null));
    }

    private void resume(String key) {
        change(LimitChange.resume(LimitTarget.key(key), "anna"));
    }

    /** Claims until this many jobs were claimed. A permit may be granted by a transaction of its own. */
    private List<ClaimedJob> claim(int count) {
        List<ClaimedJob> jobs = new ArrayList<>();
        until(count + " jobs can be claimed", () -> {
            jobs.addAll(store().claim(100));
            return jobs.size() >= count;
        });
        assertThat(jobs).hasSize(count);
        return jobs;
    }

    /** Asserts that no job can be claimed, and that no job waits for a free permit. */
    private void assertNothing() {
        assertThat(KeyLimits.admit(store().store())).isZero();
        assertThat(store().claim(100)).isEmpty();
    }

    private void assertSound() {
        KeyLimits.admit(store().store());
        // Leases may have expired here.
        assertThat(store().diagnose().checks())
                .filteredOn(check -> !check.name().equals("leases"))
                .allSatisfy(
                        check -> assertThat(check.isOk()).as(check.toString()).isTrue());
    }

    // ---- permits ---------------------------------------------------------------------------------------------------

    @Test
    void noMoreJobsRunThanTheKeyAllows() {
        List<Long> ids = enqueue(5, TWO);
        List<ClaimedJob> first = claim(2);
        assertThat(first).extracting(ClaimedJob::id).containsExactly(ids.get(0), ids.get(1));
        assertThat(first).extracting(ClaimedJob::concurrencyKey).containsOnly("tenant");
        assertNothing();
        assertThat(store().complete(first.get(0))).isTrue();
        List<ClaimedJob> next = claim(1);
        assertThat(next).extracting(ClaimedJob::id).containsExactly(ids.get(2));
        assertNothing();
        store().complete(first.get(1));
        store().complete(next.get(0));
        claim(2).forEach(store()::complete);
        assertNothing();
        assertSound();
    }

    @Test
    void aFullKeyDelaysNoOtherJob() {
        enqueue(50, TWO);
        store().enqueue(NewRow.job());
        store().enqueue(row(ConcurrencyKey.atMost("another", 1)));
        assertThat(claim(4))
                .extracting(ClaimedJob::concurrencyKey)
                .containsExactlyInAnyOrder("tenant", "tenant", null, "another");
        assertNothing();
    }

    @Test
    void aKeyIsSharedByAllQueuesAndTypes() {
        store().enqueue(NewRow.of("q", "t").concurrencyKey(ConcurrencyKey.atMost("one", 1)));
        long other = store().enqueue(NewRow.of("q2", "t2").concurrencyKey(ConcurrencyKey.atMost("one", 1)));
        ClaimedJob job = claim(1).get(0);
        assertNothing();
        store().hints().forget();
        store().complete(job);
        store().hints().awaitHint("q2", "t2");
        assertThat(store().claim(StoreDriver.request("w", Set.of("q2"), Set.of("t2"), 5))
                        .jobs())
                .extracting(ClaimedJob::id)
                .containsExactly(other);
    }

    @Test
    void theHigherPriorityGetsThePermitFirst() {
        ConcurrencyKey one = ConcurrencyKey.atMost("one", 1);
        ClaimedJob running = claimAfter(store().enqueue(row(one)));
        long low = store().enqueue(row(one).priority(-1));
        long high = store().enqueue(row(one).priority(1));
        long usual = store().enqueue(row(one));
        for (long expected : List.of(high, usual, low)) {
            store().complete(running);
            running = claim(1).get(0);
            assertThat(running.id()).isEqualTo(expected);
        }
    }

    private ClaimedJob claimAfter(long id) {
        ClaimedJob job = claim(1).get(0);
        assertThat(job.id()).isEqualTo(id);
        return job;
    }

    @Test
    void aJobThatWaitsForARetryReleasesItsPermit() {
        List<Long> ids = enqueue(3, TWO);
        List<ClaimedJob> running = claim(2);
        assertThat(store().settle(running.get(0), Transition.RETRY_LATER)).isTrue();
        assertThat(claim(1)).extracting(ClaimedJob::id).containsExactly(ids.get(2));
        time.advance(Duration.ofSeconds(61));
        assertNothing();
        store().complete(running.get(1));
        assertThat(claim(1)).extracting(ClaimedJob::id).containsExactly(ids.get(0));
        assertSound();
    }

    @Test
    void aJobHandedBackKeepsItsPermit() {
        List<Long> ids = enqueue(3, TWO);
        List<ClaimedJob> running = claim(2);
        assertThat(store().settle(running.get(1), Transition.HAND_BACK)).isTrue();
        assertThat(claim(1)).extracting(ClaimedJob::id).containsExactly(ids.get(1));
        assertNothing();
        assertSound();
    }

    @Test
    void cancelledJobsReleaseTheirPermitsAndStopWaiting() {
        List<Long> ids = enqueue(4, ConcurrencyKey.atMost("one", 1));
        store().change(Change.Verb.CANCEL, ids.get(0));
        store().change(Change.Verb.CANCEL, ids.get(2));
        ClaimedJob second = claimAfter(ids.get(1));
        store().complete(second);
        claimAfter(ids.get(3));
        assertSound();
    }

    @Test
    void aRetriedJobWaitsForAPermitAgain() {
        List<Long> ids = enqueue(2, ConcurrencyKey.atMost("one", 1));
        store().settle(claimAfter(ids.get(0)), Transition.FAIL);
        ClaimedJob second = claimAfter(ids.get(1));
        store().change(Change.Verb.RETRY, ids.get(0));
        assertNothing();
        assertThat(store().job(ids.get(0)).waitsForPermit()).isTrue();
        store().change(Change.Verb.COMPLETE, second.id());
        ClaimedJob again = claimAfter(ids.get(0));
        assertThat(store().job(again.id()).waitsForPermit()).isFalse();
        assertSound();
    }

    @Test
    void thePermitOfACrashedHolderIsReleased() {
        List<Long> ids = enqueue(2, ConcurrencyKey.atMost("one", 1));
        claimAfter(ids.get(0));
        time.advance(StoreDriver.LEASE.plusSeconds(1));
        assertNothing();
        assertThat(store().reclaim(store().suspects().get(0), Transition.RETRY_LATER, AttemptOutcome.RECOVERED))
                .isTrue();
        claimAfter(ids.get(1));
        assertSound();
    }

    @Test
    void scheduledAndBlockedJobsTakeNoPermitBeforeTheyAreReady() {
        ConcurrencyKey one = ConcurrencyKey.atMost("one", 1);
        long parent = store().enqueue(NewRow.of("q", "parent"));
        long child = store().enqueue(row(one).after(parent, ParentPolicy.WAIT));
        long later = store().enqueue(row(one).delay(Duration.ofMinutes(1)));
        long now = store().enqueue(row(one));
        ClaimedJob first = claimAfter(now);
        store().change(Change.Verb.COMPLETE, parent);
        time.advance(Duration.ofMinutes(2));
        assertNothing();
        assertThat(store().state(later)).isEqualTo(JobState.PENDING);
        store().complete(first);
        ClaimedJob second = claimAfter(child);
        store().complete(second);
        claimAfter(later);
        assertSound();
    }

    @Test
    void aTriggeredJobWaitsForAPermit() {
        ConcurrencyKey one = ConcurrencyKey.atMost("one", 1);
        ClaimedJob first = claimAfter(store().enqueue(row(one)));
        long later = store().enqueue(row(one).delay(Duration.ofDays(1)));
        store().change(Change.Verb.TRIGGER, later);
        assertNothing();
        store().complete(first);
        claimAfter(later);
    }

    @Test
    void allJobsOfAKeyWithoutALimitHavePermits() {
        enqueue(1500, ANY);
        until("all have a place", () -> KeyLimits.admit(store().store()) == 0);
        assertThat(store().claim(2000)).hasSize(1500);
        assertSound();
    }

    /** Makes the first write of a pause or a limit, by a process that is killed after it. */
    private void beginToSay(String key, String column) throws SQLException {
        try (Connection connection = newConnection();
                Statement statement = connection.createStatement()) {
            statement.executeUpdate(
                    "INSERT INTO windrow_limits (kind, name, %s) VALUES ('KEY', '%s', 1)".formatted(column, key));
        }
    }

    private int places() throws SQLException {
        try (Connection connection = newConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(
                        "SELECT count(*) FROM windrow_permits WHERE CAST(granted AS INTEGER) = 1")) {
            assertThat(row.next()).isTrue();
            return row.getInt(1);
        }
    }

    @Test
    void theNextPassRevokesPermitsThatAnInterruptedPauseOrLimitLeft() throws SQLException {
        enqueue(3, ConcurrencyKey.of("paused"));
        enqueue(3, ConcurrencyKey.of("limited"));
        enqueue(3, ANY);
        assertThat(places()).isEqualTo(9);
        beginToSay("paused", "paused_at");
        beginToSay("limited", "max_running");
        assertThat(KeyLimits.admit(store().store())).isEqualTo(2);
        assertThat(store().claim(10))
                .extracting(ClaimedJob::concurrencyKey)
                .containsExactlyInAnyOrder("limited", "any", "any", "any");
        assertNothing();
        resume("paused");
        claim(3);
        assertSound();
    }

    @Test
    void oneTransactionRevokesAtMostAThousandPermitsOfAKey() throws SQLException {
        Dedupe dedupe = Dedupe.key("k").replace();
        store().enqueue(row(ANY).dedupe(dedupe));
        enqueue(1000, ANY);
        enqueue(1000, ANY);
        until("all have a place", () -> KeyLimits.admit(store().store()) == 0);
        beginToSay("any", "paused_at");
        store().enqueue(row(ANY).dedupe(dedupe));
        // A store that still admits jobs after the changes above may have the key's lock. Then this transaction takes
        // no permits back.
        assertThat(places()).isBetween(1001, 2000);
        until("none has a place", () -> KeyLimits.admit(store().store()) == 0);
        assertThat(places()).isZero();
    }

    @Test
    void aReplacedJobTakesItsNewKey() {
        ConcurrencyKey one = ConcurrencyKey.atMost("one", 1);
        ConcurrencyKey two = ConcurrencyKey.atMost("two", 1);
        ClaimedJob first = claimAfter(store().enqueue(row(one)));
        Dedupe dedupe = Dedupe.key("k").replace();
        long waiting = store().enqueue(row(one).dedupe(dedupe));
        assertNothing();
        assertThat(store().enqueue(row(two).dedupe(dedupe))).isEqualTo(waiting);
        ClaimedJob replaced = claimAfter(waiting);
        assertThat(replaced.concurrencyKey()).isEqualTo("two");
        store().complete(first);
        store().complete(replaced);
        long plain = store().enqueue(row(one).dedupe(dedupe));
        assertThat(store().enqueue(NewRow.job().dedupe(dedupe))).isEqualTo(plain);
        assertThat(claimAfter(plain).concurrencyKey()).isNull();
        assertSound();
    }

    @Test
    void theListOfReadyJobsIncludesThoseThatWaitForAPermit() {
        enqueue(3, ConcurrencyKey.atMost("one", 1));
        assertThat(store().store()
                        .list(JobFilter.inState(JobState.PENDING), Long.MAX_VALUE, 10)
                        .jobs())
                .hasSize(3)
                .allSatisfy(job -> assertThat(job.concurrencyKey()).isEqualTo("one"));
        assertThat(store().count(JobState.PENDING)).isEqualTo(3);
    }

    @Test
    void aCallersTransactionTakesPermitsWhenItCommits() throws SQLException {
        ConcurrencyKey one = ConcurrencyKey.atMost("one", 1);
        List<Long> ids = new ArrayList<>();
        try (Connection connection = newConnection()) {
            connection.setAutoCommit(false);
            store().store()
                    .apply(connection, new Enqueue(List.of(row(one).row(), row(one).row())))
                    .forEach(job -> ids.add(job.id()));
            connection.rollback();
            store().store()
                    .apply(connection, new Enqueue(List.of(row(one).row(), row(one).row())))
                    .forEach(job -> ids.add(job.id()));
            connection.commit();
        }
        ClaimedJob first = claimAfter(ids.get(2));
        assertNothing();
        try (Connection connection = newConnection()) {
            connection.setAutoCommit(false);
            store().store().apply(connection, StoreDriver.change(Change.Verb.CANCEL, List.of(ids.get(3))));
            connection.commit();
        }
        store().complete(first);
        assertNothing();
        assertSound();
    }

    // ---- sequences --------------------------------------------------------------------------------------------------

    @Test
    void aSequenceRunsInOrderAndWaitsForRetries() {
        List<Long> ids = enqueue(3, ORDER);
        ClaimedJob first = claimAfter(ids.get(0));
        store().settle(first, Transition.RETRY_LATER);
        assertNothing();
        time.advance(Duration.ofSeconds(61));
        first = claimAfter(ids.get(0));
        assertThat(store().settle(first, Transition.SNOOZE)).isTrue();
        assertNothing();
        time.advance(Duration.ofSeconds(61));
        first = claimAfter(ids.get(0));
        store().settle(first, Transition.FAIL);
        ClaimedJob second = claimAfter(ids.get(1));
        assertNothing();
        store().change(Change.Verb.RETRY, ids.get(0));
        store().complete(second);
        ClaimedJob third = claimAfter(ids.get(2));
        store().complete(third);
        claimAfter(ids.get(0));
        assertSound();
    }

    @Test
    void aSequenceContinuesWhenItsJobWaitingForARetryIsCancelled() {
        List<Long> ids = enqueue(2, ORDER);
        store().settle(claimAfter(ids.get(0)), Transition.RETRY_LATER);
        store().change(Change.Verb.CANCEL, ids.get(0));
        claimAfter(ids.get(1));
        assertSound();
    }

    @Test
    void aParkedJobKeepsItsSequence() {
        List<Long> ids = enqueue(2, ORDER);
        store().settle(claimAfter(ids.get(0)), Transition.PARK);
        assertNothing();
        store().change(Change.Verb.COMPLETE, ids.get(0));
        claimAfter(ids.get(1));
        assertSound();
    }

    // ---- the pause and limits of a key -----------------------------------------------------------------------------

    @Test
    void aPausedKeyStartsNothingUntilItIsResumed() {
        List<Long> ids = enqueue(3, ANY);
        ClaimedJob running = store().claim(1).get(0);
        pause("any");
        assertNothing();
        long more = store().enqueue(row(ANY));
        assertNothing();
        assertThat(store().settle(running, Transition.HAND_BACK)).isTrue();
        assertNothing();
        assertThat(store().store().unfinished(Set.of("q"), Set.of("t"), Claim.EVERY_PRIORITY))
                .isZero();
        store().hints().forget();
        resume("any");
        store().hints().awaitHint("q", "t");
        assertThat(claim(4)).extracting(ClaimedJob::id).containsExactly(ids.get(0), ids.get(1), ids.get(2), more);
        assertSound();
    }

    @Test
    void aPausedSequenceHoldsBackItsRetry() {
        List<Long> ids = enqueue(2, ORDER);
        store().settle(claimAfter(ids.get(0)), Transition.RETRY_LATER);
        pause("order");
        time.advance(Duration.ofSeconds(61));
        assertNothing();
        resume("order");
        claimAfter(ids.get(0));
        assertSound();
    }

    @Test
    void aNewLimitAppliesToReadyJobs() {
        List<Long> ids = enqueue(5, ANY);
        ClaimedJob running = store().claim(1).get(0);
        limit("any", 2);
        assertThat(claim(1)).extracting(ClaimedJob::id).containsExactly(ids.get(1));
        assertNothing();
        store().complete(running);
        assertThat(claim(1)).extracting(ClaimedJob::id).containsExactly(ids.get(2));
        limit("any", null);
        assertThat(claim(2)).hasSize(2);
        assertThat(store().store().controls()).isEmpty();
        assertSound();
    }

    @Test
    void theLowerOfTheJobsAndTheOperatorsLimitHolds() {
        enqueue(5, TWO);
        limit("tenant", 4);
        List<ClaimedJob> two = claim(2);
        assertNothing();
        limit("tenant", 1);
        two.forEach(store()::complete);
        claim(1);
        assertNothing();
    }

    @Test
    void aKeyWithManyJobsIsPausedAndResumedCompletely() {
        enqueue(2500, ANY);
        pause("any");
        assertNothing();
        assertThat(store().count(JobState.PENDING)).isEqualTo(2500);
        resume("any");
        assertThat(claim(2500)).hasSize(2500);
    }

    @Test
    void aRateStartsJobsOneByOne() {
        limitRate("any", Rate.of(10, Duration.ofSeconds(1)));
        enqueue(4, ANY);
        assertThat(claim(1)).hasSize(1);
        Claimed none = store().claim(StoreDriver.request(10));
        assertThat(none.jobs()).isEmpty();
        long due = requireNonNull(none.nextDueMillis());
        assertThat(due - time.millis()).isBetween(50L, 100L);
        for (int i = 0; i < 3; i++) {
            time.advance(Duration.ofMillis(100));
            assertThat(claim(1)).hasSize(1);
            assertThat(store().claim(10)).isEmpty();
        }
        assertSound();
    }

    @Test
    void aRateDoesNotAccumulateUnusedStarts() {
        limitRate("any", Rate.of(10, Duration.ofSeconds(1)));
        enqueue(50, ANY);
        for (int i = 0; i < 20; i++) {
            time.advance(Duration.ofMillis(100));
            // A worker of another type claims, and so reads the rates.
            store().claim(StoreDriver.request("other", Set.of("q"), Set.of("other"), 5));
        }
        assertThat(claim(1)).hasSize(1);
        assertThat(store().claim(10)).isEmpty();
    }

    @Test
    void aNewRateAppliesToReadyJobs() {
        enqueue(30, ANY);
        limitRate("any", Rate.of(10, Duration.ofSeconds(1)));
        assertThat(claim(1)).hasSize(1);
        assertThat(store().claim(100)).isEmpty();
        time.advance(Duration.ofMillis(100));
        assertThat(claim(1)).hasSize(1);
        limit("any", 10);
        limitRate("any", null);
        assertThat(claim(8)).hasSize(8);
        time.advance(Duration.ofHours(2));
        // No start is due any more by the former rate.
        assertThat(store().claim(StoreDriver.request(10)).nextDueMillis()).isNull();
        assertSound();
    }

    @Test
    void aReplacedJobKeepsItsOrder() {
        ConcurrencyKey one = ConcurrencyKey.atMost("one", 1);
        ClaimedJob first = claimAfter(store().enqueue(row(one)));
        Dedupe dedupe = Dedupe.key("k").replace();
        long second = store().enqueue(row(one).dedupe(dedupe));
        long third = store().enqueue(row(one));
        store().enqueue(row(one).dedupe(dedupe));
        store().complete(first);
        store().complete(claimAfter(second));
        claimAfter(third);
        assertSound();
    }

    @Test
    void aReplacedJobOfASequenceThatWaitsForItsRetryKeepsItsPermit() {
        Dedupe dedupe = Dedupe.key("k").replace();
        long first = store().enqueue(row(ORDER).dedupe(dedupe));
        long second = store().enqueue(row(ORDER));
        store().settle(claimAfter(first), Transition.RETRY_LATER);
        assertThat(store().enqueue(row(ORDER).dedupe(dedupe))).isEqualTo(first);
        store().complete(claimAfter(first));
        claimAfter(second);
        assertSound();
    }

    @Test
    void manyJobsOfManyKeysAreEnqueuedInOneCall() {
        List<NewRow> rows = new ArrayList<>();
        for (int i = 0; i < 3000; i++) {
            rows.add(row(ConcurrencyKey.atMost("key" + i % 1500, 1)));
        }
        store().enqueueAll(rows);
        assertThat(claim(1500)).hasSize(1500);
        assertNothing();
    }

    @Test
    void jobsBehindAWaitingSequenceDoNotCountAsWork() {
        List<Long> ids = enqueue(3, ORDER);
        assertThat(store().store().unfinished(Set.of("q"), Set.of("t"), Claim.EVERY_PRIORITY))
                .isEqualTo(3);
        store().settle(claimAfter(ids.get(0)), Transition.SNOOZE);
        assertThat(store().store().unfinished(Set.of("q"), Set.of("t"), Claim.EVERY_PRIORITY))
                .isZero();
        time.advance(Duration.ofSeconds(61));
        claimAfter(ids.get(0));
        assertThat(store().store().unfinished(Set.of("q"), Set.of("t"), Claim.EVERY_PRIORITY))
                .isEqualTo(3);
    }

    // ---- the list of keys -------------------------------------------------------------------------------------------

    private KeyList keys(int limit) {
        KeyLimits.admit(store().store());
        return store().store().keys(limit);
    }

    @Test
    void keysAreListedByTheNumberOfTheirWaitingJobs() {
        assertThat(keys(10)).isEqualTo(new KeyList(List.of(), 0, false));
        enqueue(2, ANY);
        assertThat(keys(10).keys()).as("jobs with permits only").isEmpty();

        List<Long> tenant = enqueue(5, TWO);
        List<Long> order = enqueue(2, ORDER);
        enqueue(1, ConcurrencyKey.atMost("calm", 1));
        pause("any");
        limit("tenant", 9);
        limitRate("none yet", Rate.of(1, Duration.ofHours(1)));
        KeyLimits.admit(store().store());
        ClaimedJob running = store().claim(1).get(0);
        assertThat(running.id()).isEqualTo(tenant.get(0));
        store().start(running);
        time.advance(Duration.ofMinutes(1));

        KeyList list = keys(10);
        assertThat(list.keys()).extracting(KeyInfo::key).containsExactly("tenant", "any", "order", "none yet");
        assertThat(list.found()).isEqualTo(4);
        assertThat(list.atLeast()).isFalse();
        KeyInfo busy = list.keys().get(0);
        assertThat(busy.waiting()).isEqualTo(3);
        assertThat(busy.held()).isEqualTo(2);
        assertThat(busy.permits()).as("the lower limit").isEqualTo(2);
        assertThat(busy.limits().maxRunning()).isEqualTo(9);
        assertThat(busy.holders())
                .containsExactly(
                        new KeyInfo.Holder(
                                tenant.get(0), JobState.RUNNING, time.now().minus(Duration.ofMinutes(1))),
                        new KeyInfo.Holder(tenant.get(1), JobState.PENDING, null));
        KeyInfo paused = list.keys().get(1);
        assertThat(paused.waiting()).isEqualTo(2);
        assertThat(paused.held()).isZero();
        assertThat(paused.permits()).isNull();
        assertThat(requireNonNull(paused.limits().pause()).by()).isEqualTo("anna");
        KeyInfo sequence = list.keys().get(2);
        assertThat(sequence.waiting()).isEqualTo(1);
        assertThat(sequence.permits()).isEqualTo(1);
        assertThat(sequence.holders()).extracting(KeyInfo.Holder::id).containsExactly(order.get(0));
        assertThat(sequence.limits()).isEqualTo(new Limits(LimitTarget.key("order"), null, null, null));
        KeyInfo unused = list.keys().get(3);
        assertThat(unused.waiting()).isZero();
        assertThat(unused.permits()).isNull();
        assertThat(unused.limits().rate()).isEqualTo(Rate.of(1, Duration.ofHours(1)));

        assertThat(keys(2)).isEqualTo(new KeyList(list.keys().subList(0, 2), 4, false));
    }

    @Test
    void aSequenceThatWaitsForItsRetryIsListedWithItsHolder() {
        List<Long> ids = enqueue(2, ORDER);
        store().settle(claimAfter(ids.get(0)), Transition.RETRY_LATER);
        KeyInfo key = keys(10).keys().get(0);
        assertThat(key.waiting()).isEqualTo(1);
        assertThat(key.holders()).extracting(KeyInfo.Holder::id).containsExactly(ids.get(0));
        assertThat(key.holders().get(0).state()).isEqualTo(JobState.SCHEDULED);
    }

    @Test
    void aListThatLooksAtAllKeysSaysSo() {
        List<NewRow> rows = new ArrayList<>();
        for (int i = 0; i < KeyList.MAX_LOOKED; i++) {
            ConcurrencyKey key = ConcurrencyKey.inSequence("key %04d".formatted(i));
            rows.add(row(key));
            rows.add(row(key));
        }
        store().enqueueAll(rows);
        KeyList all = keys(1);
        assertThat(all.found()).isEqualTo(KeyList.MAX_LOOKED);
        assertThat(all.atLeast()).isFalse();
        enqueue(2, ConcurrencyKey.inSequence("one more"));
        KeyList part = keys(1);
        assertThat(part.found()).isEqualTo(KeyList.MAX_LOOKED);
        assertThat(part.atLeast()).isTrue();
    }

    @Test
    void aListOfManyKeysAndJobsCountsUpToItsBounds() {
        limit("tenant", 1100);
        List<NewRow> rows = new ArrayList<>();
        for (int i = 0; i < KeyList.MAX_LOOKED + 5; i++) {
            ConcurrencyKey key = ConcurrencyKey.inSequence("key %04d".formatted(i));
            rows.add(row(key));
            rows.add(row(key));
        }
        store().enqueueAll(rows);
        for (int i = 0; i < 3; i++) {
            enqueue(KeyInfo.MAX_COUNTED, ConcurrencyKey.of("tenant"));
        }
        // A transaction grants the permits of some keys only. Until the others are granted, more of their jobs wait.
        while (KeyLimits.admit(store().store()) > 0) {
            StoreDriver.answer(store().store().submit(new Touch()));
        }
        KeyList list = keys(3);
        assertThat(list.keys()).extracting(KeyInfo::key).containsExactly("tenant", "key 0000", "key 0001");
        assertThat(list.found()).isEqualTo(KeyList.MAX_LOOKED + 1);
        assertThat(list.atLeast()).isTrue();
        KeyInfo first = list.keys().get(0);
        assertThat(first.waiting()).isEqualTo(KeyInfo.MAX_COUNTED);
        assertThat(first.held()).isEqualTo(KeyInfo.MAX_COUNTED);
        assertThat(first.permits()).isEqualTo(1100);
        assertThat(first.holders()).hasSize(KeyInfo.MAX_HOLDERS);
    }

    // ---- at random --------------------------------------------------------------------------------------------------

    /** Makes random changes. Never more jobs run at once than allowed, a sequence is never out of order, no job is forgotten, and all jobs end. */
    @Test
    void concurrencyKeysHoldUnderRandomOperations() {
        long seed = new Random().nextLong();
        Random random = new Random(seed);
        Map<String, ConcurrencyKey> keys = Map.of(
                "a", ConcurrencyKey.atMost("a", 1),
                "b", ConcurrencyKey.atMost("b", 3),
                "c", ConcurrencyKey.inSequence("c"),
                "d", ConcurrencyKey.of("d"));
        List<String> names = List.of("a", "b", "c", "d");
        Map<Long, ClaimedJob> running = new HashMap<>();
        List<Long> all = new ArrayList<>();
        for (int step = 0; step < 400; step++) {
            String at = "seed " + seed + ", step " + step;
            switch (random.nextInt(8)) {
                case 0, 1 ->
                    all.addAll(enqueue(1 + random.nextInt(3), requireNonNull(keys.get(names.get(random.nextInt(4))))));
                case 2, 3 -> store().claim(1 + random.nextInt(4)).forEach(job -> running.put(job.id(), job));
                case 4, 5 -> {
                    if (!running.isEmpty()) {
                        ClaimedJob job = requireNonNull(
                                running.remove(List.copyOf(running.keySet()).get(random.nextInt(running.size()))));
                        List<Transition> ends = List.of(
                                Transition.COMPLETE,
                                Transition.FAIL,
                                Transition.RETRY_LATER,
                                Transition.HAND_BACK,
                                Transition.SNOOZE);
                        assertThat(store().settle(job, ends.get(random.nextInt(ends.size()))))
                                .as(at)
                                .isTrue();
                    }
                }
                case 6 -> {
                    if (!all.isEmpty()) {
                        long id = all.get(random.nextInt(all.size()));
                        JobState state = store().state(id);
                        if (state.isFinished() && state != JobState.COMPLETED) {
                            store().change(Change.Verb.RETRY, id);
                        } else if (!state.isFinished() && state != JobState.RUNNING) {
                            store().change(Change.Verb.CANCEL, id);
                        }
                    }
                }
                default -> {
                    String key = names.get(random.nextInt(4));
                    switch (random.nextInt(5)) {
                        case 0 -> pause(key);
                        case 1, 2 -> resume(key);
                        case 3 -> limit(key, 1 + random.nextInt(2));
                        default -> limit(key, null);
                    }
                    time.advance(Duration.ofSeconds(random.nextInt(40)));
                }
            }
            Map<String, Long> counts = new HashMap<>();
            running.values().forEach(job -> counts.merge(String.valueOf(job.concurrencyKey()), 1L, Long::sum));
            assertThat(counts.getOrDefault("a", 0L)).as(at).isLessThanOrEqualTo(1);
            assertThat(counts.getOrDefault("b", 0L)).as(at).isLessThanOrEqualTo(3);
            assertThat(counts.getOrDefault("c", 0L)).as(at).isLessThanOrEqualTo(1);
        }
        names.forEach(key -> {
            limit(key, null);
            resume(key);
        });
        until("everything has ended, seed " + seed, () -> {
            time.advance(Duration.ofSeconds(61));
            KeyLimits.admit(store().store());
            store().claim(100).forEach(job -> running.put(job.id(), job));
            running.values().forEach(store()::complete);
            running.clear();
            return store().count(JobState.PENDING) + store().count(JobState.SCHEDULED) + store().count(JobState.RUNNING)
                    == 0;
        });
        try {
            assertSound();
        } catch (AssertionError e) {
            throw new AssertionError("seed " + seed, e);
        }
    }

    @Test
    void aJobBelowTheMinimumPriorityThatWaitsForAPermitKeepsNoWorkerBusy() {
        store().enqueueAll(row(ORDER), row(ORDER));
        assertThat(store().claim(10)).hasSize(1);
        assertThat(store().store().unfinished(Set.of("q"), Set.of("t"), 1)).isZero();
        assertThat(store().store().unfinished(Set.of("q"), Set.of("t"), 0)).isPositive();
    }

    @Test
    void aJobBelowTheMinimumPriorityOfAWorkerKeepsItsPermit() {
        long low = store().enqueue(row(ORDER));
        Claim urgent = StoreDriver.from(5, StoreDriver.request(10));
        long high = store().enqueue(row(ORDER).priority(5));
        assertThat(store().claim(urgent).jobs()).isEmpty();
        assertThat(store().store().unfinished(Set.of("q"), Set.of("t"), 5))
                .as("it waits for a job of other workers")
                .isZero();
        ClaimedJob first = store().claim(10).get(0);
        assertThat(first.id()).isEqualTo(low);
        assertThat(store().store().unfinished(Set.of("q"), Set.of("t"), 5)).isPositive();
        assertThat(store().complete(first)).isTrue();
        List<ClaimedJob> next = new ArrayList<>();
        until("the permit is granted", () -> {
            next.addAll(store().claim(urgent).jobs());
            return !next.isEmpty();
        });
        assertThat(next).extracting(ClaimedJob::id).containsExactly(high);
    }
}
