package dev.windrow.contract.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.Dedupe;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreContract;
import dev.windrow.contract.StoreDriver;
import dev.windrow.payload.BlobRef;
import dev.windrow.query.JobFilter;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Change.Verb;
import dev.windrow.store.job.Claimed;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.WaitingClaim;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.payload.SweepStaged;
import dev.windrow.store.payload.Unstage;
import dev.windrow.workflow.ParentPolicy;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/**
 * Payloads and results that are stored separately. They are staged in parts, adopted once, and deleted with their job. They are swept if no job
 * adopts them.
 */
public abstract class BlobContract extends StoreContract {
    private static final byte[] FIRST = "[1,".getBytes(StandardCharsets.UTF_8);
    private static final byte[] SECOND = "2]".getBytes(StandardCharsets.UTF_8);

    /** Creates the contract for a subclass. */
    protected BlobContract() {}

    /** Returns a new connection to the database of this test's stores, as an application would open one. The test closes it. */
    protected abstract Connection newConnection() throws SQLException;

    private static Stage.Whole whole(byte[]... parts) {
        try {
            MessageDigest digest = MessageDigest.getInstance("SHA-256");
            long bytes = 0;
            for (byte[] part : parts) {
                digest.update(part);
                bytes += part.length;
            }
            return new Stage.Whole(bytes, HexFormat.of().formatHex(digest.digest()), null);
        } catch (NoSuchAlgorithmException e) {
            throw new AssertionError(e);
        }
    }

    private static BlobRef ref(long blob, Stage.Whole whole) {
        return new BlobRef(blob, BlobRef.Form.JSON, whole.bytes(), whole.sha256(), whole.file());
    }

    private long stage(Stage part) {
        return StoreDriver.answer(store().store().submit(part));
    }

    /** Stages a blob of two parts. */
    private BlobRef staged() {
        long blob = stage(Stage.first(FIRST, null));
        Stage.Whole whole = whole(FIRST, SECOND);
        assertThat(stage(Stage.further(blob, 1, SECOND, whole))).isEqualTo(blob);
        return ref(blob, whole);
    }

    private static NewRow with(BlobRef ref) {
        return NewRow.job().payload(ref.text());
    }

    private List<EnqueuedJob> enqueue(NewRow... rows) {
        return StoreDriver.answer(store().store()
                .submit(new Enqueue(Arrays.stream(rows).map(NewRow::row).toList())));
    }

    private byte @Nullable [] part(BlobRef ref, int position) {
        return store().store().blobPart(ref.id(), position);
    }

    private void isThere(BlobRef ref) {
        assertThat(part(ref, 0)).isEqualTo(FIRST);
        assertThat(part(ref, 1)).isEqualTo(SECOND);
        assertThat(part(ref, 2)).isNull();
    }

    private void isGone(BlobRef ref) {
        assertThat(part(ref, 0)).isNull();
        assertThat(part(ref, 1)).isNull();
    }

    private long sweep() {
        return StoreDriver.answer(
                store().store().submit(new SweepStaged(Duration.ofDays(1).toMillis(), 100)));
    }

    private void fail(long id) {
        ClaimedJob job = store().claimOne();
        assertThat(job.id()).isEqualTo(id);
        store().settle(job, Transition.FAIL);
    }

    @Test
    void aPayloadInABlobIsReadPartByPart() {
        BlobRef ref = staged();
        long id = store().enqueue(with(ref));
        assertThat(store().history(id).payload()).hasToString(ref.text());
        assertThat(store().claimOne().payload()).isEqualTo(ref.text());
        isThere(ref);
    }

    @Test
    void partsHoldAnyBytesUpToTheirMaximum() {
        byte[] content = new byte[Stage.MAX_BYTES];
        for (int i = 0; i < content.length; i++) {
            content[i] = (byte) i;
        }
        BlobRef ref = ref(stage(Stage.first(content, whole(content))), whole(content));
        store().enqueue(with(ref));
        assertThat(part(ref, 0)).isEqualTo(content);
    }

