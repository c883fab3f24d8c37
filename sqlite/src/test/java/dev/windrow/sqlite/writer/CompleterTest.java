package dev.windrow.sqlite.writer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.contract.NewRow;
import dev.windrow.contract.StoreDriver;
import dev.windrow.sqlite.Stores;
import dev.windrow.sqlite.connection.SqliteFile;
import dev.windrow.store.Author;
import dev.windrow.store.Command;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.EnqueuedJob;
import dev.windrow.store.job.Touch;
import dev.windrow.store.retention.Expire;
import dev.windrow.store.sql.writer.Batch;
import dev.windrow.store.sql.writer.Submission;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(120)
class CompleterTest {
    private final List<Thread> made = new ArrayList<>();
    private final Completer completer = new Completer(Submission::complete, task -> {
        Thread thread = new Thread(task, "completer");
        made.add(thread);
        return thread;
    });

    @TempDir
    Path folder;

    @AfterEach
    void closeIt() throws Exception {
        completer.close(0);
        for (Thread thread : made) {
            thread.join(60_000);
            assertThat(thread.isAlive()).isFalse();
        }
    }

    private static List<Submission<?>> touches(int count) {
        return IntStream.range(0, count)
                .<Submission<?>>mapToObj(i -> new Submission<>(new Touch()))
                .toList();
    }

    /** Returns the names of the threads that complete these submissions. */
    private static List<CompletableFuture<String>> completedBy(List<Submission<?>> submissions) {
        return submissions.stream()
                .map(submission -> submission
                        .future()
                        .<String>handle(
                                (result, failure) -> Thread.currentThread().getName()))
                .toList();
    }

    private static List<String> names(List<CompletableFuture<String>> completedBy) throws Exception {
        List<String> names = new ArrayList<>();
        for (CompletableFuture<String> name : completedBy) {
            names.add(name.get(60, TimeUnit.SECONDS));
        }
        return names.stream().distinct().toList();
    }

    private static String here() {
        return Thread.currentThread().getName();
    }

    @Test
    void fewAreCompletedByTheCallingThread() throws Exception {
        List<Submission<?>> few = touches(Completer.MANY - 1);
        List<CompletableFuture<String>> completedBy = completedBy(few);
        completer.complete(few);
        assertThat(completedBy).allMatch(CompletableFuture::isDone);
        assertThat(names(completedBy)).containsExactly(here());
        assertThat(made).isEmpty();
    }

    @Test
    void manyAreCompletedByTheThreadAndClaimsByTheCallingThread() throws Exception {
        List<Submission<?>> touches = touches(Completer.MANY);
        Submission<?> claim = new Submission<>(StoreDriver.request(5));
        List<CompletableFuture<String>> completedBy = completedBy(touches);
        List<CompletableFuture<String>> claimedBy = completedBy(List.of(claim));
        completer.complete(Stream.concat(touches.stream(), Stream.of(claim)).toList());
        assertThat(claimedBy).allMatch(CompletableFuture::isDone);
        assertThat(names(claimedBy)).containsExactly(here());
        assertThat(names(completedBy)).containsExactly("completer");
    }

