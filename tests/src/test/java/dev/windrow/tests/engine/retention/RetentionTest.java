package dev.windrow.tests.engine.retention;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.Dedupe;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobFailure;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobNotFoundException;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.Store;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.monitor.AuditEntry;
import dev.windrow.monitor.AuditFilter;
import dev.windrow.monitor.Health;
import dev.windrow.payload.ContentLostException;
import dev.windrow.payload.Json;
import dev.windrow.query.JobFilter;
import dev.windrow.retention.Cleanup;
import dev.windrow.retention.CleanupFailedException;
import dev.windrow.retention.RetentionResult;
import dev.windrow.retention.RetentionRules;
import dev.windrow.store.OpenStore;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.processes.BackgroundTask;
import dev.windrow.store.retention.Expire;
import dev.windrow.store.retention.Expiry;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnceOnEachStore;
import dev.windrow.workflow.ParentPolicy;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Retention while the engine runs: the process that leads the task, and the effect of a pass. */
@OnceOnEachStore
class RetentionTest extends EngineTest {
    private static final JobType<Json, Json> LEFT = JobType.raw("test.left");
    private static final Duration STEP = Duration.ofSeconds(20);
    private static final Duration MONTH = Duration.ofDays(31);
    private static final Cleanup ALL_CANCELLED = Cleanup.BY_THE_RULES.withAge(JobState.CANCELLED, Duration.ZERO);

    private void startWorker(Windrow engine) {
        start(engine.worker().lease(LEASE).concurrency(1).handle(ECHO, (input, job) -> input));
    }

    /** Opens an engine without retention, in the part of another process. */
    private Windrow without(Store store) {
        return closing(Windrow.configure(store).time(time).withoutRetention().open());
    }

    /** Returns a cancelled job of a type that no worker runs. */
    private JobRef<Json> cancelled() {
        JobRef<Json> job = enqueue(LEFT);
        windrow.job(job).cancel();
        return job;
    }

    private List<JobRef<Json>> cancelled(int count) {
        List<JobRef<Json>> jobs = new ArrayList<>();
        windrow.enqueueAll(Collections.nCopies(count, ECHO.job(new Json("{}"))))
                .forEach(job -> jobs.add(JobRef.raw(job.id())));
        windrow.jobs(JobFilter.ALL).cancel();
        return jobs;
    }

    private boolean isGone(JobRef<?> job) {
        return !windrow.job(job).exists();
    }

    private RetentionResult preview(Cleanup cleanup) {
        return whileTheClockRuns(() -> windrow.retention().preview(cleanup));
    }

    private RetentionResult cleanup(Cleanup cleanup) {
        return whileTheClockRuns(() -> windrow.retention().cleanup(cleanup));
    }

    private RetentionResult whileTheClockRuns(Supplier<RetentionResult> pass) {
        CompletableFuture<RetentionResult> done = onItsOwnThread(pass);
        runClockUntil(Duration.ofMillis(5), done::isDone);
        return done.join();
    }

    private List<AuditEntry> expiries() {
        return windrow.monitor().audit(AuditFilter.ALL).limit(100).page().entries().stream()
                .filter(entry -> entry.action().equals("EXPIRE"))
                .toList();
    }

    // ---- the task
    // -----------------------------------------------------------------------------------------------------

    @Test
    void aWorkersProcessDeletesOldJobsEveryHour() {
        startWorker(windrow);
        JobRef<Json> first = cancelled();
        time.advance(MONTH);
        runClockUntil(STEP, () -> isGone(first));
        runClockUntil(STEP, () -> faults.task(BackgroundTask.RETENTION).lastMillis() != null);
        BackgroundTask.State state = faults.task(BackgroundTask.RETENTION);
        assertThat(state.detail()).contains("\"CANCELLED\":1");
        assertThat(expiries())
                .singleElement()
                .satisfies(entry -> assertThat(entry.actor()).isEqualTo("retention"));
        JobRef<Json> second = cancelled();
        windrow.retention().keep(JobState.CANCELLED, Duration.ZERO);
        runClockUntil(STEP, () -> isGone(second));
        long last = state.lastMillis() == null ? 0 : state.lastMillis();
        assertThat(time.millis() - last)
                .isGreaterThanOrEqualTo(Duration.ofHours(1).toMillis());
        assertThat(windrow.monitor().health().tasks()).anySatisfy(task -> {
            assertThat(task.name()).isEqualTo("windrow-retention");
            assertThat(task.isOk()).isTrue();
        });
    }

    @Test
    void aProcessWithoutRetentionLeavesItToOtherProcesses() {
        Windrow other = without(newStore());
        startWorker(other);
        JobRef<Json> job = cancelled();
        time.advance(MONTH);
        runClock(STEP, 20);
        assertThat(isGone(job)).isFalse();
        assertThat(other.monitor().health().tasks())
                .extracting(Health.Task::name)
                .doesNotContain("windrow-retention");
        startWorker(windrow);
        runClockUntil(STEP, () -> isGone(job));
    }

