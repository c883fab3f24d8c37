package dev.windrow.contract.payload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.Dedupe;
import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobState;
import dev.windrow.TransitionRefusedException;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.query.JobFilter;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.LeaseToken;
import dev.windrow.store.payload.PayloadPage;
import dev.windrow.store.query.PageRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Metadata are stored with a job, read with it, changed in any state, and deleted with it. */
public abstract class MetadataContract extends StoreContract {
    private static final String TEXT = "{ \"customer\": 42.0, \"note\": \"\\u0000\\ud83d\" }";

    /** Creates the contract for a subclass. */
    protected MetadataContract() {}

    private static Change merge(long job, String patch, @Nullable LeaseToken holder) {
        return Change.byId(Verb.MERGE_METADATA, List.of(job), "anna")
                .metadata(Metadata.parse(patch))
                .holder(holder)
                .build();
    }

    private void change(long job, String patch) {
        assertThat(StoreDriver.answer(store().store().submit(merge(job, patch, null)))
                        .count())
                .isEqualTo(1);
    }

    private String metadata(long job) {
        String read = store().store().metadata(job).json();
        assertThat(store().job(job).metadata().json()).isEqualTo(read);
        return read;
    }

    @Test
    void metadataAreReadAsTheyWereWritten() {
        List<Long> ids = store().enqueueAll(
                        NewRow.job().metadata(TEXT),
                        NewRow.job(),
                        NewRow.job().delay(Duration.ofMinutes(1)).metadata("{\"a\":1}"));
        assertThat(metadata(ids.get(0))).isEqualTo(TEXT);
        assertThat(metadata(ids.get(1))).isEqualTo("{}");
        assertThat(metadata(ids.get(2))).isEqualTo("{\"a\":1}");
        assertThat(all(store().store(), JobFilter.ALL))
                .extracting(JobInfo::metadata)
                .containsExactly(Metadata.parse("{\"a\":1}"), Metadata.none(), Metadata.parse(TEXT));
        assertThat(store().store().metadata(4711)).isEqualTo(Metadata.none());
    }

    @Test
    void metadataAreReadForASearch() {
        List<Long> ids = store().enqueueAll(
                        NewRow.job().metadata(TEXT), NewRow.of("q", "other").metadata("{}"), NewRow.job());
        PageRequest query = PageRequest.of(JobFilter.ALL.withType("t"));
        List<PayloadPage.Payload> both =
                List.of(new PayloadPage.Payload(ids.get(2), null), new PayloadPage.Payload(ids.get(0), new Json(TEXT)));
        assertThat(store().store().metadata(query, 10)).isEqualTo(new PayloadPage(both, null, false));
        assertThat(store().store().metadata(query, 1)).isEqualTo(new PayloadPage(both.subList(0, 1), ids.get(2), true));
    }

    @Test
    void aSearchReadsAPartOfVeryManyLongMetadata() {
        String longest = "{\"a\":\"" + "x".repeat(Metadata.MAX_BYTES - 8) + "\"}";
        List<NewRow> rows = new ArrayList<>();
        for (int i = 0; i < 200; i++) {
            rows.add(NewRow.job().metadata(longest));
        }
        List<Long> ids = store().enqueueAll(rows);
        PageRequest query = PageRequest.of(JobFilter.ALL).oldestFirst();
        PayloadPage first = store().store().metadata(query, 1000);
        assertThat(first.payloads()).hasSizeBetween(100, 150);
        assertThat(first.full()).isTrue();
        assertThat(first.next()).isEqualTo(ids.get(first.payloads().size() - 1));
        assertThat(store().store().metadata(query.after(first.next()), 1000).payloads())
                .hasSize(200 - first.payloads().size());
    }

    @Test
    void aChangeMergesInEveryState() {
        long job = store().enqueue(NewRow.job().maxAttempts(1).metadata("{\"a\":1,\"b\":{\"c\":1,\"d\":2}}"));
        change(job, "{\"b\":{\"c\":null,\"e\":3}}");
        assertThat(metadata(job)).isEqualTo("{\"a\":1,\"b\":{\"d\":2,\"e\":3}}");
        ClaimedJob running = store().claimOne();
        change(job, "{\"a\":null}");
        assertThat(metadata(job)).isEqualTo("{\"b\":{\"d\":2,\"e\":3}}");
        store().settle(running, Transition.FAIL);
        change(job, "{\"b\":null}");
        assertThat(metadata(job)).isEqualTo("{}");
        change(job, "{\"z\":true}");
        assertThat(metadata(job)).isEqualTo("{\"z\":true}");
        store().change(Verb.RETRY, job);
        store().complete(store().claimOne());
        change(job, "{\"z\":false}");
        assertThat(metadata(job)).isEqualTo("{\"z\":false}");
    }