    @Test
    void anEmptyBlobHasOneEmptyPart() {
        byte[] nothing = {};
        BlobRef ref = ref(stage(Stage.first(nothing, whole(nothing))), whole(nothing));
        store().enqueue(with(ref));
        assertThat(part(ref, 0)).isEmpty();
    }

    @Test
    void theStoreKeepsTheNameOfABlobInAFileAndNoParts() {
        long blob = stage(Stage.first(new byte[0], null));
        Stage.Whole whole = new Stage.Whole(5, "0".repeat(64), "1-file");
        stage(Stage.further(blob, 1, new byte[0], whole));
        BlobRef ref = ref(blob, whole);
        assertThat(BlobRef.of(ref.text())).isEqualTo(ref);
        long id = store().enqueue(with(ref));
        assertThat(part(ref, 1)).isNull();
        assertThat(store().store().existingBlobs(List.of(blob, blob + 1))).containsExactly(blob);
        fail(id);
        store().change(Verb.DELETE, id);
        assertThat(store().store().existingBlobs(List.of(blob))).isEmpty();
    }

    @Test
    void aWaitingWorkerReceivesTheReference() {
        BlobRef ref = staged();
        CompletableFuture<Claimed> answer = new CompletableFuture<>();
        store().hints().offer(new WaitingClaim(StoreDriver.request(1), answer));
        store().enqueue(with(ref));
        assertThat(StoreDriver.answer(answer).jobs())
                .extracting(ClaimedJob::payload)
                .containsExactly(ref.text());
        isThere(ref);
    }