    @Test
    void aProcessClosedDuringAPassFreesTheBackgroundTaskAtOnce() {
        CountDownLatch began = new CountDownLatch(1);
        faults.expire = real -> batch -> {
            began.countDown();
            return CompletableFuture.completedFuture(
                    Expiry.Done.later(batch, Duration.ofHours(1).toNanos()));
        };
        startWorker(windrow);
        cancelled();
        time.advance(MONTH);
        runClockUntil(STEP, () -> began.getCount() == 0);
        assertThat(faults.task(BackgroundTask.RETENTION).holder()).isNotNull();
        OpenStore other = openBareStore();
        windrow.close();
        assertThat(other.task(BackgroundTask.RETENTION).holder()).isNull();
        assertThat(other.task(BackgroundTask.RETENTION).lastMillis()).isNull();
    }

    @Test
    void aProcessThatHangsInAPassLosesTheBackgroundTaskToAnother() {
        CountDownLatch hangs = new CountDownLatch(1);
        CountDownLatch let = new CountDownLatch(1);
        faults.expire = real -> batch -> {
            hangs.countDown();
            take(let);
            return real.apply(batch);
        };
        startWorker(windrow);
        JobRef<Json> job = cancelled();
        time.advance(MONTH);
        runClockUntil(STEP, () -> hangs.getCount() == 0);
        String holder = faults.task(BackgroundTask.RETENTION).holder();
        assertThat(holder).isNotNull();
        startWorker(closing(
                Windrow.configure(newStore()).time(time).random(new Random(7)).open()));
        runClockUntil(STEP, () -> isGone(job));
        runClockUntil(STEP, () -> faults.task(BackgroundTask.RETENTION).lastMillis() != null);
        let.countDown();
        runClock(STEP, 10);
        assertThat(faults.task(BackgroundTask.RETENTION).holder()).isNotEqualTo(holder);
        assertThat(expiries())
                .singleElement()
                .satisfies(entry -> assertThat(entry.changed()).isEqualTo(1));
    }

    @Test
    void aFailingArchiveKeepsTheJobsAndIsReportedUntilItWorks() {
        AtomicBoolean full = new AtomicBoolean(true);
        List<JobHistory> archived = new CopyOnWriteArrayList<>();
        Windrow archiving = closing(Windrow.configure(newStore())
                .time(time)
                .archive(jobs -> {
                    if (full.get()) {
                        throw new IOException("the archive is full");
                    }
                    archived.addAll(jobs);
                })
                .open());
        startWorker(archiving);
        JobRef<Json> job = cancelled();
        time.advance(MONTH);
        runClockUntil(
                STEP,
                () -> archiving.monitor().health().tasks().stream()
                        .anyMatch(task -> String.valueOf(task.problem()).contains("the archive is full")));
        assertThat(isGone(job)).isFalse();
        full.set(false);
        runClockUntil(STEP, () -> isGone(job));
        assertThat(archived).singleElement().satisfies(history -> {
            assertThat(history.job().id()).isEqualTo(job.id());
            assertThat(history.payload()).isEqualTo(new Json("{}"));
            assertThat(history.events()).hasSize(2);
        });
    }

    @Test
    void aClockThatJumpsAheadDeletesNothingForAnHour() {
        startWorker(windrow);
        JobRef<Json> job = cancelled();
        // The task has run once, and has compared the clocks.
        runClockUntil(STEP, () -> faults.task(BackgroundTask.RETENTION).lastMillis() != null);
        time.stepWall(Duration.ofDays(400));
        runClock(STEP, 90);
        assertThat(isGone(job)).isFalse();
        time.stepWall(Duration.ofDays(-400));
        runClock(Duration.ofMinutes(5), 30);
        assertThat(isGone(job)).isFalse();
        time.advance(MONTH);
        runClockUntil(STEP, () -> isGone(job));
    }

    @Test
    void theIntervalOfPassesIsValidated() {
        Windrow.Builder builder = Windrow.configure(newStore());
        assertThatThrownBy(() -> builder.retentionEvery(Duration.ofMillis(10)))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("1s to 7d");
    }

    // ---- a pass
    // ---------------------------------------------------------------------------------------------------------

    @Test
    void aPassDeletesByTheRulesOrByOtherAges() {
        assertThat(windrow.retention().keepForever(JobState.FAILED, ECHO.name()).keep(JobState.FAILED, ECHO.name()))
                .isNull();
        assertThat(windrow.retention()).isNotEqualTo(RetentionRules.DEFAULT);
        assertThat(windrow.retention().reset(JobState.FAILED, ECHO.name())).isEqualTo(RetentionRules.DEFAULT);
        List<JobRef<Json>> jobs = cancelled(20);
        assertThat(cleanup(Cleanup.BY_THE_RULES).total()).isZero();
        Cleanup all = Cleanup.BY_THE_RULES.withAge(JobState.CANCELLED, Duration.ZERO);
        RetentionResult dry = preview(all);
        assertThat(dry.deleted()).containsEntry(JobState.CANCELLED, 20L).containsEntry(JobState.FAILED, 0L);
        assertThat(jobs).noneMatch(this::isGone);
        assertThat(cleanup(all.withType("test.other")).total()).isZero();
        assertThat(cleanup(all.withMaxJobs(5))).isEqualTo(new RetentionResult(Map.of(JobState.CANCELLED, 5L), 0, true));
        RetentionResult rest = cleanup(all);
        assertThat(rest).isEqualTo(new RetentionResult(Map.of(JobState.CANCELLED, 15L), 0, true));
        assertThat(jobs).allMatch(this::isGone);
    }

