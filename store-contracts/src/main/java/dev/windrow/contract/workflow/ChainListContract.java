package dev.windrow.contract.workflow;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.Dedupe;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.store.Author;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.JobRow;
import dev.windrow.store.retention.Expire;
import dev.windrow.store.retention.Expiry;
import dev.windrow.workflow.ChainFilter;
import dev.windrow.workflow.ChainInfo;
import dev.windrow.workflow.ChainPage;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Chains as a whole: their listing, and the reads of one. */
public abstract class ChainListContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected ChainListContract() {}

    private static NewRow declared(String type) {
        return NewRow.of("q", type).beginsChain();
    }

    private ClaimedJob claimOf(String type) {
        return store().claim(StoreDriver.request("w", Set.of("q"), Set.of(type), 1))
                .jobs()
                .get(0);
    }

    private boolean goOn(ClaimedJob job, JobRow next) {
        return StoreDriver.answer(
                store().store().submit(StoreDriver.goingOn(store().settlement(job, Transition.COMPLETE), next)));
    }

    /** Returns the id of a chain of two jobs, of which the second one waits. */
    private long continued(String first, String second) {
        long id = store().enqueue(NewRow.of("q", first));
        assertThat(goOn(claimOf(first), NewRow.of("q", second).row())).isTrue();
        return id;
    }

    private ChainPage page(ChainFilter filter) {
        return store().store().chains(filter, Long.MAX_VALUE, 50);
    }

    private List<Long> ids(ChainFilter filter) {
        return page(filter).chains().stream().map(ChainInfo::id).toList();
    }

    private ChainInfo chain(long job) {
        return store().store().chainInfo(job).orElseThrow();
    }

    @Test
    void aChainIsReadFromEachOfItsJobs() {
        long id = continued("a", "b");
        ClaimedJob second = claimOf("b");
        assertThat(goOn(second, NewRow.of("q", "c").row())).isTrue();
        ClaimedJob third = claimOf("c");
        time.advance(Duration.ofSeconds(5));
        store().complete(third);
        ChainInfo chain = chain(id);
        assertThat(chain.id()).isEqualTo(id);
        assertThat(chain.type()).isEqualTo("a");
        assertThat(chain.lastJob()).isEqualTo(third.id());
        assertThat(chain.lastType()).isEqualTo("c");
        assertThat(chain.state()).isEqualTo(JobState.COMPLETED);
        assertThat(chain.length()).isEqualTo(3);
        assertThat(chain.createdAt()).isEqualTo(store().job(id).createdAt());
        assertThat(chain.finishedAt()).isEqualTo(store().job(third.id()).finishedAt());
        assertThat(chain(second.id())).isEqualTo(chain);
        assertThat(chain(third.id())).isEqualTo(chain);
        assertThat(page(ChainFilter.ALL).chains()).containsExactly(chain);
    }

    @Test
    void aJobAloneIsAChainThatIsNotListed() {
        long alone = store().enqueue(NewRow.job());
        ChainInfo chain = chain(alone);
        assertThat(chain.lastJob()).isEqualTo(alone);
        assertThat(chain.length()).isEqualTo(1);
        assertThat(chain.finishedAt()).isNull();
        assertThat(ids(ChainFilter.ALL)).isEmpty();
        assertThat(store().store().chainInfo(4711_000)).isEmpty();
    }

    @Test
    void aDeclaredChainIsListedFromItsFirstJobOn() {
        List<Long> some = store().enqueueAll(declared("a"), NewRow.of("q", "a"), declared("b"));
        assertThat(ids(ChainFilter.ALL)).containsExactly(some.get(2), some.get(0));
        assertThat(chain(some.get(0)).length()).isEqualTo(1);
        JobInfo first = store().job(some.get(0));
        assertThat(first.chainId()).isEqualTo(first.id());
        assertThat(first.chainIndex()).isZero();
        ClaimedJob claimed = claimOf("a");
        assertThat(claimed.id()).isEqualTo(first.id());
        assertThat(goOn(claimed, NewRow.of("q", "c").row())).isTrue();
        assertThat(chain(first.id()).length()).isEqualTo(2);
        assertThat(ids(ChainFilter.ALL)).containsExactly(some.get(2), some.get(0));
        assertThat(store().store().chain(first.id()))
                .extracting(JobInfo::chainIndex)
                .containsExactly(0, 1);
    }

    @Test
    void aPageLooksBehindChainsThatDoNotMatch() {
        long oldest = store().enqueue(declared("a"));
        store().enqueueAll(declared("b"), declared("b"), declared("b"), declared("b"));
        ChainPage page = store().store().chains(ChainFilter.ALL.withType("a"), Long.MAX_VALUE, 1);
        assertThat(page.chains()).extracting(ChainInfo::id).containsExactly(oldest);
        assertThat(page.next()).isNull();
    }

    @Test
    void aDeclaredChainInAChainDoesNotBeginAnotherOne() {
        long id = continued("a", "b");
        assertThat(goOn(claimOf("b"), declared("c").row())).isTrue();
        assertThat(ids(ChainFilter.ALL)).containsExactly(id);
        assertThat(chain(id).length()).isEqualTo(3);
    }

    @Test
    void aDeclaredChainThatAnExistingOneRepresentsIsThatOne() {
        NewRow row = declared("a").dedupe(Dedupe.key("k"));
        long first = store().enqueue(row);
        assertThat(store().enqueue(row)).isEqualTo(first);
        assertThat(goOn(claimOf("a"), NewRow.of("q", "b").row())).isTrue();
        long again = store().enqueue(row);
        assertThat(chain(again).id()).isEqualTo(first);
        assertThat(ids(ChainFilter.ALL)).containsExactly(first);
    }

    @Test
    void chainsAreFilteredByTheStateOfTheLastJobAndTheTypeOfTheFirst() {
        long waits = continued("a", "b");
        long ended = continued("c", "d");
        store().complete(claimOf("d"));
        long failed = continued("a", "e");
        store().settle(claimOf("e"), Transition.FAIL);
        assertThat(ids(ChainFilter.ALL)).containsExactly(failed, ended, waits);
        assertThat(ids(ChainFilter.ALL.withStates(JobState.COMPLETED))).containsExactly(ended);
        assertThat(ids(ChainFilter.ALL.withStates(JobState.FAILED, JobState.PENDING)))
                .containsExactly(failed, waits);
        assertThat(ids(ChainFilter.ALL.withType("a"))).containsExactly(failed, waits);
        assertThat(ids(ChainFilter.ALL.withType("b"))).isEmpty();
        assertThat(ids(ChainFilter.ALL.withType("a").withStates(JobState.FAILED)))
                .containsExactly(failed);
        ChainPage page = page(ChainFilter.ALL.withType("b"));
        assertThat(page.looked()).isEqualTo(3);
        assertThat(page.skipped()).isZero();
    }

    @Test
    void pagesNeitherRepeatNorHideAChain() {
        List<Long> all = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            all.add(i % 2 == 0 ? continued("a", "b") : store().enqueue(declared("c")));
        }
        Collections.reverse(all);
        for (int limit : List.of(1, 2, 3, 7, 8)) {
            List<Long> seen = new ArrayList<>();
            Long next = Long.MAX_VALUE;
            while (next != null) {
                ChainPage page = store().store().chains(ChainFilter.ALL, next, limit);
                assertThat(page.chains()).hasSizeLessThanOrEqualTo(limit);
                page.chains().forEach(chain -> seen.add(chain.id()));
                next = page.next();
            }
            assertThat(seen).as("pages of %d", limit).isEqualTo(all);
        }
        store().enqueue(declared("c"));
        assertThat(store().store().chains(ChainFilter.ALL, all.get(2), 50).chains())
                .extracting(ChainInfo::id)
                .isEqualTo(all.subList(3, 7));
    }

    @Test
    void aChainThatIsBeingDeletedIsSkipped() {
        long id = continued("a", "b");
        ClaimedJob second = claimOf("b");
        store().complete(second);
        store().enqueue(declared("c"));
        time.advance(Duration.ofDays(365));
        Expiry.Unit whole = store().store()
                .expiring(new Expiry.Search(store().store().retention(), null, null))
                .units()
                .get(0);
        Expiry.Unit first = new Expiry.Unit(whole.root(), whole.jobs().subList(0, 1));
        assertThat(StoreDriver.answer(store().store()
                                .submit(new Expire(
                                        List.of(first),
                                        new Expire.Pass(
                                                new Author("janitor", null),
                                                store().store().retention().text(),
                                                time.millis(),
                                                null),
                                        null,
                                        Map.of(),
                                        Long.MAX_VALUE)))
                        .deleted()
                        .jobs())
                .containsEntry(JobState.COMPLETED, 1L);
        ChainPage page = page(ChainFilter.ALL);
        assertThat(page.chains()).extracting(ChainInfo::type).containsExactly("c");
        assertThat(page.looked()).isEqualTo(1);
        assertThat(page.skipped()).isEqualTo(1);
        assertThat(store().store().chainInfo(second.id())).isEmpty();
        assertThat(store().store().chainInfo(id)).isEmpty();
    }

    @Test
    void aChainIsDeletedWithItsLastJobOrNotAtAll() {
        long id = store().enqueue(declared("a"));
        ClaimedJob first = claimOf("a");
        assertThat(goOn(first, NewRow.of("q", "b").row())).isTrue();
        long last = chain(id).lastJob();
        store().change(Verb.CANCEL, last);
        assertThat(chain(id).state()).isEqualTo(JobState.CANCELLED);
        store().change(Verb.RETRY, last);
        assertThat(chain(id).state()).isEqualTo(JobState.PENDING);
        store().change(Verb.CANCEL, last);
        assertThatThrownBy(() -> store().change(Verb.DELETE, last)).isInstanceOf(TransitionRefusedException.class);
        assertThat(chain(id).state()).isEqualTo(JobState.CANCELLED);
        store().change(Verb.DELETE, id, last);
        assertThat(ids(ChainFilter.ALL)).isEmpty();
    }
}
