package dev.windrow.contract.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.JobHistory;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ChangeResult;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Touch;
import dev.windrow.store.limit.KeyLimits;
import dev.windrow.store.retention.Expiry;
import dev.windrow.workflow.ParentPolicy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * A retry with more dependents than one transaction retries: the rest follows in batches. A caller's transaction contains the first batch. Its other
 * writes come before the next batch.
 */
public abstract class DependentsRetryContract extends StoreContract {
    private static final int PART = 1000;
    private static final int MANY = 2500;

    private long parent;
    private List<Long> children = List.of();

    /** Creates the contract for a subclass. */
    protected DependentsRetryContract() {}

    /**
     * Returns a new connection to the database of this test's stores, as an application would open one. It is ready for {@code setAutoCommit(false)}
     * and then the commands. The test closes it.
     */
    protected abstract Connection newConnection() throws SQLException;

    /** The work of a transaction. */
    private interface Work {
        void in(Connection connection) throws SQLException;
    }

    private void transaction(Work work) throws SQLException {
        try (Connection connection = newConnection()) {
            connection.setAutoCommit(false);
            work.in(connection);
            connection.commit();
        }
    }

    private static NewRow child() {
        return NewRow.of("q", "child");
    }

    /** Makes a parent that has failed, and children that this failure has cancelled. */
    private void failedWith(NewRow child, int count) {
        parent = store().enqueue(NewRow.job());
        children = many(child.after(parent, ParentPolicy.CANCEL), count);
        fail();
    }

    private List<Long> many(NewRow row, int count) {
        List<Long> ids = new ArrayList<>();
        for (int left = count; left > 0; left -= 1000) {
            ids.addAll(store().enqueueAll(Collections.nCopies(Math.min(left, 1000), row)));
        }
        return ids;
    }

    /** Runs the parent, which fails, and awaits all consequences. */
    private void fail() {
        ClaimedJob claimed = store().claimOne();
        assertThat(claimed.id()).isEqualTo(parent);
        assertThat(store().settle(claimed, Transition.FAIL)).isTrue();
        goOnToTheEnd();
        assertThat(store().state(last())).isEqualTo(JobState.CANCELLED);
    }

    private void goOnToTheEnd() {
        until("no child is left", () -> {
            StoreDriver.answer(store().store().submit(new Touch()));
            return KeyLimits.admit(store().store()) == 0;
        });
    }

    private long last() {
        return before(0);
    }

    /** Returns the child that is this many places before the last one. */
    private long before(int places) {
        return Objects.requireNonNull(children.get(children.size() - 1 - places));
    }

    private static Change retryWithDependents(boolean dryRun, Long... jobs) {
        return Change.byId(Verb.RETRY, List.of(jobs), "operator")
                .reason("the disk is empty again")
                .dryRun(dryRun)
                .withDependents(true)
                .build();
    }

    private ChangeResult retry(long job) {
        return StoreDriver.answer(ChangeByFilter.run(store().store(), retryWithDependents(false, job)));
    }

    private void retry(Connection connection) {
        assertThat(store().store()
                        .apply(connection, retryWithDependents(false, parent))
                        .count())
                .isEqualTo(1 + PART);
    }

    private void change(Connection connection, Verb verb, Long... ids) {
        store().store().apply(connection, StoreDriver.change(verb, List.of(ids)));
    }

    private void staysYet(Connection connection, Long... ids) {
        assertThatThrownBy(() -> change(connection, Verb.DELETE, ids))
                .isInstanceOf(TransitionRefusedException.class)
                .hasMessageContaining("cannot be deleted yet");
    }

    private Long[] all() {
        return Stream.concat(children.stream(), Stream.of(parent)).toArray(Long[]::new);
    }

    private void complete() {
        ClaimedJob claimed = store().claimOne();
        assertThat(claimed.id()).isEqualTo(parent);
        assertThat(store().complete(claimed)).isTrue();
    }