    @Test
    void onePassDeletesAFamilyOfAnyDepth() {
        JobRef<Json> parent = enqueue(ECHO);
        List<JobRef<Json>> family = new ArrayList<>(List.of(parent));
        for (int i = 0; i < 5; i++) {
            family.add(
                    windrow.enqueue(ECHO.job(new Json("{}")).withParents(ParentPolicy.WAIT, List.of(family.get(i)))));
        }
        windrow.jobs(JobFilter.ALL).cancel();
        RetentionResult done = cleanup(Cleanup.BY_THE_RULES.withAge(JobState.CANCELLED, Duration.ZERO));
        assertThat(done.total()).isEqualTo(6);
        assertThat(family).allMatch(this::isGone);
    }

    /** Enqueues a failed job and a child that was cancelled by its end. The pass reads the failed job before the cancelled one. */
    private void failedFamily() {
        JobRef<Json> parent = enqueue(LEFT);
        windrow.enqueue(LEFT.job(new Json("{}")).withParents(ParentPolicy.CANCEL, List.of(parent)));
        windrow.job(parent).fail("TEST:END");
    }

    private static final Cleanup ALL =
            ALL_CANCELLED.withAge(JobState.FAILED, Duration.ZERO).withAge(JobState.COMPLETED, Duration.ZERO);

    @Test
    void parentsAreDeletedInTheSamePassAsTheirDependents() {
        failedFamily();
        assertThat(cleanup(ALL))
                .as("in the second round, after which nothing is kept")
                .isEqualTo(new RetentionResult(Map.of(JobState.FAILED, 1L, JobState.CANCELLED, 1L), 0, true));
    }

    /** Returns a job that has ended in this state, with a child that has not ended. */
    private JobRef<Json> needed(JobState state) {
        JobRef<Json> parent = enqueue(LEFT);
        windrow.enqueue(LEFT.job(new Json("{}")).withParents(ParentPolicy.RUN, List.of(parent, enqueue(LEFT))));
        if (state == JobState.FAILED) {
            windrow.job(parent).fail("TEST:END");
        } else {
            windrow.job(parent).complete(new Json("{}"));
        }
        return parent;
    }

    @Test
    void keptJobsAreCountedOnceAndRoundsEndWhenNothingIsDeleted() {
        needed(JobState.FAILED);
        needed(JobState.COMPLETED);
        assertThat(cleanup(ALL)).isEqualTo(new RetentionResult(Map.of(), 2, true));
        cancelled();
        AtomicInteger rounds = new AtomicInteger();
        faults.expiring = real -> search -> {
            Expiry.Place from = Objects.requireNonNull(search.from());
            if (from.after() == Long.MIN_VALUE && from.state() == JobState.FAILED) {
                rounds.incrementAndGet();
            }
            return real.apply(search);
        };
        assertThat(cleanup(ALL)).isEqualTo(new RetentionResult(Map.of(JobState.CANCELLED, 1L), 2, true));
        assertThat(rounds).hasValue(2);
    }

    @Test
    void jobsChangedSinceTheyWereFoundCountAsKept() {
        JobRef<Json> job = cancelled();
        faults.expire = real -> batch -> {
            windrow.job(job).retry();
            return real.apply(batch);
        };
        assertThat(cleanup(ALL)).isEqualTo(new RetentionResult(Map.of(), 1, true));
        assertThat(isGone(job)).isFalse();
    }

    @Test
    void theAuditRecordsTheAgesAndTheTotalOfAllBatches() {
        cancelled(300);
        cleanup(ALL_CANCELLED);
        assertThat(expiries()).singleElement().satisfies(entry -> {
            assertThat(entry.changed()).isEqualTo(300);
            assertThat(String.valueOf(entry.detail()))
                    .contains("COMPLETED 30d, FAILED 90d, CANCELLED 0s", "\"CANCELLED\":300");
        });
    }

