package dev.windrow.tests.engine.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.payload.BlobRef;
import dev.windrow.payload.Content;
import dev.windrow.payload.ContentLostException;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.store.payload.Stage;
import dev.windrow.testkit.ManualTime;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnceOnEachStore;
import dev.windrow.workflow.ParentOutcome;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongConsumer;
import org.junit.jupiter.api.Test;

/** Payloads and results that are too long for a row: stored separately, loaded on demand, streamed. */
@OnceOnEachStore
class BlobTest extends EngineTest {
    private static final int INLINE = Windrow.DEFAULT_INLINE_BYTES;
    private static final JobType<Content, Content> BYTES =
            JobType.of("test.bytes", Content.class, Content.class).withMaxAttempts(3);

    /** Returns JSON text of this many bytes in UTF-8, with characters of more than one byte. */
    private static Json json(int bytes) {
        return new Json("\"é" + "x".repeat(bytes - 4) + "\"");
    }

    private long blobs() {
        return Long.parseLong(target.rows("SELECT count(*) FROM windrow_blobs").get(0));
    }

    private void echo() {
        start(worker().handle(ECHO, (input, job) -> input));
    }

    @Test
    void aPayloadUpToTheLimitIsInTheRowAndALongerOneInABlob() {
        echo();
        Json inline = json(INLINE);
        JobRef<Json> job = windrow.enqueue(ECHO, inline);
        assertThat(windrow.await(job, PATIENCE)).isEqualTo(inline);
        assertThat(blobs()).isZero();

        Json apart = json(INLINE + 1);
        JobRef<Json> other = windrow.enqueue(ECHO, apart);
        assertThat(windrow.await(other, PATIENCE)).isEqualTo(apart);
        assertThat(target.rows("SELECT kind FROM windrow_blobs WHERE job_id = " + other.id() + " ORDER BY kind"))
                .containsExactly("PAYLOAD", "RESULT");
        assertThat(history(other).payload()).isEqualTo(apart);
        assertThat(history(other).result()).isEqualTo(apart);
        assertThat(windrow.monitor().diagnose().failed()).isEmpty();
    }

    @Test
    void aPayloadOfSeveralPartsIsReadAsOne() {
        echo();
        for (int bytes : new int[] {Stage.MAX_BYTES, Stage.MAX_BYTES + 1, 7 * Stage.MAX_BYTES}) {
            Json text = json(bytes);
            JobRef<Json> job = windrow.enqueue(ECHO, text);
            assertThat(windrow.await(job, PATIENCE)).isEqualTo(text);
            assertThat(target.rows("SELECT count(*) FROM windrow_blob_chunks c JOIN windrow_blobs b ON b.id = c.blob_id"
                            + " WHERE b.kind = 'PAYLOAD' AND b.job_id = " + job.id()))
                    .containsExactly(Integer.toString((bytes + Stage.MAX_BYTES - 1) / Stage.MAX_BYTES));
        }
    }