    /** Asserts that all children wait, that each was retried once, and that the parent releases each. */
    private void allAreBackOnce() {
        assertThat(store().count(JobState.BLOCKED)).isEqualTo(children.size());
        for (int i = 0; i < children.size(); i += 83) {
            assertThat(store().events(children.get(i)))
                    .containsExactly(EventKind.ENQUEUED, EventKind.CANCELLED, EventKind.RETRIED);
        }
        complete();
        goOnToTheEnd();
        assertThat(store().count(JobState.PENDING)).isEqualTo(children.size());
    }

    /** Retries the parent by a process that ends after that. */
    private void retriedByOneThatIsGone() throws SQLException {
        retriedByOneThatIsGone(parent);
    }

    private void retriedByOneThatIsGone(Long... parents) throws SQLException {
        StoreDriver gone = open();
        transaction(connection -> {
            assertThat(gone.store()
                            .apply(connection, retryWithDependents(false, parents))
                            .count())
                    .isEqualTo(parents.length + PART);
            gone.close();
        });
        assertThat(store().count(JobState.BLOCKED)).as("the first part").isEqualTo(PART);
    }

    private static void checkEdges(StoreDriver driver) {
        assertThat(driver.diagnose().checks())
                .filteredOn(check -> check.name().equals("edges"))
                .singleElement()
                .satisfies(check -> assertThat(check.isOk()).isTrue());
    }

    @Test
    void manyDependentsAreRetriedInBatchesUnderTheActorAndTheReasonOfTheRequest() {
        failedWith(child(), MANY);
        assertThat(StoreDriver.answer(ChangeByFilter.run(store().store(), retryWithDependents(true, parent)))
                        .count())
                .as("a dry run counts them all")
                .isEqualTo(1 + MANY);
        assertThat(retry(parent).count()).isEqualTo(1 + PART);
        until("all are back without another look", () -> {
            StoreDriver.answer(store().store().submit(new Touch()));
            return store().count(JobState.BLOCKED) == MANY;
        });
        List<AuditEntry> entries = store().audit(10);
        assertThat(entries.stream().mapToLong(AuditEntry::changed).sum()).isEqualTo(1 + MANY);
        assertThat(entries).allSatisfy(entry -> {
            assertThat(entry.action()).isEqualTo("RETRY");
            assertThat(entry.actor()).isEqualTo("operator");
            assertThat(entry.reason()).isEqualTo("the disk is empty again");
            assertThat(String.valueOf(entry.detail())).isEqualTo("{\"withDependents\":true}");
        });
        assertThat(store().history(last()).events())
                .last()
                .extracting(JobHistory.Event::actor)
                .isEqualTo("operator");
        assertThat(store().history(last()).events())
                .last()
                .extracting(event -> String.valueOf(event.detail()))
                .asString()
                .contains("\"reason\":\"the disk is empty again\"");
        allAreBackOnce();
    }

    @Test
    void aThousandDependentsAreRetriedAtOnce() {
        failedWith(child(), PART);
        assertThat(retry(parent).count()).isEqualTo(1 + PART);
        assertThat(store().audit(10)).extracting(AuditEntry::changed).containsExactly(1L + PART);
        goOnToTheEnd();
        allAreBackOnce();
    }

    @Test
    void anotherProcessContinuesTheRetryOfADeadOne() throws SQLException {
        failedWith(child(), MANY);
        retriedByOneThatIsGone();
        checkEdges(store());
        goOnToTheEnd();
        allAreBackOnce();
    }

    @Test
    void processesThatContinueTogetherRetryEachDependentOnce() throws SQLException {
        failedWith(child(), MANY);
        retriedByOneThatIsGone();
        StoreDriver other = open();
        List<Callable<Integer>> race = List.of(
                () -> KeyLimits.admit(store().store()),
                () -> KeyLimits.admit(other.store()),
                () -> KeyLimits.admit(other.store()));
        assertThat(together(race)).hasSize(3);
        goOnToTheEnd();
        allAreBackOnce();
    }