    @Test
    void onlyAPassOfAllTypesDeletesOtherRowsAndADryRunDoesNot() {
        for (int i = 1; i <= 501; i++) {
            windrow.retention().keep(JobState.FAILED, Duration.ofDays(i));
        }
        time.advance(Duration.ofDays(366));
        long staged = faults.submit(Stage.first(new byte[] {'1'}, null)).join();
        time.advance(Duration.ofHours(1));
        AtomicInteger sweeps = new AtomicInteger();
        faults.sweepStaged = real -> (age, limit) -> {
            sweeps.incrementAndGet();
            return real.apply(age, limit);
        };
        preview(Cleanup.BY_THE_RULES);
        assertThat(sweeps).hasValue(0);
        assertThat(windrow.monitor().audit(AuditFilter.ALL).limit(1000).page().entries())
                .hasSize(501);
        cleanup(Cleanup.BY_THE_RULES.withType("test.echo"));
        assertThat(windrow.monitor().audit(AuditFilter.ALL).limit(1000).page().entries())
                .hasSize(501);
        cleanup(Cleanup.BY_THE_RULES);
        assertThat(windrow.monitor().audit(AuditFilter.ALL).limit(1000).page().entries())
                .isEmpty();
        assertThat(faults.existingBlobs(List.of(staged)))
                .as("that somebody is about to give to a job")
                .containsExactly(staged);
    }

    @Test
    void aFailingRecountDoesNotKeepThePassFromItsEnd() {
        windrow.retention().keep(JobState.FAILED, Duration.ofDays(7));
        time.advance(Duration.ofDays(366));
        AtomicInteger counts = new AtomicInteger();
        faults.wrongFailureSums = real -> () -> {
            counts.incrementAndGet();
            throw new StoreUnavailableException("it takes too long");
        };
        assertThat(cleanup(Cleanup.BY_THE_RULES).complete()).isTrue();
        assertThat(counts).hasValue(1);
        assertThat(windrow.monitor().audit(AuditFilter.ALL).limit(1).page().entries())
                .isEmpty();
    }

    @Test
    void freePagesAreReturnedInStepsUntilNoneIsLeft() {
        AtomicInteger steps = new AtomicInteger();
        faults.shrink = real -> () -> CompletableFuture.completedFuture(3L - steps.incrementAndGet());
        assertThat(cleanup(Cleanup.BY_THE_RULES).complete()).isTrue();
        assertThat(steps).hasValue(3);
    }

    @Test
    void anInterruptedArchiveKeepsTheInterruptFlag() {
        cancelled();
        CompletableFuture<Boolean> interrupted = onItsOwnThread(() -> {
            assertThatThrownBy(() -> windrow.retention().cleanup(ALL.withArchive(jobs -> {
                        throw new InterruptedException();
                    })))
                    .isInstanceOf(CleanupFailedException.class);
            return Thread.currentThread().isInterrupted();
        });
        runClockUntil(Duration.ofMillis(5), interrupted::isDone);
        assertThat(interrupted.join()).isTrue();
    }

    // ---- sizes of batches
    // -----------------------------------------------------------------------------------------------

    /** Returns the same answer with another duration and another pause that the store asks for. */
    private static Expiry.Done taking(Expiry.Done done, Duration took, Duration pause) {
        return new Expiry.Done(done.deleted(), done.left(), done.kept(), took.toNanos(), pause.toNanos());
    }

    /** Returns the same batch with unlimited time, because the machine may be busy. */
    private static Expire patient(Expire batch) {
        return new Expire(batch.units(), batch.pass(), batch.audit(), batch.before(), Long.MAX_VALUE);
    }

    @Test
    void batchesGrowWhileTheyAreFastAndShrinkWhenOneIsSlow() {
        assertThat(sizes(Duration.ofMillis(1))).containsExactly(50, 50, 100, 200, 8, 16, 26);
        assertThat(sizes(Duration.ofMillis(10)))
                .as("where more fits into one")
                .containsExactly(50, 50, 100, 200, 40, 10);
    }

    /** Returns the sizes of the batches that delete 400 jobs. The store asks for this duration of a batch, and one batch takes longer. */
    private List<Integer> sizes(Duration time) {
        cancelled(400);
        List<Integer> sizes = new ArrayList<>();
        faults.expiryTime = real -> time;
        faults.expire = real -> batch -> {
            sizes.add(batch.units().size());
            assertThat(Duration.ofNanos(batch.budgetNanos())).isEqualTo(time.multipliedBy(2));
            if (sizes.size() == 1) {
                // A batch that had no time at all does not change the next size.
                return CompletableFuture.completedFuture(Expiry.Done.later(batch, 0));
            }
            Duration took = sizes.size() == 4 ? Duration.ofSeconds(1) : Duration.ofNanos(1);
            return real.apply(patient(batch)).thenApply(done -> taking(done, took, Duration.ZERO));
        };
        assertThat(cleanup(ALL_CANCELLED).total()).isEqualTo(400);
        return sizes;
    }

