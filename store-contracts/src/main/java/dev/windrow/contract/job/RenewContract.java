package dev.windrow.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobHistory;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.job.Renew;
import dev.windrow.store.job.Suspect;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The command renew. */
public abstract class RenewContract extends StoreContract {
    /** Creates the contract for a subclass. */
    protected RenewContract() {}

    private List<LeaseToken> renew(List<LeaseToken> leaseTokens) {
        return StoreDriver.answer(store().store().submit(new Renew(leaseTokens, StoreDriver.LEASE.toMillis())));
    }

    @Test
    void aRenewedLeaseRunsFromNow() {
        ClaimedJob job = store().running(NewRow.job());
        time.advance(Duration.ofSeconds(20));
        assertThat(renew(List.of(job.leaseToken()))).isEmpty();
        time.advance(Duration.ofSeconds(30));
        assertThat(store().suspects()).isEmpty();
        time.advance(Duration.ofMillis(1));
        assertThat(store().suspects()).extracting(Suspect::leaseToken).containsExactly(job.leaseToken());
    }

    @Test
    void aRenewalLeavesNoTraceInTheHistory() {
        ClaimedJob job = store().running(NewRow.job());
        JobHistory before = store().history(job.id());
        time.advance(Duration.ofSeconds(20));
        renew(List.of(job.leaseToken()));
        assertThat(store().history(job.id())).isEqualTo(before);
    }

    @Test
    void anExpiredLeaseIsRenewedUntilItsJobIsReclaimed() {
        ClaimedJob job = store().running(NewRow.job());
        time.advance(Duration.ofMinutes(5));
        assertThat(store().suspects()).hasSize(1);
        assertThat(renew(List.of(job.leaseToken()))).isEmpty();
        assertThat(store().suspects()).isEmpty();
    }

    @Test
    void aRenewalReturnsTheLostLeases() {
        store().enqueueAll(Collections.nCopies(6, NewRow.job()));
        List<ClaimedJob> jobs = store().claim(6);
        store().settle(jobs.get(0), Transition.COMPLETE);
        store().settle(jobs.get(1), Transition.RETRY_LATER);
        store().settle(jobs.get(2), Transition.HAND_BACK);
        store().claimOne();
        store().change(Change.Verb.COMPLETE, jobs.get(3).id());
        LeaseToken wrong = new LeaseToken(jobs.get(4).id(), 77);
        LeaseToken missing = new LeaseToken(jobs.get(5).id() + 1000, 1);
        assertThat(renew(List.of(
                        jobs.get(0).leaseToken(),
                        jobs.get(5).leaseToken(),
                        jobs.get(1).leaseToken(),
                        jobs.get(2).leaseToken(),
                        missing,
                        jobs.get(3).leaseToken(),
                        wrong,
                        jobs.get(4).leaseToken())))
                .containsExactly(
                        jobs.get(0).leaseToken(),
                        jobs.get(1).leaseToken(),
                        jobs.get(2).leaseToken(),
                        missing,
                        jobs.get(3).leaseToken(),
                        wrong);
    }

    @Test
    void aRenewalDoesNotReopenASettledJob() {
        ClaimedJob job = store().running(NewRow.job());
        store().settle(job, Transition.COMPLETE);
        JobHistory before = store().history(job.id());
        assertThat(renew(List.of(job.leaseToken()))).containsExactly(job.leaseToken());
        assertThat(store().history(job.id())).isEqualTo(before);
        time.advance(Duration.ofHours(1));
        assertThat(store().suspects()).isEmpty();
    }

    @Test
    void aRenewalOfNoLeasesHasNoEffect() {
        assertThat(renew(List.of())).isEmpty();
    }

    @Test
    void aThousandLeasesAreRenewedInOneCall() {
        store().enqueueAll(Collections.nCopies(1000, NewRow.job()));
        List<LeaseToken> leaseTokens =
                store().claim(1000).stream().map(ClaimedJob::leaseToken).toList();
        time.advance(Duration.ofSeconds(31));
        assertThat(store().suspects()).hasSize(1000);
        assertThat(renew(leaseTokens)).isEmpty();
        assertThat(store().suspects()).isEmpty();
    }
}