    @Test
    void aParentThatCompletesBetweenBatchesReleasesAllDependents() throws SQLException {
        failedWith(child(), MANY);
        retriedByOneThatIsGone();
        store().change(Verb.COMPLETE, parent);
        checkEdges(store());
        goOnToTheEnd();
        assertThat(store().count(JobState.PENDING)).isEqualTo(MANY);
        for (long each : List.of(before(MANY - 1), last())) {
            assertThat(store().events(each))
                    .containsExactly(EventKind.ENQUEUED, EventKind.CANCELLED, EventKind.RETRIED, EventKind.RELEASED);
        }
    }

    /** Its end concerns no more children than one transaction handles, and some of them are not retried yet. */
    @Test
    void theEndOfAParentIsProcessedAfterTheRetryOfAllDependents() throws SQLException {
        int some = PART * 4 / 5;
        long first = store().enqueue(NewRow.job());
        many(child().after(first, ParentPolicy.CANCEL), some);
        store().change(Verb.CANCEL, first);
        failedWith(child(), some);
        assertThat(store().count(JobState.CANCELLED)).isEqualTo(2 * some + 1);
        retriedByOneThatIsGone(first, parent);
        store().change(Verb.COMPLETE, parent);
        checkEdges(store());
        goOnToTheEnd();
        assertThat(store().count(JobState.PENDING)).isEqualTo(1 + some);
        assertThat(store().count(JobState.BLOCKED)).isEqualTo(some);
    }

    @Test
    void aParentThatFailsBetweenBatchesCancelsRetriedDependentsAndKeepsTheOthers() throws SQLException {
        failedWith(child(), MANY);
        retriedByOneThatIsGone();
        store().settle(store().claimOne(), Transition.FAIL);
        checkEdges(store());
        goOnToTheEnd();
        assertThat(store().count(JobState.CANCELLED)).isEqualTo(MANY);
        assertThat(store().events(before(MANY - 1)))
                .containsExactly(EventKind.ENQUEUED, EventKind.CANCELLED, EventKind.RETRIED, EventKind.CANCELLED);
        assertThat(store().events(last())).containsExactly(EventKind.ENQUEUED, EventKind.CANCELLED);
        assertThat(retry(parent).count()).as("another retry").isEqualTo(1 + PART);
        goOnToTheEnd();
        assertThat(store().count(JobState.BLOCKED)).isEqualTo(MANY);
    }

    @Test
    void aParentRetriedAloneBetweenBatchesLeavesTheOthersCancelled() throws SQLException {
        failedWith(child(), MANY);
        retriedByOneThatIsGone();
        store().change(Verb.CANCEL, parent);
        store().change(Verb.RETRY, parent);
        goOnToTheEnd();
        assertThat(store().count(JobState.CANCELLED)).isEqualTo(MANY);
        complete();
        goOnToTheEnd();
        assertThat(store().count(JobState.CANCELLED)).isEqualTo(MANY);
    }

    @Test
    void childrenChangedManuallyBetweenBatchesStayUnchanged() throws SQLException {
        failedWith(child(), MANY);
        transaction(connection -> {
            retry(connection);
            change(connection, Verb.RETRY, before(0), before(1), before(2));
            change(connection, Verb.CANCEL, before(1));
            change(connection, Verb.COMPLETE, before(2));
            staysYet(connection, before(3));
        });
        goOnToTheEnd();
        assertThat(store().count(JobState.BLOCKED)).isEqualTo(MANY - 2);
        assertThat(store().events(before(0)))
                .containsExactly(EventKind.ENQUEUED, EventKind.CANCELLED, EventKind.RETRIED);
        assertThat(store().state(before(1))).isEqualTo(JobState.CANCELLED);
        assertThat(store().state(before(2))).isEqualTo(JobState.COMPLETED);
        store().change(Verb.COMPLETE, parent);
        goOnToTheEnd();
        assertThat(store().count(JobState.PENDING)).isEqualTo(MANY - 2);
    }