    @Test
    void theBlobLimitIsConfigurable() {
        Windrow other = closing(Windrow.configure(newStore())
                .time(time)
                .inlineBytes(0)
                .maxContentBytes(2000)
                .open());
        JobRef<Json> job = other.enqueue(ECHO, new Json("1"));
        assertThat(blobs()).isEqualTo(1);
        echo();
        assertThat(windrow.await(job, PATIENCE)).isEqualTo(new Json("1"));
        assertThatThrownBy(() -> other.enqueue(ECHO, json(2001)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("payload of 2001 bytes is not allowed: at most 2000");
        assertThatThrownBy(() -> Windrow.configure(newStore()).inlineBytes(-1)).hasMessageContaining("0 to 1048576");
        assertThatThrownBy(() -> Windrow.configure(newStore()).maxContentBytes(1))
                .hasMessageContaining("1024 to");
    }

    @Test
    void aReferenceCannotBeForged() {
        JobRef<Json> victim = windrow.enqueue(ECHO, json(INLINE + 1));
        Json forged =
                new Json(target.rows("SELECT payload FROM " + (target.isFile() ? "windrow_payloads" : "windrow_inputs"))
                        .get(0));
        assertThat(BlobRef.of(forged.text())).isNotNull();
        assertThatThrownBy(() -> windrow.enqueue(ECHO, forged))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("is not allowed: it begins like a reference to a blob");
        JobType<Json, Json> forger = JobType.raw("test.forger");
        start(worker().handle(forger, (input, job) -> forged));
        JobRef<Json> job = enqueue(forger);
        untilState(job, JobState.FAILED);
        assertThat(history(job).job().errorCode()).isEqualTo(ErrorCodes.INVALID_RESULT);
        assertThat(history(victim).payload()).isEqualTo(json(INLINE + 1));
    }

    @Test
    void aRefusedCallWritesNoJob() {
        Json tooLong = json((int) Windrow.DEFAULT_MAX_CONTENT_BYTES + 1);
        assertThatThrownBy(() -> windrow.enqueueAll(List.of(ECHO.job(json(INLINE + 1)), ECHO.job(tooLong))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("67108865");
        assertThat(blobs()).isZero();
        assertThat(windrow.jobs(JobFilter.ALL).newestFirst().limit(10).page().jobs())
                .isEmpty();
    }

    @Test
    void aStreamThatIsTooLongIsRefusedAndLeavesNothing() {
        Windrow other = closing(Windrow.configure(newStore())
                .time(time)
                .maxContentBytes(1 << 20)
                .open());
        Content endless = Content.of(() -> new Generated(Long.MAX_VALUE, made -> {}));
        assertThatThrownBy(() -> other.enqueue(BYTES, endless))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("more than 1048576");
        assertThatThrownBy(() -> other.enqueue(BYTES, Content.of(folder.resolve("none"))))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("none");
        until(() -> blobs() == 0);
        assertThat(other.jobs(JobFilter.ALL).newestFirst().limit(10).page().jobs())
                .isEmpty();
    }

    @Test
    void aPayloadThatCannotBeWrittenNowFailsTheEnqueue() {
        faults.stage = real -> part -> part.position() == 2
                ? CompletableFuture.failedFuture(new StoreUnavailableException("full"))
                : real.apply(part);
        assertThatThrownBy(() -> windrow.enqueue(ECHO, json(3 * Stage.MAX_BYTES)))
                .isInstanceOf(StoreUnavailableException.class);
        faults.stage = real -> real;
        until(() -> blobs() == 0);
        assertThat(windrow.jobs(JobFilter.ALL).newestFirst().limit(10).page().jobs())
                .isEmpty();
    }

    @Test
    void aResultIsWrittenAsSoonAsTheStoreAcceptsItAgain() {
        AtomicInteger refused = new AtomicInteger();
        faults.stage = real -> part -> refused.incrementAndGet() <= 3
                ? CompletableFuture.failedFuture(new StoreUnavailableException("full"))
                : real.apply(part);
        AtomicInteger calls = new AtomicInteger();
        Json result = json(INLINE + 1);
        start(worker().handle(ECHO, (input, job) -> {
            calls.incrementAndGet();
            return result;
        }));
        JobRef<Json> job = enqueue(ECHO);
        runClockUntil(Duration.ofMillis(100), () -> state(job) == JobState.COMPLETED);
        assertThat(windrow.await(job, PATIENCE)).isEqualTo(result);
        assertThat(calls).hasValue(1);
    }

    @Test
    void aResultThatIsTooLongFailsItsJobWithoutAnotherAttempt() {
        Windrow other = closing(Windrow.configure(newStore())
                .time(time)
                .maxContentBytes(1 << 20)
                .open());
        AtomicInteger calls = new AtomicInteger();
        start(other.worker()
                .lease(LEASE)
                .handle(ECHO, (input, job) -> {
                    calls.incrementAndGet();
                    return json((1 << 20) + 1);
                })
                .handle(BYTES, (input, job) -> Content.of(() -> new Generated(Long.MAX_VALUE, made -> {}))));
        JobRef<Json> job = enqueue(ECHO);
        untilState(job, JobState.FAILED);
        assertThat(history(job).job().errorCode()).isEqualTo(ErrorCodes.INVALID_RESULT);
        assertThat(history(job).job().errorDetail()).contains("1048577").contains("1048576");
        assertThat(calls).hasValue(1);
        JobRef<Json> streamed = windrow.enqueue(JobType.raw(BYTES.name()), null);
        untilState(streamed, JobState.FAILED);
        assertThat(history(streamed).job().errorCode()).isEqualTo(ErrorCodes.INVALID_RESULT);
        until(() -> blobs() == 0);
    }

    @Test
    void aLostPayloadFailsItsJobAndANewAttemptReadsItAgain() {
        JobRef<Json> job = windrow.enqueue(ECHO, json(INLINE + 1));
        faults.blobPart = real -> (blob, position) -> null;
        AtomicInteger calls = new AtomicInteger();
        start(worker().handle(ECHO, (input, context) -> {
            calls.incrementAndGet();
            return input;
        }));
        untilState(job, JobState.FAILED);
        faults.blobPart = real -> real;
        assertThat(history(job).job().errorCode()).isEqualTo(ErrorCodes.INTERNAL_CONTENT);
        assertThat(history(job).job().errorDetail()).contains("part 0 is missing");
        assertThat(calls).hasValue(0);
        windrow.job(job).retry();
        assertThat(windrow.await(job, PATIENCE)).isEqualTo(json(INLINE + 1));
    }

    @Test
    void aPayloadWithAWrongHashFailsItsJob() {
        JobRef<Json> job = windrow.enqueue(ECHO, json(INLINE + 1));
        faults.blobPart = real -> (blob, position) -> {
            byte[] part = real.apply(blob, position).clone();
            part[part.length / 2]++;
            return part;
        };
        echo();
        untilState(job, JobState.FAILED);
        faults.blobPart = real -> real;
        assertThat(history(job).job().errorCode()).isEqualTo(ErrorCodes.INTERNAL_CONTENT);
        assertThat(history(job).job().errorDetail()).contains("SHA-256");
    }

    @Test
    void aTemporaryReadFailureFailsTheAttemptAndNotTheJob() {
        JobRef<Json> job = windrow.enqueue(ECHO, json(INLINE + 1));
        AtomicInteger reads = new AtomicInteger();
        faults.blobPart = real -> (blob, position) -> {
            if (reads.incrementAndGet() == 1) {
                throw new StoreUnavailableException("busy");
            }
            return real.apply(blob, position);
        };
        echo();
        // Reading the history also reads the payload, so the worker must be the first reader.
        until(() -> reads.get() > 0);
        runClockUntil(Duration.ofMillis(200), () -> state(job) == JobState.COMPLETED);
        assertThat(history(job).attempts()).hasSize(2);
    }

    @Test
    void awaitThrowsForALostResult() {
        echo();
        JobRef<Json> job = windrow.enqueue(ECHO, json(INLINE + 1));
        untilState(job, JobState.COMPLETED);
        faults.blobPart = real -> (blob, position) -> null;
        assertThatThrownBy(() -> windrow.await(job, PATIENCE)).isInstanceOf(ContentLostException.class);
        assertThat(BlobRef.of(history(job).result().text())).isNotNull();
        faults.blobPart = real -> real;
    }

    @Test
    void aChildReadsTheResultsOfItsParents() {
        JobType<Json, Json> sum = JobType.raw("test.sum");
        Json text = json(INLINE + 1);
        byte[] bytes = {1, 0, (byte) 0xff};
        AtomicReference<List<ParentOutcome>> seen = new AtomicReference<>();
        AtomicReference<byte[]> read = new AtomicReference<>();
        start(worker().handle(ECHO, (input, job) -> input)
                .handle(BYTES, (input, job) -> input)
                .handle(sum, (input, job) -> {
                    seen.set(job.parents());
                    try (InputStream in = job.decode(job.parents().get(1).result(), Content.class)
                            .open()) {
                        read.set(in.readAllBytes());
                    }
                    return new Json("1");
                }));
        JobRef<Json> one = windrow.enqueue(ECHO, text);
        JobRef<Content> two = windrow.enqueue(BYTES, Content.of(bytes));
        JobRef<Json> child = windrow.enqueue(sum.job(new Json("1")).withParents(one, two));
        windrow.await(child, PATIENCE);
        assertThat(seen.get().get(0).result()).isEqualTo(text);
        assertThat(read.get()).isEqualTo(bytes);
    }

    @Test
    void aBlobCommitsAndRollsBackWithTheCallersTransaction() throws Exception {
        try (Connection connection = target.begin()) {
            windrow.on(connection).enqueue(ECHO, json(3 * Stage.MAX_BYTES));
            connection.rollback();
        }
        assertThat(blobs()).isZero();
        JobRef<Json> job;
        try (Connection connection = target.begin()) {
            job = windrow.on(connection).enqueue(ECHO, json(3 * Stage.MAX_BYTES));
            connection.commit();
        }
        echo();
        assertThat(windrow.await(job, PATIENCE)).isEqualTo(json(3 * Stage.MAX_BYTES));
    }

    @Test
    void aDeletedJobLeavesNoBlob() {
        start(worker().handle(ECHO, (input, job) -> {
            throw new IllegalStateException("no");
        }));
        JobRef<Json> job = windrow.enqueue(ECHO.job(json(INLINE + 1)).withMaxAttempts(1));
        untilState(job, JobState.FAILED);
        windrow.job(job).delete();
        assertThat(blobs()).isZero();
        assertThat(target.rows("SELECT count(*) FROM windrow_blob_chunks")).containsExactly("0");
    }

    @Test
    void blobsStagedByADeadProcessAreSweptADayLater() {
        var bare = openBareStore();
        bare.submit(Stage.first(new byte[] {1}, null)).join();
        start(worker().handle(ECHO, (input, job) -> input));
        runClockUntil(Duration.ofMinutes(10), () -> blobs() == 0);
        assertThat(time.now()).isAfter(new ManualTime().now().plus(Duration.ofDays(1)));
    }

    @Test
    void theHistoryHoldsTheReferenceOfALongPayloadAndTheStreamItsContent() throws Exception {
        echo();
        Json text = json(2 << 20);
        JobRef<Json> job = windrow.enqueue(ECHO, text);
        untilState(job, JobState.COMPLETED);
        JobHistory history = history(job);
        BlobRef ref = BlobRef.of(history.payload().text());
        assertThat(ref.bytes()).isEqualTo(2 << 20);
        assertThat(ref.form()).isEqualTo(BlobRef.Form.JSON);
        for (Content content : List.of(
                windrow.job(job).payload().orElseThrow(),
                windrow.job(job).result().orElseThrow())) {
            try (InputStream in = content.open()) {
                assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8))
                        .isEqualTo(text.text());
            }
        }
        assertThatThrownBy(() -> windrow.job(99_999).payload()).isInstanceOf(JobNotFoundException.class);
    }

    @Test
    void contentMayBeAFileOrBytesAndIsRepeatable() throws Exception {
        Path file = folder.resolve("in.bin");
        byte[] bytes = new byte[3 * Stage.MAX_BYTES];
        new Random(1).nextBytes(bytes);
        Files.write(file, bytes);
        start(worker().handle(BYTES, (input, job) -> {
            assertThat(input.size()).isEqualTo(bytes.length);
            assertThat(input.sha256()).hasSize(64);
            try (InputStream once = input.open();
                    InputStream again = input.open()) {
                assertThat(once.readAllBytes()).isEqualTo(again.readAllBytes());
            }
            return input;
        }));
        JobRef<Content> job = windrow.enqueue(BYTES, Content.of(file));
        Content result = windrow.await(job, PATIENCE);
        try (InputStream in = result.open()) {
            assertThat(in.readAllBytes()).isEqualTo(bytes);
        }
        JobRef<Content> empty =
                windrow.enqueue(JobType.of("test.empty", Content.class, Content.class), Content.of(new byte[0]));
        assertThat(windrow.job(empty).payload().orElseThrow().size()).isZero();
    }

    @Test
    void jsonIsReadableAsContentButBytesAreNotReadableAsJson() throws Exception {
        JobType<Content, Json> raw = JobType.of("test.echo", Content.class, Json.class);
        start(worker().handle(raw, (input, job) -> {
            try (InputStream in = input.open()) {
                return new Json(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
        }));
        JobRef<Json> job = windrow.enqueue(ECHO, new Json("[1]"));
        assertThat(windrow.await(job, PATIENCE)).isEqualTo(new Json("[1]"));

        JobType<Json, Json> bytes = JobType.raw("test.bytes");
        start(worker().handle(bytes, (input, context) -> input));
        JobRef<Content> wrong = windrow.enqueue(BYTES, Content.of(new byte[] {0}));
        untilState(wrong, JobState.FAILED);
        assertThat(history(wrong).job().errorCode()).isEqualTo(ErrorCodes.INVALID_PAYLOAD);
    }

    /** Streams twenty mebibytes from a generator through a job to a counter. At most a few parts are in memory at once. */
    @Test
    void twentyMebibytesAreNeverInMemory() throws Exception {
        long length = 20L << 20;
        long maxAhead = 8L * Stage.MAX_BYTES;
        AtomicLong written = new AtomicLong();
        AtomicLong ahead = new AtomicLong();
        faults.stage = real ->
                part -> real.apply(part).whenComplete((blob, failure) -> written.addAndGet(part.content().length));
        AtomicLong read = new AtomicLong();
        AtomicLong taken = new AtomicLong();
        faults.blobPart = real -> (blob, position) -> {
            byte[] part = real.apply(blob, position);
            ahead.accumulateAndGet(read.addAndGet(part.length) - taken.get(), Math::max);
            return part;
        };
        LongConsumer count = made -> {
            ahead.accumulateAndGet(made - written.get(), Math::max);
        };
        start(worker().handle(BYTES, (input, job) -> {
            assertThat(input.size()).isEqualTo(length);
            // Passes each byte on as it is read, so that the result is written while the payload is read.
            return Content.of(() -> {
                written.set(0);
                return new Counted(input.open(), taken);
            });
        }));
        JobRef<Content> job = windrow.enqueue(BYTES, Content.of(() -> new Generated(length, count)));
        Content result = windrow.await(job, PATIENCE);
        read.set(0);
        taken.set(0);
        try (InputStream in = new Counted(result.open(), taken);
                InputStream same = new Generated(length, made -> {})) {
            byte[] one = new byte[64 * 1024];
            byte[] two = new byte[64 * 1024];
            int count1;
            while ((count1 = in.readNBytes(one, 0, one.length)) > 0) {
                assertThat(same.readNBytes(two, 0, count1)).isEqualTo(count1);
                assertThat(one).isEqualTo(two);
            }
        }
        assertThat(taken).hasValue(length);
        assertThat(ahead.get()).isPositive().isLessThanOrEqualTo(maxAhead);
        assertThat(HexFormat.of().parseHex(result.sha256())).hasSize(32);
    }

    /** Bytes that are generated when they are read, with their count. */
    private static final class Generated extends InputStream {
        private final long length;
        private final LongConsumer told;
        private long made;

        Generated(long length, LongConsumer told) {
            this.length = length;
            this.told = told;
        }

        @Override
        public int read() {
            return made == length ? -1 : (int) ((made++ * 31) >> 3) & 0xff;
        }

        @Override
        public int read(byte[] into, int offset, int count) {
            int n = (int) Math.min(count, length - made);
            for (int i = 0; i < n; i++) {
                into[offset + i] = (byte) read();
            }
            told.accept(made);
            return n == 0 && count > 0 ? -1 : n;
        }
    }

    /** A sink that counts its bytes. */
    private static final class Counted extends InputStream {
        private final InputStream in;
        private final AtomicLong taken;

        Counted(InputStream in, AtomicLong taken) {
            this.in = in;
            this.taken = taken;
        }

        @Override
        public int read() throws IOException {
            int one = in.read();
            taken.addAndGet(one < 0 ? 0 : 1);
            return one;
        }

        @Override
        public int read(byte[] into, int offset, int count) throws IOException {
            int n = in.read(into, offset, count);
            taken.addAndGet(Math.max(0, n));
            return n;
        }

        @Override
        public void close() throws IOException {
            in.close();
        }
    }
}