    @Test
    void aChangeByAnOperatorIsAudited() {
        long job = store().enqueue(NewRow.job());
        change(job, "{\"a\":1}");
        AuditEntry entry = store().audit(10).get(0);
        assertThat(entry.action()).isEqualTo("MERGE_METADATA");
        assertThat(entry.actor()).isEqualTo("anna");
        assertThat(entry.changed()).isEqualTo(1);
        assertThat(entry.jobs()).containsExactly(new AuditEntry.Job(job, JobState.PENDING, JobState.PENDING));
        assertThat(entry.detail()).isEqualTo(new Json("{\"metadata\":{\"a\":1}}"));
    }

    @Test
    void aWorkerChangesOnlyTheMetadataOfAJobThatItHolds() {
        ClaimedJob first = store().running(NewRow.job());
        StoreDriver.answer(store().store().submit(merge(first.id(), "{\"a\":1}", first.leaseToken())));
        assertThat(metadata(first.id())).isEqualTo("{\"a\":1}");
        store().settle(first, Transition.HAND_BACK);
        assertThat(failure(store().store().submit(merge(first.id(), "{\"a\":2}", first.leaseToken()))))
                .isInstanceOf(TransitionRefusedException.class)
                .hasMessageContaining("not held by this attempt");
        ClaimedJob second = store().claimOne();
        assertThat(failure(store().store().submit(merge(first.id(), "{\"a\":3}", first.leaseToken()))))
                .isInstanceOf(TransitionRefusedException.class);
        assertThat(metadata(second.id())).isEqualTo("{\"a\":1}");
        assertThat(store().audit(10)).isEmpty();
    }

    @Test
    void aChangeThatMakesThemTooLongIsRefused() {
        String half = "{\"%s\":\"" + "x".repeat(Metadata.MAX_BYTES / 2) + "\"}";
        long job = store().enqueue(NewRow.job().metadata(half.formatted("a")));
        assertThat(failure(store().store().submit(merge(job, half.formatted("b"), null))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("at most 8192");
        assertThat(metadata(job)).isEqualTo(half.formatted("a"));
        assertThat(store().audit(10)).isEmpty();
        assertThat(failure(store().store().submit(merge(4711, "{}", null)))).isInstanceOf(JobNotFoundException.class);
    }

    @Test
    void aChangeKeepsTheOtherEventsOfItsActor() {
        long job = store().enqueue(NewRow.job());
        StoreDriver.answer(store().store().submit(Change.of(Verb.CANCEL, List.of(job), "anna")));
        change(job, "{\"a\":1}");
        assertThat(store().history(job).events())
                .extracting(JobHistory.Event::event)
                .containsExactly(EventKind.ENQUEUED, EventKind.CANCELLED, EventKind.METADATA_CHANGED);
    }

    @Test
    void aJobWhoseLastNameIsRemovedIsLikeOneWithoutMetadata() {
        List<Long> ids = store().enqueueAll(
                        NewRow.job().metadata("{\"a\":1}"), NewRow.job().metadata("{\"a\":2}"));
        change(ids.get(0), "{\"a\":null}");
        assertThat(store().store()
                        .metadata(PageRequest.of(JobFilter.ALL).oldestFirst(), 10)
                        .payloads())
                .containsExactly(
                        new PayloadPage.Payload(ids.get(0), null),
                        new PayloadPage.Payload(ids.get(1), new Json("{\"a\":2}")));
    }

    @Test
    void changesOfSeveralProcessesAreAllKept() {
        StoreDriver other = open();
        for (int round = 0; round < 10; round++) {
            long job = store().enqueue(NewRow.job().metadata("{\"a\":0}"));
            List<Callable<Long>> changes = new ArrayList<>();
            for (int i = 0; i < 6; i++) {
                StoreDriver driver = i % 2 == 0 ? store() : other;
                Change change = merge(job, "{\"n%d\":%d}".formatted(i, i), null);
                changes.add(
                        () -> StoreDriver.answer(driver.store().submit(change)).count());
            }
            assertThat(together(changes)).containsOnly(1L);
            for (int i = 0; i < 6; i++) {
                assertThat(store().store().metadata(job).text("n" + i)).hasValue(Integer.toString(i));
            }
        }
    }

    @Test
    void anEnqueueThatReplacesAJobReplacesItsMetadata() {
        Dedupe key = Dedupe.key("k").replace();
        long job = store().enqueue(NewRow.job().dedupe(key).metadata("{\"a\":1}"));
        assertThat(store().enqueue(NewRow.job().dedupe(key).metadata("{\"b\":2}")))
                .isEqualTo(job);
        assertThat(metadata(job)).isEqualTo("{\"b\":2}");
        assertThat(store().enqueue(NewRow.job().dedupe(key))).isEqualTo(job);
        assertThat(metadata(job)).isEqualTo("{}");
        assertThat(store().enqueue(NewRow.job().dedupe(Dedupe.key("k")).metadata("{\"c\":3}")))
                .isEqualTo(job);
        assertThat(metadata(job)).as("kept").isEqualTo("{}");
    }

    @Test
    void aDeletionDeletesTheMetadata() {
        long job = store().enqueue(NewRow.job().metadata("{\"a\":1}"));
        store().change(Verb.CANCEL, job);
        store().change(Verb.DELETE, job);
        assertThat(store().store().metadata(job)).isEqualTo(Metadata.none());
    }
}