    @Test
    void aPassPausesForTwiceTheTimeOfABatchAndAsLongAsTheStoreAsks() {
        cancelled(60);
        faults.expiryTime = real -> Duration.ofMillis(1);
        List<Long> begun = new CopyOnWriteArrayList<>();
        faults.expire = real -> batch -> {
            begun.add(time.nanoTime());
            boolean first = begun.size() == 1;
            return real.apply(patient(batch))
                    .thenApply(done ->
                            taking(done, Duration.ofSeconds(first ? 20 : 0), Duration.ofSeconds(first ? 0 : 60)));
        };
        CompletableFuture<RetentionResult> done =
                onItsOwnThread(() -> windrow.retention().cleanup(ALL_CANCELLED));
        runClockUntil(Duration.ofSeconds(1), done::isDone);
        assertThat(done.join().total()).isEqualTo(60);
        assertThat(begun).hasSizeGreaterThanOrEqualTo(3);
        assertThat(Duration.ofNanos(begun.get(1) - begun.get(0))).isGreaterThanOrEqualTo(Duration.ofSeconds(40));
        assertThat(Duration.ofNanos(begun.get(2) - begun.get(1))).isGreaterThanOrEqualTo(Duration.ofSeconds(60));
    }

    @Test
    void aCancelledPassReportsItsProgressAndTheNextOneContinues() {
        cancelled(300);
        Cleanup all = Cleanup.BY_THE_RULES.withAge(JobState.CANCELLED, Duration.ZERO);
        RetentionResult first = cleanup(all.withProgress(sofar -> sofar.total() == 0));
        assertThat(first.complete()).isFalse();
        assertThat(first.total()).isBetween(1L, 299L);
        assertThat(cleanup(all).total()).isEqualTo(300 - first.total());
        assertThat(expiries()).hasSize(2);
        assertThat(expiries().stream().mapToLong(AuditEntry::changed).sum()).isEqualTo(300);
    }

    @Test
    void jobsThatTheArchiveRejectsAreNotDeleted() {
        cancelled(300);
        List<Long> archived = new ArrayList<>();
        Cleanup all = Cleanup.BY_THE_RULES
                .withAge(JobState.CANCELLED, Duration.ZERO)
                .withArchive(jobs -> {
                    if (archived.size() >= 100) {
                        throw new IOException("full");
                    }
                    jobs.forEach(job -> archived.add(job.job().id()));
                });
        CleanupFailedException failed = failing(all);
        assertThat(failed)
                .hasMessageContaining("full")
                .hasMessageContaining(archived.size() + " jobs were deleted before")
                .hasRootCauseInstanceOf(IOException.class);
        assertThat(failed.done().total()).isEqualTo(archived.size());
        assertThat(failed.done().complete()).isFalse();
        assertThat(archived).allMatch(id -> !windrow.job(id).exists());
        assertThat(windrow.monitor().statistics().states()).containsEntry(JobState.CANCELLED, 300L - archived.size());
    }

    @Test
    void theArchiveGetsFewLongJobsAtOnce() {
        Json big = new Json("\"" + "x".repeat(1_000_000) + "\"");
        windrow.enqueueAll(Collections.nCopies(13, ECHO.job(big)));
        windrow.jobs(JobFilter.ALL).cancel();
        List<Integer> calls = new ArrayList<>();
        RetentionResult done = cleanup(Cleanup.BY_THE_RULES
                .withAge(JobState.CANCELLED, Duration.ZERO)
                .withArchive(jobs -> calls.add(jobs.size())));
        assertThat(done.total()).isEqualTo(13);
        assertThat(calls).as("some megabytes each").containsExactly(5, 5, 3);
    }

    /** Returns the exception of a caller's pass, while the clock runs. */
    private CleanupFailedException failing(Cleanup cleanup) {
        CompletableFuture<Throwable> failed = onItsOwnThread(() -> {
            try {
                windrow.retention().cleanup(cleanup);
                return new AssertionError("it went on");
            } catch (CleanupFailedException e) {
                return e;
            }
        });
        runClockUntil(Duration.ofMillis(5), failed::isDone);
        assertThat(failed.join()).isInstanceOf(CleanupFailedException.class);
        return (CleanupFailedException) failed.join();
    }

    @Test
    void aPassWhoseStoreFailsReportsItsDeletions() {
        cancelled(300);
        AtomicInteger batches = new AtomicInteger();
        faults.expire = real -> batch -> batches.incrementAndGet() < 3
                ? real.apply(batch)
                : CompletableFuture.failedFuture(new StoreUnavailableException("the disk is full"));
        CleanupFailedException failed = failing(ALL_CANCELLED);
        long gone = 300 - windrow.monitor().statistics().states().get(JobState.CANCELLED);
        assertThat(gone).isPositive();
        assertThat(failed).hasMessage("the disk is full (%d jobs were deleted before; the next pass continues)", gone);
        assertThat(failed.done().deleted()).containsEntry(JobState.CANCELLED, gone);
        faults.expire = real -> real;
        assertThat(cleanup(ALL_CANCELLED).total()).isEqualTo(300 - gone);
    }

