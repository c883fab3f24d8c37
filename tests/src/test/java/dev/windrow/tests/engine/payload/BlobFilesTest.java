package dev.windrow.tests.engine.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.ErrorCodes;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.payload.BlobFolder;
import dev.windrow.payload.Content;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.retention.Cleanup;
import dev.windrow.retention.CleanupFailedException;
import dev.windrow.retention.RetentionResult;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.engine.FaultyStore;
import dev.windrow.tests.stores.OnEachStore;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.sql.Connection;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Long payloads and results in files of a folder: one file each, deleted with their jobs. */
@OnEachStore
class BlobFilesTest extends EngineTest {
    private static final JobType<Content, Content> BYTES = JobType.of("test.bytes", Content.class, Content.class);
    private static final Json LONG = new Json("\"" + "é".repeat(200_000) + "\"");

    private Path blobs;
    private Windrow filing;

    @BeforeEach
    void openWithFiles() throws IOException {
        blobs = Files.createDirectory(folder.resolve("blobs"));
        filing = openWith(blobs);
    }

    private Windrow openWith(Path place) {
        return closing(Windrow.configure(newStore())
                .time(time)
                .maxContentBytes(4 << 20)
                .blobFiles(BlobFolder.at(place))
                .open());
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> files = Files.list(blobs)) {
            return files.toList();
        }
    }

    private Worker echo(Windrow by) {
        return start(
                by.worker().lease(LEASE).handle(ECHO, (input, job) -> input).handle(BYTES, (input, job) -> input));
    }

    private void written(Path file, Duration ago) throws IOException {
        Files.setLastModifiedTime(file, FileTime.from(time.now().minus(ago)));
    }

    /** Starts a worker, whose first round sweeps. */
    private void sweep() {
        Windrow sweeping = openWith(blobs);
        start(sweeping.worker().lease(LEASE).handle(JobType.raw("test.none"), (input, job) -> input));
    }

    @Test
    void eachBlobHasItsOwnFileAndNoRowsInTheDatabase() throws IOException {
        echo(filing);
        JobRef<Json> job = filing.enqueue(ECHO, LONG);
        assertThat(filing.await(job, PATIENCE)).isEqualTo(LONG);
        assertThat(files()).hasSize(2);
        assertThat(target.rows("SELECT coalesce(sum(length(content)), 0) FROM windrow_blob_chunks"))
                .containsExactly("0");
        assertThat(filing.monitor().diagnose().failed()).isEmpty();
        assertThat(filing.job(job).history().payload()).isEqualTo(LONG);

        byte[] bytes = new byte[1 << 20];
        Arrays.fill(bytes, (byte) 7);
        JobRef<Content> streamed = filing.enqueue(BYTES, Content.of(bytes));
        try (InputStream in = filing.await(streamed, PATIENCE).open()) {
            assertThat(in.readAllBytes()).isEqualTo(bytes);
        }
        JobRef<Content> empty = filing.enqueue(BYTES, Content.of(new byte[0]));
        try (InputStream in = filing.await(empty, PATIENCE).open()) {
            assertThat(in.readAllBytes()).isEmpty();
        }
    }

    @Test
    void blobsInTheDatabaseStayThereAndAreReadable() throws IOException {
        JobRef<Json> before = windrow.enqueue(ECHO, LONG);
        echo(filing);
        assertThat(filing.await(before, PATIENCE)).isEqualTo(LONG);
        assertThat(files()).hasSize(1);
    }

    @Test
    void aWorkerWithoutTheFolderFailsAnAttemptWithTheReason() {
        JobRef<Json> job = filing.enqueue(ECHO.job(LONG).withMaxAttempts(2));
        Worker without = echo(windrow);
        untilState(job, JobState.SCHEDULED);
        without.stopNow();
        assertThat(filing.job(job).history().attempts().get(0).errorDetail()).contains("blobFiles");
        echo(filing);
        runClockUntil(Duration.ofSeconds(1), () -> state(job) == JobState.COMPLETED);
    }

    @Test
    void aLostOrReplacedFileFailsItsJob() throws IOException {
        JobRef<Json> lost = filing.enqueue(ECHO, LONG);
        Files.delete(files().get(0));
        JobRef<Json> changed = filing.enqueue(ECHO, LONG);
        byte[] content = Files.readAllBytes(files().get(0));
        content[content.length / 2] ^= 1;
        Files.write(files().get(0), content);
        echo(filing);
        for (JobRef<Json> job : List.of(lost, changed)) {
            until(() -> filing.job(job).history().job().state() == JobState.FAILED);
            assertThat(filing.job(job).history().job().errorCode()).isEqualTo(ErrorCodes.INTERNAL_CONTENT);
        }
    }

    @Test
    void onlyTheFilesOfADeletedJobAreSwept() throws IOException {
        Path notes = Files.writeString(blobs.resolve("notes.txt"), "not ours");
        Path foreign = Files.writeString(blobs.resolve("foreign.blob"), "not ours");
        JobRef<Json> gone = filing.enqueue(ECHO, LONG);
        JobRef<Json> kept = filing.enqueue(ECHO, LONG);
        for (Path file : files()) {
            written(file, Duration.ofDays(2));
        }
        filing.job(gone).cancel();
        filing.job(gone).delete();
        assertThat(files()).hasSize(4);
        sweep();
        until(() -> files().size() == 3);
        assertThat(notes).exists();
        assertThat(foreign).exists();
        assertThat(filing.job(kept).history().payload()).isEqualTo(LONG);
    }

    private static final Cleanup CANCELLED = Cleanup.BY_THE_RULES.withAge(JobState.CANCELLED, Duration.ZERO);

    /** Returns the exception of a retention pass, or null if the pass ends normally. */
    private @Nullable Throwable cleanup(Windrow by) {
        CompletableFuture<Void> done = onItsOwnThread(() -> {
            RetentionResult unused = by.retention().cleanup(CANCELLED);
        });
        runClockUntil(Duration.ofMillis(5), done::isDone);
        return done.handle((nothing, e) -> e == null ? null : e.getCause()).join();
    }

    private Windrow filingWith(FaultyStore store) {
        return closing(Windrow.configure(store)
                .time(time)
                .blobFiles(BlobFolder.at(blobs))
                .open());
    }

    @Test
    void retentionDeletesFilesAfterItsCommit() throws IOException {
        JobRef<Json> kept = filing.enqueue(ECHO, LONG);
        JobRef<Json> gone = filing.enqueue(ECHO, LONG);
        filing.job(gone).cancel();
        assertThat(files()).hasSize(2);
        assertThat(cleanup(filing)).isNull();
        assertThat(files()).hasSize(1);
        assertThat(filing.job(kept).history().payload()).isEqualTo(LONG);
        // A process without a blob folder leaves the files to processes that have one.
        filing.job(kept).cancel();
        assertThat(cleanup(windrow)).isNull();
        assertThat(filing.job(kept).exists()).isFalse();
        assertThat(files()).hasSize(1);
    }

    @Test
    void theFileStaysWhenTheJobIsNotDeleted() throws IOException {
        FaultyStore failing = new FaultyStore(newStore());
        failing.expire = real -> batch -> CompletableFuture.failedFuture(new StoreUnavailableException("full"));
        Windrow engine = filingWith(failing);
        JobRef<Json> job = engine.enqueue(ECHO, LONG);
        engine.job(job).cancel();
        assertThat(cleanup(engine)).isInstanceOf(CleanupFailedException.class);
        assertThat(files()).hasSize(1);
        assertThat(engine.job(job).history().payload()).isEqualTo(LONG);
    }

    @Test
    void theFileOfAJobWhoseDeleterDiesAfterTheCommitIsSwept() throws IOException {
        FaultyStore dying = new FaultyStore(newStore());
        dying.expire = real -> batch -> real.apply(batch).thenApply(done -> {
            throw new OutcomeUnknownException("the process died", List.of());
        });
        Windrow engine = filingWith(dying);
        JobRef<Json> job = engine.enqueue(ECHO, LONG);
        engine.job(job).cancel();
        assertThat(cleanup(engine)).isInstanceOf(CleanupFailedException.class);
        assertThat(engine.job(job).exists()).isFalse();
        assertThat(files()).hasSize(1);
        written(files().get(0), Duration.ofDays(2));
        sweep();
        until(() -> files().isEmpty());
    }

    @Test
    void theFileOfARolledBackTransactionStaysForADay() throws Exception {
        for (int i = 0; i < 2; i++) {
            try (Connection connection = target.begin()) {
                filing.on(connection).enqueue(ECHO, LONG);
                connection.rollback();
            }
        }
        assertThat(files()).hasSize(2);
        written(files().get(0), Duration.ofHours(23));
        written(files().get(1), Duration.ofHours(25));
        Path young = files().get(0);
        sweep();
        until(() -> files().size() == 1);
        assertThat(files()).containsExactly(young);
        try (Connection connection = target.begin()) {
            filing.on(connection).enqueue(ECHO, LONG);
            connection.commit();
        }
        echo(filing);
        until(() -> filing.jobs(JobFilter.inState(JobState.COMPLETED))
                        .newestFirst()
                        .limit(1)
                        .page()
                        .jobs()
                        .size()
                == 1);
    }

    @Test
    void aBlobThatCannotBeWrittenLeavesNoFile() throws IOException {
        Content tooLong = Content.of(() ->
                new SequenceInputStream(InputStream.nullInputStream(), new ByteArrayInputStream(new byte[5 << 20])));
        assertThatThrownBy(() -> filing.enqueue(BYTES, tooLong))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("4194304");
        Content broken = Content.of(() -> {
            InputStream closed = InputStream.nullInputStream();
            closed.close();
            return closed;
        });
        assertThatThrownBy(() -> filing.enqueue(BYTES, broken))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("Stream closed");
        assertThat(files()).isEmpty();
        Files.delete(blobs);
        assertThatThrownBy(() -> filing.enqueue(ECHO, LONG))
                .isInstanceOf(StoreUnavailableException.class)
                .hasMessageContaining(blobs.toString());
        until(() -> target.rows("SELECT count(*) FROM windrow_blobs").get(0).equals("0"));
        assertThat(filing.jobs(JobFilter.ALL).newestFirst().limit(10).page().jobs())
                .isEmpty();
        assertThatThrownBy(() -> BlobFolder.at(blobs)).isInstanceOf(InvalidRequestException.class);
        Files.createDirectory(blobs);
        assertThatThrownBy(() -> BlobFolder.at(blobs).open("../secret")).isInstanceOf(InvalidRequestException.class);
    }
}