    @Test
    void aParentStaysWithItsChildrenUntilItsRetryIsApplied() throws SQLException {
        failedWith(child(), MANY);
        transaction(connection -> {
            retry(connection);
            change(connection, Verb.CANCEL, children.subList(0, PART).toArray(Long[]::new));
            change(connection, Verb.CANCEL, parent);
            staysYet(connection, all());
        });
        goOnToTheEnd();
        store().change(Verb.DELETE, all());
        assertThat(store().count(JobState.CANCELLED)).isZero();
        assertThat(store().store().history(parent)).isEmpty();
    }

    @Test
    void aParentStaysWithItsChildrenUntilItsEndIsApplied() throws SQLException {
        parent = store().enqueue(NewRow.job());
        children = many(child().after(parent, ParentPolicy.CANCEL), MANY);
        transaction(connection -> {
            change(connection, Verb.FAIL, parent);
            change(connection, Verb.CANCEL, children.subList(PART, MANY).toArray(Long[]::new));
            staysYet(connection, all());
        });
        goOnToTheEnd();
        store().change(Verb.DELETE, all());
        assertThat(store().store().history(parent)).isEmpty();
    }

    @Test
    void aChildBlockedByAnotherParentIsRetriedWithThatParent() {
        long second = store().enqueue(NewRow.job());
        parent = store().enqueue(NewRow.job());
        children = new ArrayList<>(many(child().after(parent, ParentPolicy.CANCEL), MANY));
        children.add(store().enqueue(child().after(parent, ParentPolicy.CANCEL).after(second, ParentPolicy.CANCEL)));
        store().change(Verb.FAIL, second);
        fail();
        retry(parent);
        goOnToTheEnd();
        assertThat(store().count(JobState.BLOCKED)).isEqualTo(MANY);
        assertThat(store().state(last())).isEqualTo(JobState.CANCELLED);
        assertThat(retry(second).ids()).containsExactly(second, last());
        store().change(Verb.COMPLETE, parent);
        goOnToTheEnd();
        assertThat(store().state(last())).isEqualTo(JobState.BLOCKED);
        store().change(Verb.COMPLETE, second);
        assertThat(store().state(last())).isEqualTo(JobState.PENDING);
    }

    @Test
    void aChildWhoseOtherParentEndsBetweenBatchesFollowsBoth() throws SQLException {
        long completes = store().enqueue(NewRow.of("q", "other"));
        long fails = store().enqueue(NewRow.of("q", "other"));
        parent = store().enqueue(NewRow.job());
        children = new ArrayList<>(many(child().after(parent, ParentPolicy.CANCEL), MANY));
        children.add(store().enqueue(child().after(parent, ParentPolicy.CANCEL).after(completes, ParentPolicy.WAIT)));
        children.add(store().enqueue(child().after(parent, ParentPolicy.CANCEL).after(fails, ParentPolicy.CANCEL)));
        ClaimedJob claimed = store().claim(StoreDriver.request("w", Set.of("q"), Set.of("t"), 1))
                .jobs()
                .get(0);
        assertThat(claimed.id()).isEqualTo(parent);
        store().settle(claimed, Transition.FAIL);
        goOnToTheEnd();
        transaction(connection -> {
            retry(connection);
            change(connection, Verb.COMPLETE, completes);
            change(connection, Verb.FAIL, fails);
        });
        goOnToTheEnd();
        assertThat(store().state(before(1))).isEqualTo(JobState.BLOCKED);
        assertThat(store().state(before(0))).isEqualTo(JobState.CANCELLED);
        store().change(Verb.COMPLETE, parent);
        goOnToTheEnd();
        assertThat(store().state(before(1))).isEqualTo(JobState.PENDING);
        assertThat(store().count(JobState.PENDING)).isEqualTo(MANY + 1);
        assertThat(retry(fails).ids()).containsExactly(fails, last());
    }