    @Test
    void noJobIsArchivedTwiceWhenItsBatchRunsOutOfTime() {
        cancelled(60);
        List<Long> archived = new ArrayList<>();
        // Each batch has time for its first job only.
        faults.expire = real -> batch -> {
            List<Expiry.Unit> all = batch.units();
            return real.apply(new Expire(all.subList(0, 1), batch.pass(), batch.audit(), batch.before(), 0))
                    .thenApply(done ->
                            new Expiry.Done(done.deleted(), all.subList(1, all.size()), done.kept(), done.nanos(), 0));
        };
        RetentionResult done = cleanup(ALL_CANCELLED.withArchive(jobs -> {
            assertThat(jobs).isNotEmpty();
            jobs.forEach(job -> archived.add(job.job().id()));
        }));
        assertThat(done.total()).isEqualTo(60);
        assertThat(archived).hasSize(60).doesNotHaveDuplicates();
    }

    // ---- long payloads
    // --------------------------------------------------------------------------------------------------

    /** Returns JSON of this many parts. */
    private static Json inParts(int parts) {
        return new Json("\"" + "x".repeat(parts * Stage.MAX_BYTES - 2) + "\"");
    }

    private String chunks() {
        return target.rows("SELECT count(*) FROM windrow_blob_chunks").get(0);
    }

    @Test
    void theNextPassDeletesTheRestOfALongPayloadAfterAKill() {
        JobRef<Json> job = windrow.enqueue(LEFT, inParts(30));
        windrow.job(job).cancel();
        List<Long> sweeps = new CopyOnWriteArrayList<>();
        faults.sweepStaged = real -> (age, limit) -> {
            sweeps.add(time.nanoTime());
            return sweeps.size() < 4
                    ? real.apply(age, limit)
                    : CompletableFuture.failedFuture(new StoreUnavailableException("killed"));
        };
        CleanupFailedException failed = failing(ALL_CANCELLED);
        assertThat(Duration.ofNanos(sweeps.get(3) - sweeps.get(2)))
                .as("time for others in between")
                .isPositive();
        assertThat(failed.done().total()).isEqualTo(1);
        assertThat(isGone(job)).isTrue();
        assertThat(chunks())
                .as("8 in each transaction, after a look at the beginning")
                .isEqualTo("14");
        assertThat(windrow.monitor().diagnose().failed()).isEmpty();
        faults.sweepStaged = real -> real;
        assertThat(cleanup(ALL_CANCELLED).total()).isZero();
        assertThat(chunks()).isEqualTo("0");
        assertThat(target.rows("SELECT count(*) FROM windrow_blobs")).containsExactly("0");
    }

    @Test
    void readingALongResultDuringItsDeletionThrowsAndReturnsNoPartOfIt() {
        startWorker(windrow);
        JobRef<Json> job = windrow.enqueue(ECHO, inParts(20));
        untilState(job, JobState.COMPLETED);
        AtomicBoolean deletes = new AtomicBoolean(true);
        faults.blobPart = real -> (blob, position) -> {
            if (position == 5 && deletes.getAndSet(false)) {
                assertThat(cleanup(Cleanup.BY_THE_RULES.withAge(JobState.COMPLETED, Duration.ZERO))
                                .total())
                        .isEqualTo(1);
            }
            return real.apply(blob, position);
        };
        assertThatThrownBy(() -> windrow.await(job, PATIENCE))
                .isInstanceOf(ContentLostException.class)
                .hasMessageContaining("part 5 is missing")
                .hasMessageContaining("if its job was deleted during the read");
        assertThat(isGone(job)).isTrue();
        assertThat(chunks()).isEqualTo("0");
    }

    @Test
    void aRunningPassObeysANewRuleToKeepJobs() {
        cancelled(300);
        windrow.retention().keep(JobState.CANCELLED, Duration.ZERO);
        AtomicInteger batches = new AtomicInteger();
        faults.expire = real -> batch -> {
            if (batches.incrementAndGet() == 2) {
                windrow.retention().keepForever(JobState.CANCELLED);
            }
            return real.apply(batch);
        };
        cleanup(Cleanup.BY_THE_RULES);
        long kept = windrow.monitor().statistics().states().get(JobState.CANCELLED);
        assertThat(kept).isBetween(1L, 299L);
        assertThat(cleanup(ALL_CANCELLED).total())
                .as("ages that were asked for")
                .isEqualTo(kept);
    }

    /** Changes the rules before the batch with this number. */
    private void changeBefore(int number, Runnable change) {
        AtomicInteger batches = new AtomicInteger();
        faults.expire = real -> batch -> {
            if (batches.incrementAndGet() == number) {
                change.run();
            }
            return real.apply(batch);
        };
    }

    @Test
    void requestedAgesCountAlthoughTheRulesChange() {
        cancelled(60);
        changeBefore(1, () -> windrow.retention().keep(JobState.FAILED, Duration.ofDays(1)));
        assertThat(cleanup(ALL_CANCELLED).total()).isEqualTo(60);
    }