    @Test
    void whileTheThreadIsBusyTheCallingThreadCompletes() throws Exception {
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch goesOn = new CountDownLatch(1);
        List<Submission<?>> first = touches(Completer.MANY);
        CompletableFuture<?> held = first.get(0).future().thenRun(() -> {
            arrived.countDown();
            awaitUninterrupted(goesOn);
        });
        completer.complete(first);
        awaitUninterrupted(arrived);
        List<Submission<?>> second = touches(Completer.MANY);
        List<CompletableFuture<String>> completedBy = completedBy(second);
        completer.complete(second);
        assertThat(completedBy).allMatch(CompletableFuture::isDone);
        assertThat(names(completedBy)).containsExactly(here());
        assertThat(held).isNotDone();
        assertThat(completer.isBusy())
                .as("it still knows what the thread completes")
                .isTrue();
        goesOn.countDown();
        for (Submission<?> submission : first) {
            Object unused = submission.future().get(60, TimeUnit.SECONDS);
        }
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void withoutMemoryForTheThreadTheCallingThreadCompletes() throws Exception {
        Completer poor = new Completer(Submission::complete, task -> {
            throw new OutOfMemoryError("told to fail");
        });
        List<Submission<?>> many = touches(Completer.MANY);
        List<CompletableFuture<String>> completedBy = completedBy(many);
        poor.complete(many);
        assertThat(completedBy).allMatch(CompletableFuture::isDone);
        assertThat(names(completedBy)).containsExactly(here());
        poor.close(0);
    }

    @Test
    void afterTheEndTheCallingThreadCompletes() throws Exception {
        completer.close(0);
        List<Submission<?>> many = touches(Completer.MANY);
        List<CompletableFuture<String>> completedBy = completedBy(many);
        completer.complete(many);
        assertThat(names(completedBy)).containsExactly(here());
    }

    /** Holds the first transaction until the others are queued; then fails once on the writer's thread after an Expire was committed. */
    private static final class Trouble implements Writer.Probe {
        final CountDownLatch queued = new CountDownLatch(1);
        final CountDownLatch began = new CountDownLatch(1);
        final CountDownLatch held = new CountDownLatch(1);
        final AtomicBoolean fails = new AtomicBoolean();

        @Override
        public void began(SqliteFile.Opened database, Batch batch) {
            began.countDown();
            awaitUninterrupted(queued);
        }

        @Override
        public void committing(Batch batch) {
            fails.set(batch.has(Expire.class));
        }

        @Override
        public int longestLog() {
            if (fails.getAndSet(false)) {
                awaitUninterrupted(held);
                throw new OutOfMemoryError("told to fail");
            }
            return Writer.LONGEST_LOG;
        }
    }

    /** A commit of 64 new jobs, and a callback that holds its completer at the first of them. */
    private final class Held implements AutoCloseable {
        final CountDownLatch goesOn = new CountDownLatch(1);
        final List<CompletableFuture<List<EnqueuedJob>>> jobs = new ArrayList<>();
        final List<CompletableFuture<String>> completedBy;

        Held(StoreDriver store, Trouble trouble, Command<?>... others) {
            CompletableFuture<Void> first = store.store().submit(new Touch());
            awaitUninterrupted(trouble.began);
            for (int i = 0; i < 64; i++) {
                jobs.add(store.store().submit(new Enqueue(List.of(NewRow.job().row()))));
            }
            for (Command<?> other : others) {
                CompletableFuture<?> unused = store.store().submit(other);
            }
            completedBy = jobs.stream().map(job -> job.thenApply(ids -> here())).toList();
            CompletableFuture<Void> held = jobs.get(0).thenRun(() -> {
                trouble.held.countDown();
                awaitUninterrupted(goesOn);
            });
            trouble.queued.countDown();
            awaitUninterrupted(trouble.held);
            assertThat(first).isDone();
            assertThat(held).isNotDone();
        }

        @Override
        public void close() {
            goesOn.countDown();
        }
    }

    private StoreDriver open(Duration timeout, Writer.Probe probe) {
        return Stores.open(folder.resolve("jobs.db"), timeout, probe);
    }

    @Test
    void manyCommandsOfAStoreAreCompletedByItsThread() throws Exception {
        Trouble trouble = new Trouble();
        try (StoreDriver store = open(Duration.ofSeconds(60), trouble);
                Held held = new Held(store, trouble)) {
            held.goesOn.countDown();
            assertThat(names(held.completedBy)).containsExactly("windrow-completer-jobs.db");
        }
    }

    @Test
    void anErrorAfterTheCommitFailsNothingThatIsCommitted() throws Exception {
        Trouble trouble = new Trouble();
        Expire.Pass pass = new Expire.Pass(new Author("retention", null), "", 0, null);
        try (StoreDriver store = open(Duration.ofSeconds(60), trouble);
                Held held = new Held(store, trouble, new Expire(List.of(), pass, null, Map.of(), 0))) {
            // The writer continues after its error.
            Void unused = StoreDriver.answer(store.store().submit(new Touch()));
            assertThat(trouble.fails).isFalse();
            held.goesOn.countDown();
            for (CompletableFuture<List<EnqueuedJob>> job : held.jobs) {
                assertThat(StoreDriver.answer(job)).hasSize(1);
            }
            assertThat(store.count(JobState.PENDING)).isEqualTo(64);
        }
    }

    @Test
    void aCallbackThatHangsHoldsNoOtherAnswerBackForLongerThanTheTimeout() throws Exception {
        Trouble trouble = new Trouble();
        try (StoreDriver store = open(Duration.ofSeconds(3), trouble);
                Held held = new Held(store, trouble)) {
            for (CompletableFuture<List<EnqueuedJob>> job : held.jobs) {
                assertThat(StoreDriver.answer(job)).hasSize(1);
            }
        }
    }

    @Test
    void aCommittedBatchThatTheWriterCompletesItselfDoesNotGetAnUnknownOutcome() throws Exception {
        Trouble trouble = new Trouble();
        StoreDriver store = open(Duration.ofSeconds(3), trouble);
        CountDownLatch goesOn = new CountDownLatch(1);
        try {
            CompletableFuture<Void> first = store.store().submit(new Touch());
            awaitUninterrupted(trouble.began);
            List<CompletableFuture<List<EnqueuedJob>>> jobs = new ArrayList<>();
            for (int i = 0; i < Completer.MANY - 1; i++) {
                jobs.add(store.store().submit(new Enqueue(List.of(NewRow.job().row()))));
            }
            CompletableFuture<Void> held = jobs.get(0).thenRun(() -> {
                trouble.held.countDown();
                awaitUninterrupted(goesOn);
            });
            trouble.queued.countDown();
            awaitUninterrupted(trouble.held);
            for (CompletableFuture<List<EnqueuedJob>> job : jobs) {
                assertThat(StoreDriver.answer(job)).hasSize(1);
            }
            assertThat(first).isDone();
            assertThat(held).isNotDone();
        } finally {
            goesOn.countDown();
            store.close();
        }
    }

    @Test
    void closingTheStoreWaitsForTheCompleter() throws Exception {
        Trouble trouble = new Trouble();
        StoreDriver store = open(Duration.ofSeconds(60), trouble);
        Thread closer = new Thread(store::close);
        Held held = new Held(store, trouble);
        try (held) {
            closer.start();
            Awaitility.await().until(() -> closer.getState() == Thread.State.TIMED_WAITING);
        }
        closer.join(60_000);
        assertThat(closer.isAlive()).isFalse();
        assertThat(held.jobs).allMatch(CompletableFuture::isDone);
    }
}