    @Test
    void aChildTakesItsDedupeKeyAgainUnlessAnotherJobHoldsIt() {
        Dedupe held = Dedupe.key("held");
        Dedupe free = Dedupe.key("free");
        parent = store().enqueue(NewRow.job());
        children = new ArrayList<>(many(child().after(parent, ParentPolicy.CANCEL), MANY));
        children.add(store().enqueue(child().dedupe(held).after(parent, ParentPolicy.CANCEL)));
        children.add(store().enqueue(child().dedupe(free).after(parent, ParentPolicy.CANCEL)));
        fail();
        long other = store().enqueue(child().dedupe(held));
        retry(parent);
        goOnToTheEnd();
        assertThat(store().count(JobState.BLOCKED)).isEqualTo(MANY + 1);
        assertThat(store().state(before(1))).isEqualTo(JobState.CANCELLED);
        assertThat(store().enqueue(child().dedupe(held))).isEqualTo(other);
        assertThat(store().enqueue(child().dedupe(free))).isEqualTo(last());
    }

    @Test
    void dependentsOfDependentsAreRetriedAtAnyNumberAndDepth() {
        parent = store().enqueue(NewRow.job());
        children = new ArrayList<>(many(child().after(parent, ParentPolicy.CANCEL), MANY));
        long wide = last();
        many(child().after(before(MANY - 1), ParentPolicy.CANCEL), 10);
        children.addAll(many(child().after(wide, ParentPolicy.CANCEL), MANY));
        long deep = last();
        for (int i = 0; i < 150; i++) {
            deep = store().enqueue(child().after(deep, ParentPolicy.CANCEL));
        }
        fail();
        assertThat(store().count(JobState.CANCELLED)).isEqualTo(2 * MANY + 160);
        assertThat(retry(parent).count()).isEqualTo(1 + PART);
        goOnToTheEnd();
        assertThat(store().count(JobState.BLOCKED)).isEqualTo(2 * MANY + 160);
        assertThat(store().events(deep)).containsExactly(EventKind.ENQUEUED, EventKind.CANCELLED, EventKind.RETRIED);
    }

    @Test
    void childrenOfAChainAreRetriedWhenItContinuesBetweenBatches() throws SQLException {
        parent = store().enqueue(NewRow.job());
        children = many(child().afterChain(parent, ParentPolicy.CANCEL), MANY);
        fail();
        retriedByOneThatIsGone();
        long next = Objects.requireNonNull(StoreDriver.answer(ChangeByFilter.run(
                        store().store(),
                        StoreDriver.goingOn(parent, NewRow.job().row())))
                .next());
        goOnToTheEnd();
        parent = next;
        allAreBackOnce();
    }

    @Test
    void aChildThatWaitsForNoRetryIsDeletedWhileOthersAreRetried() throws SQLException {
        failedWith(child(), MANY);
        long ended = last();
        transaction(connection -> {
            retry(connection);
            change(connection, Verb.RETRY, ended);
            change(connection, Verb.COMPLETE, ended);
            change(connection, Verb.DELETE, ended);
        });
        goOnToTheEnd();
        assertThat(store().count(JobState.BLOCKED)).isEqualTo(MANY - 1);
        assertThat(store().count(JobState.COMPLETED)).isZero();
    }

    @Test
    void aCancelledChildIsDeletedWhileOthersAreCancelled() throws SQLException {
        parent = store().enqueue(NewRow.job());
        children = many(child().after(parent, ParentPolicy.CANCEL), MANY);
        transaction(connection -> {
            change(connection, Verb.FAIL, parent);
            change(connection, Verb.DELETE, children.get(0));
        });
        goOnToTheEnd();
        assertThat(store().count(JobState.CANCELLED)).isEqualTo(MANY - 1);
        assertThat(store().store().history(children.get(0))).isEmpty();
    }

    @Test
    void retentionKeepsAChildWhoseRetryIsPending() throws SQLException {
        failedWith(child(), MANY);
        time.advance(Duration.ofDays(365));
        retriedByOneThatIsGone();
        Expiry.Place place = null;
        do {
            Expiry.Found found =
                    store().store().expiring(new Expiry.Search(store().store().retention(), null, place));
            assertThat(found.units()).isEmpty();
            place = found.next();
        } while (place != null);
        goOnToTheEnd();
        allAreBackOnce();
    }
}