    @Test
    void aBlobIsAdoptedOnce() {
        BlobRef ref = staged();
        long id = store().enqueue(with(ref));
        assertThat(catchThrowable(() -> enqueue(NewRow.job(), with(ref))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining(Long.toString(ref.id()));
        assertThat(all(store().store(), JobFilter.ALL))
                .singleElement()
                .satisfies(job -> assertThat(job.id()).isEqualTo(id));
    }

    @Test
    void oneCallCannotGiveABlobToTwoJobs() {
        BlobRef ref = staged();
        assertThat(catchThrowable(() -> enqueue(with(ref), with(ref)))).isInstanceOf(InvalidRequestException.class);
        assertThat(all(store().store(), JobFilter.ALL)).isEmpty();
        store().enqueue(with(ref));
        isThere(ref);
    }

    @Test
    void anIncompleteBlobIsRefused() {
        long blob = stage(Stage.first(FIRST, null));
        assertThat(catchThrowable(() -> enqueue(with(ref(blob, whole(FIRST))))))
                .isInstanceOf(InvalidRequestException.class);
        assertThat(all(store().store(), JobFilter.ALL)).isEmpty();
    }

    @Test
    void aPartOfABlobThatIsNotStagedIsRefused() {
        BlobRef ref = staged();
        store().store().submit(new Unstage(ref.id())).join();
        assertThat(failure(store().store().submit(Stage.further(ref.id(), 2, SECOND, null))))
                .isNotNull();
        isGone(ref);
    }

    @Test
    void jobsWithParentsOrKeysMayHaveBlobs() {
        BlobRef first = staged();
        BlobRef second = staged();
        long parent = store().enqueue(NewRow.job());
        store().enqueue(with(first).after(parent, ParentPolicy.WAIT));
        store().enqueue(with(second).dedupe(Dedupe.key("k")));
        isThere(first);
        isThere(second);
        time.advance(Duration.ofDays(2));
        assertThat(sweep()).isZero();
    }

    @Test
    void aDeletionDeletesTheBlobsOfItsJob() {
        BlobRef ref = staged();
        BlobRef other = staged();
        long id = store().enqueue(with(ref));
        fail(id);
        store().enqueue(with(other));
        store().change(Verb.DELETE, id);
        isGone(ref);
        isThere(other);
    }

    @Test
    void aDeletionLeavesALongBlobToTheSweep() {
        // Its stated length is greater than its content.
        Stage.Whole whole = new Stage.Whole(16L * Stage.MAX_BYTES + 1, "0".repeat(64), null);
        long blob = stage(Stage.first(FIRST, null));
        stage(Stage.further(blob, 1, SECOND, whole));
        BlobRef ref = ref(blob, whole);
        BlobRef small = staged();
        long id = store().enqueue(with(ref));
        long other = store().enqueue(with(small));
        store().change(Verb.CANCEL, id);
        store().change(Verb.CANCEL, other);
        store().change(Verb.DELETE, id);
        store().change(Verb.DELETE, other);
        isGone(small);
        assertThat(store().store().existingBlobs(List.of(ref.id(), small.id()))).containsExactly(ref.id());
        isOfNoUse(ref);
        assertThat(sweep(100)).isEqualTo(2);
        assertThat(store().store().existingBlobs(List.of(ref.id()))).isEmpty();
    }

    @Test
    void aRetriedJobKeepsItsPayload() {
        BlobRef ref = staged();
        long id = store().enqueue(with(ref));
        fail(id);
        store().change(Verb.RETRY, id);
        assertThat(store().claimOne().payload()).isEqualTo(ref.text());
        isThere(ref);
    }

    @Test
    void anUnadoptedBlobIsSweptAfterADayAndNotBefore() {
        BlobRef adopted = staged();
        store().enqueue(with(adopted));
        BlobRef ref = staged();
        // The oldest blob is deleted first. Of two blobs of one moment, either may be.
        time.advance(Duration.ofMillis(1));
        stage(Stage.first(FIRST, null));
        time.advance(Duration.ofDays(1).minusMillis(1));
        BlobRef young = staged();
        assertThat(sweep()).isZero();
        isThere(ref);
        time.advance(Duration.ofMillis(2));
        assertThat(StoreDriver.answer(store().store()
                        .submit(new SweepStaged(Duration.ofDays(1).toMillis(), 1))))
                .isEqualTo(1);
        assertThat(sweep()).as("the second part, and the part of the other one").isEqualTo(2);
        assertThat(sweep()).isZero();
        isGone(ref);
        isThere(adopted);
        isThere(young);
    }

    /** Stages a blob of this many parts of one byte. */
    private BlobRef staged(int parts) {
        byte[] one = {'1'};
        byte[][] all = new byte[parts][];
        Arrays.fill(all, one);
        Stage.Whole whole = whole(all);
        long blob = stage(Stage.first(one, null));
        for (int i = 1; i < parts; i++) {
            stage(Stage.further(blob, i, one, i == parts - 1 ? whole : null));
        }
        return ref(blob, whole);
    }

    private long sweep(int limit) {
        return StoreDriver.answer(
                store().store().submit(new SweepStaged(Duration.ofDays(1).toMillis(), limit)));
    }

    private void isOfNoUse(BlobRef ref) {
        assertThat(catchThrowable(() -> enqueue(with(ref)))).isInstanceOf(InvalidRequestException.class);
        Stage.Whole whole = new Stage.Whole(ref.bytes(), ref.sha256(), null);
        assertThat(failure(store().store().submit(Stage.further(ref.id(), 99, SECOND, whole))))
                .as("nor is it made whole again")
                .isNotNull();
        assertThat(all(store().store(), JobFilter.ALL)).isEmpty();
    }

    @Test
    void aLongUnadoptedBlobIsSweptInPartsAndCannotBeAdoptedOnceStarted() {
        BlobRef ref = staged(20);
        time.advance(Duration.ofDays(2));
        BlobRef young = staged();
        assertThat(sweep(8)).isEqualTo(8);
        isOfNoUse(ref);
        assertThat(part(ref, 7)).isNull();
        assertThat(part(ref, 19)).isNotNull();
        assertThat(sweep(8)).isEqualTo(8);
        assertThat(sweep(4)).isEqualTo(4);
        isOfNoUse(ref);
        assertThat(sweep(8)).as("what has no part left").isEqualTo(1);
        assertThat(sweep(8)).isZero();
        assertThat(store().store().existingBlobs(List.of(ref.id()))).isEmpty();
        isThere(young);
    }

    @Test
    void theRestOfALongDroppedBlobIsSweptFirst() {
        BlobRef old = staged();
        time.advance(Duration.ofDays(2));
        BlobRef ref = staged(20);
        store().store().submit(new Unstage(ref.id())).join();
        isOfNoUse(ref);
        assertThat(part(ref, 15)).isNull();
        assertThat(part(ref, 16)).isNotNull();
        assertThat(sweep(2)).isEqualTo(2);
        isThere(old);
        assertThat(StoreDriver.answer(store().store().submit(new SweepStaged(Long.MAX_VALUE, 100))))
                .as("by whatever clock")
                .isEqualTo(2);
        isThere(old);
        assertThat(sweep(100)).isEqualTo(2);
        assertThat(store().store().existingBlobs(List.of(ref.id(), old.id()))).isEmpty();
    }

    @Test
    void aDroppedBlobIsDeletedUnlessItWasAdopted() {
        BlobRef adopted = staged();
        store().enqueue(with(adopted));
        BlobRef ref = staged();
        store().store().submit(new Unstage(ref.id())).join();
        store().store().submit(new Unstage(adopted.id())).join();
        isGone(ref);
        isThere(adopted);
    }

    @Test
    void aResultInABlobIsAdoptedBySettling() {
        BlobRef payload = staged();
        BlobRef result = staged();
        ClaimedJob job = store().running(with(payload));
        long child = store().enqueue(NewRow.job().after(job.id(), ParentPolicy.WAIT));
        assertThat(settle(job, result)).isTrue();
        assertThat(store().history(job.id()).result()).hasToString(result.text());
        assertThat(store().store().outcome(job.id()).orElseThrow().result()).hasToString(result.text());
        assertThat(store().store().parents(child))
                .singleElement()
                .satisfies(parent -> assertThat(parent.result()).hasToString(result.text()));
        time.advance(Duration.ofDays(2));
        assertThat(sweep()).isZero();
        isThere(payload);
        isThere(result);
    }

    private boolean settle(ClaimedJob job, BlobRef result) {
        Settle s = store().settlement(job, Transition.COMPLETE);
        return StoreDriver.answer(store().store()
                .submit(Settle.of(s.job(), s.worker(), s.transition(), s.outcome(), s.finishedAtMillis())
                        .startedAtMillis(s.startedAtMillis())
                        .result(result.text())
                        .build()));
    }

    @Test
    void aLostResultStaysStagedAndIsSwept() {
        BlobRef result = staged();
        ClaimedJob job = store().running(NewRow.job());
        store().change(Verb.COMPLETE, job.id());
        assertThat(settle(job, result)).isFalse();
        isThere(result);
        time.advance(Duration.ofDays(2));
        assertThat(sweep()).as("both parts").isEqualTo(2);
        isGone(result);
    }

    @Test
    void aResultWhoseBlobIsNotStagedFailsAloneAndWritesNothing() {
        BlobRef result = staged();
        store().store().submit(new Unstage(result.id())).join();
        ClaimedJob job = store().running(NewRow.job());
        Settle s = store().settlement(job, Transition.COMPLETE);
        CompletableFuture<Boolean> answer = store().store()
                .submit(Settle.of(s.job(), s.worker(), s.transition(), s.outcome(), s.finishedAtMillis())
                        .startedAtMillis(s.startedAtMillis())
                        .result(result.text())
                        .build());
        long other = store().enqueue(NewRow.job());
        assertThat(failure(answer)).hasMessageContaining("blob " + result.id());
        assertThat(store().state(job.id())).isEqualTo(JobState.RUNNING);
        assertThat(store().state(other)).isEqualTo(JobState.PENDING);
        assertThat(store().complete(job)).isTrue();
    }

    @Test
    void anEnqueueThatReturnsAnExistingJobDropsItsBlob() {
        BlobRef kept = staged();
        BlobRef dropped = staged();
        store().enqueue(with(kept).dedupe(Dedupe.key("k")));
        assertThat(enqueue(with(dropped).dedupe(Dedupe.key("k"))))
                .extracting(EnqueuedJob::deduplicated)
                .containsExactly(true);
        isThere(kept);
        isGone(dropped);
    }

    @Test
    void aNewPayloadOfAJobDeletesTheFormerBlob() {
        BlobRef first = staged();
        BlobRef second = staged();
        NewRow row = with(first).delay(Duration.ofHours(1));
        Dedupe replace = Dedupe.key("k").replace();
        long id = store().enqueue(row.dedupe(replace));
        enqueue(row.payload(second.text()).dedupe(replace));
        isGone(first);
        isThere(second);
        assertThat(store().history(id).payload()).hasToString(second.text());
        enqueue(row.payload("1").dedupe(replace));
        isGone(second);
    }

    @Test
    void aNewPayloadOfAJobLeavesALongFormerBlobToTheSweep() {
        // Its stated length is greater than its content.
        Stage.Whole whole = new Stage.Whole(16L * Stage.MAX_BYTES + 1, "0".repeat(64), null);
        long blob = stage(Stage.first(FIRST, null));
        stage(Stage.further(blob, 1, SECOND, whole));
        BlobRef ref = ref(blob, whole);
        NewRow row = with(ref).delay(Duration.ofHours(1));
        Dedupe replace = Dedupe.key("k").replace();
        long id = store().enqueue(row.dedupe(replace));
        enqueue(row.payload("1").dedupe(replace));
        assertThat(store().history(id).payload()).hasToString("1");
        assertThat(store().store().existingBlobs(List.of(ref.id()))).containsExactly(ref.id());
        assertThat(sweep(100)).isEqualTo(2);
        assertThat(store().store().existingBlobs(List.of(ref.id()))).isEmpty();
    }

    private Connection begin() throws SQLException {
        Connection connection = newConnection();
        connection.setAutoCommit(false);
        return connection;
    }

    private BlobRef staged(Connection connection) {
        long blob = store().store().apply(connection, Stage.first(FIRST, null));
        Stage.Whole whole = whole(FIRST, SECOND);
        store().store().apply(connection, Stage.further(blob, 1, SECOND, whole));
        return ref(blob, whole);
    }

    @Test
    void aBlobCommitsWithTheJobOfACallersTransaction() throws SQLException {
        BlobRef ref;
        try (Connection connection = begin()) {
            ref = staged(connection);
            store().store().apply(connection, new Enqueue(List.of(with(ref).row())));
            isGone(ref);
            connection.commit();
        }
        isThere(ref);
        time.advance(Duration.ofDays(2));
        assertThat(sweep()).isZero();
        assertThat(store().claimOne().payload()).isEqualTo(ref.text());
    }

    @Test
    void aCallersRollbackLeavesNoBlob() throws SQLException {
        BlobRef ref;
        try (Connection connection = begin()) {
            ref = staged(connection);
            store().store().apply(connection, new Enqueue(List.of(with(ref).row())));
            connection.rollback();
        }
        isGone(ref);
        time.advance(Duration.ofDays(2));
        assertThat(sweep()).isZero();
        assertThat(all(store().store(), JobFilter.ALL)).isEmpty();
    }

    @Test
    void aBlobStagedEarlierMayBeAdoptedInACallersTransaction() throws SQLException {
        BlobRef ref = staged();
        try (Connection connection = begin()) {
            store().store().apply(connection, new Enqueue(List.of(with(ref).row())));
            connection.rollback();
        }
        try (Connection connection = begin()) {
            store().store().apply(connection, new Enqueue(List.of(with(ref).row())));
            connection.commit();
        }
        isThere(ref);
        assertThat(store().claimOne().payload()).isEqualTo(ref.text());
    }
}