    @Test
    void aRunningPassDeletesByNewRules() {
        windrow.retention().keep(JobState.CANCELLED, Duration.ZERO);
        JobRef<Json> failed = enqueue(LEFT);
        windrow.job(failed).fail("TEST:END");
        JobRef<Json> cancelled = cancelled();
        changeBefore(1, () -> windrow.retention().keep(JobState.FAILED, Duration.ZERO));
        assertThat(cleanup(Cleanup.BY_THE_RULES).total()).isEqualTo(2);
        assertThat(List.of(failed, cancelled)).allMatch(this::isGone);
    }

    @Test
    void keptJobsAreCountedOnceThoughTheyAreSearchedAgain() {
        windrow.retention().keep(JobState.CANCELLED, Duration.ZERO);
        windrow.retention().keep(JobState.FAILED, Duration.ZERO);
        needed(JobState.FAILED);
        cancelled();
        changeBefore(1, () -> windrow.retention().keepForever(JobState.CANCELLED));
        assertThat(cleanup(Cleanup.BY_THE_RULES)).isEqualTo(new RetentionResult(Map.of(), 1, true));
    }

    // ---- chains
    // ---------------------------------------------------------------------------------------------------------

    private static final JobType<Integer, Void> COUNT_DOWN = JobType.of("test.count", Integer.class, Void.class);

    /** Returns a chain of this length whose last job has failed. */
    private List<JobInfo> chain(int length) {
        Worker worker = start(windrow.worker().lease(LEASE).concurrency(1).handleVoid(COUNT_DOWN, (left, job) -> {
            if (left == 0) {
                throw JobFailure.permanent("TEST:END", "the end");
            }
            job.continueWith(COUNT_DOWN.job(left - 1));
        }));
        JobRef<Void> first = windrow.enqueue(COUNT_DOWN, length - 1);
        until(() -> windrow.job(first).chain().jobs().size() == length
                && windrow.job(first).chain().jobs().get(length - 1).state() == JobState.FAILED);
        worker.stopNow();
        return windrow.job(first).chain().jobs();
    }

    private static final Cleanup CHAINS =
            Cleanup.BY_THE_RULES.withAge(JobState.COMPLETED, Duration.ZERO).withAge(JobState.FAILED, Duration.ZERO);

    @Test
    void aStartedChainIsDeletedAsAWholeBeyondTheLimitOfJobs() {
        List<JobInfo> chain = chain(2 * Expiry.PART + 5);
        assertThat(cleanup(CHAINS.withMaxJobs(1)).total()).isEqualTo(chain.size());
        assertThat(windrow.jobs(JobFilter.ALL).newestFirst().limit(1).page().jobs())
                .isEmpty();
    }

    @Test
    void aChainStartedAtTheEndOfABatchIsDeletedAsAWhole() {
        int length = chain(2 * Expiry.PART + 5).size();
        // These jobs are younger than the chain, so they come first. They fill two batches, and the second one has
        // space for a part of the chain.
        for (int i = 0; i < Expiry.PART + 10; i++) {
            windrow.job(enqueue(LEFT)).fail("TEST:END");
        }
        faults.expire = real ->
                batch -> real.apply(patient(batch)).thenApply(done -> taking(done, Duration.ofNanos(1), Duration.ZERO));
        assertThat(cleanup(CHAINS.withMaxJobs(2 * Expiry.PART + 10)).total()).isEqualTo(Expiry.PART + 10 + length);
    }

    @Test
    void aChainFoundByEachOfItsJobsIsCountedOnce() {
        chain(3);
        RetentionResult dry = preview(CHAINS);
        assertThat(dry.deleted()).containsEntry(JobState.COMPLETED, 2L).containsEntry(JobState.FAILED, 1L);
        assertThat(cleanup(CHAINS)).isEqualTo(dry);
    }

    @Test
    void theFirstPartOfALongChainIsRetriedBeforeTheNextPart() {
        List<JobInfo> chain = chain(Expiry.PART + 5);
        List<List<Expiry.Unit>> tried = new ArrayList<>();
        faults.expire = real -> batch -> {
            tried.add(batch.units());
            return tried.size() == 1
                    ? CompletableFuture.completedFuture(Expiry.Done.later(batch, 0))
                    : real.apply(patient(batch));
        };
        assertThat(cleanup(CHAINS).total()).isEqualTo(chain.size());
        assertThat(tried).hasSize(3);
        assertThat(tried.get(1)).isEqualTo(tried.get(0)).isNotEqualTo(tried.get(2));
    }

    @Test
    void theRestOfAStartedChainIsDeletedAlthoughNewRulesKeepIt() {
        List<JobInfo> chain = chain(Expiry.PART + 5);
        windrow.retention().keep(JobState.COMPLETED, Duration.ZERO);
        windrow.retention().keep(JobState.FAILED, Duration.ZERO);
        changeBefore(2, () -> {
            windrow.retention().keepForever(JobState.COMPLETED);
            windrow.retention().keepForever(JobState.FAILED);
        });
        assertThat(cleanup(Cleanup.BY_THE_RULES).total()).isEqualTo(chain.size());
        assertThat(windrow.jobs(JobFilter.ALL).newestFirst().limit(1).page().jobs())
                .isEmpty();
    }

    @Test
    void theLastJobOfALongChainIsDeletedWithItsFirstPartSoItCannotBeRetried() {
        List<JobInfo> chain = chain(Expiry.PART + 5);
        JobRef<Json> last = JobRef.raw(chain.get(chain.size() - 1).id());
        AtomicInteger parts = new AtomicInteger();
        AtomicReference<Throwable> refused = new AtomicReference<>();
        faults.expire = real -> batch -> {
            if (parts.incrementAndGet() == 2) {
                try {
                    windrow.job(last).retry();
                } catch (JobNotFoundException e) {
                    refused.set(e);
                }
            }
            return real.apply(batch);
        };
        assertThat(cleanup(CHAINS).total()).isEqualTo(chain.size());
        assertThat(parts.get()).isGreaterThanOrEqualTo(2);
        assertThat(refused.get()).isNotNull();
    }

    @Test
    void aLongChainWhoseLastJobIsRetriedBeforeDeletionStaysAsAWhole() {
        List<JobInfo> chain = chain(Expiry.PART + 5);
        JobRef<Json> last = JobRef.raw(chain.get(chain.size() - 1).id());
        AtomicInteger parts = new AtomicInteger();
        faults.expire = real -> batch -> {
            if (parts.incrementAndGet() == 1) {
                windrow.job(last).retry();
            }
            return real.apply(batch);
        };
        assertThat(cleanup(CHAINS).total()).isZero();
        assertThat(windrow.job(last).chain().jobs()).hasSize(chain.size());
    }

    // ---- clocks
    // ---------------------------------------------------------------------------------------------------------

    @Test
    void aClockSetDuringAPassChangesTheAgeOfNoJob() {
        windrow.retention().keep(JobState.FAILED, Duration.ofDays(7));
        for (Duration step : List.of(Duration.ofDays(400), Duration.ofDays(-400))) {
            List<JobRef<Json>> old = cancelled(60);
            // Causes a second round.
            failedFamily();
            time.advance(MONTH);
            // A completed job, because the pass searches for completed jobs last.
            JobRef<Json> young = enqueue(LEFT);
            windrow.job(young).complete(new Json("{}"));
            AtomicBoolean stepped = new AtomicBoolean();
            faults.expire = real -> batch -> {
                if (stepped.compareAndSet(false, true)) {
                    time.stepWall(step);
                }
                return real.apply(batch);
            };
            assertThat(cleanup(Cleanup.BY_THE_RULES.withAge(JobState.FAILED, Duration.ofDays(30)))
                            .total())
                    .as("%s", step)
                    .isEqualTo(62);
            assertThat(old).allMatch(this::isGone);
            assertThat(isGone(young)).isFalse();
            assertThat(windrow.monitor()
                            .audit(AuditFilter.ALL)
                            .limit(100)
                            .page()
                            .entries())
                    .as("nor does what is no job go")
                    .anySatisfy(entry -> assertThat(entry.action()).isEqualTo("RETAIN"));
            time.stepWall(step.negated());
            faults.expire = real -> real;
            cleanup(ALL_CANCELLED.withAge(JobState.COMPLETED, Duration.ZERO));
        }
    }

    @Test
    void aDedupeWindowHoldsAlthoughTheClockIsSetAheadDuringDeletion() {
        Dedupe key = Dedupe.key("k").within(Duration.ofDays(60));
        JobRef<Json> first = windrow.enqueue(LEFT.job(new Json("{}")).withDedupe(key));
        windrow.job(first).complete(new Json("{}"));
        time.advance(MONTH);
        assertThat(cleanup(Cleanup.BY_THE_RULES.withArchive(jobs -> time.stepWall(Duration.ofDays(400))))
                        .total())
                .isEqualTo(1);
        time.stepWall(Duration.ofDays(-400));
        assertThat(windrow.enqueue(LEFT.job(new Json("{}")).withDedupe(key)).id())
                .isEqualTo(first.id());
    }

    @Test
    void aScheduledPassContinuesWhenItsClockIsSetAndTheNextOneWaits() {
        startWorker(windrow);
        // These jobs have a type that no worker runs. A running job would end when the clock jumps by a month.
        List<JobRef<Json>> old = Stream.generate(this::cancelled).limit(60).toList();
        time.advance(MONTH);
        JobRef<Json> young = cancelled();
        AtomicBoolean stepped = new AtomicBoolean();
        faults.expire = real -> batch -> {
            if (stepped.compareAndSet(false, true)) {
                time.stepWall(Duration.ofDays(400));
            }
            return real.apply(batch);
        };
        runClockUntil(STEP, () -> old.stream().allMatch(this::isGone));
        // Nothing is deleted for an hour, so an operator has time to correct the clock.
        runClock(STEP, 90);
        assertThat(isGone(young)).isFalse();
        time.stepWall(Duration.ofDays(-400));
        runClock(Duration.ofMinutes(5), 30);
        assertThat(isGone(young)).isFalse();
    }
}
