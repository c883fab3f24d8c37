package dev.windrow.tests.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.windrow.EventKind;
import dev.windrow.InvalidRequestException;
import dev.windrow.JobHistory;
import dev.windrow.JobInfo;
import dev.windrow.JobRef;
import dev.windrow.JobState;
import dev.windrow.LogLevel;
import dev.windrow.StoreUnavailableException;
import dev.windrow.payload.Json;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.Report;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnceOnEachStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Progress and log lines, from the handler to the history of its job. */
@OnceOnEachStore
class ReportTest extends EngineTest {
    /** The reports that were sent to the store. */
    private final List<Report> sent = new CopyOnWriteArrayList<>();

    private final CountDownLatch started = new CountDownLatch(1);
    private final Semaphore go = new Semaphore(0);

    @BeforeEach
    void listen() {
        faults.report = real -> report -> {
            sent.add(report);
            return real.apply(report);
        };
    }

    private List<String> log(JobRef<?> job) {
        return history(job).log().stream().map(JobHistory.LogLine::message).toList();
    }

    private static boolean hasProgress(Report report) {
        return report.progress() != null;
    }

    @Test
    void progressIsSentOnceASecondAndTheLastValueWithTheEnd() {
        start(worker().handle(ECHO, (input, job) -> {
            for (int i = 0; i <= 500; i++) {
                job.progress(i / 1000.0, "item " + i);
            }
            started.countDown();
            go.acquire();
            for (int i = 501; i <= 1000; i++) {
                job.progress(i / 1000.0, "item " + i);
            }
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        assertThat(history(job).job().progress()).as("not yet").isNull();
        // The sending loop may not wait for its time yet when the clock moves.
        runClockUntil(Duration.ofMillis(500), () -> history(job).job().progress() != null);
        JobInfo.Progress half = history(job).job().progress();
        assertThat(half).isNotNull();
        assertThat(half.fraction()).isEqualTo(0.5);
        assertThat(half.message()).isEqualTo("item 500");
        go.release();
        untilState(job, JobState.COMPLETED);
        assertThat(history(job).job().progress()).isEqualTo(new JobInfo.Progress(1.0, "item 1000", time.now()));
        // The clock may have moved more than a second before the first report was seen. Then the next report was sent
        // at once.
        assertThat(sent).hasSizeBetween(2, 3).allMatch(ReportTest::hasProgress);
        assertThat(eventsOf(job)).containsOnlyOnce(EventKind.HEARTBEAT);
    }

    @Test
    void omittedPartsOfProgressKeepTheirValue() {
        start(worker().handle(ECHO, (input, job) -> {
            job.progress("reading");
            started.countDown();
            go.acquire();
            job.progress(0.5);
            go.acquire();
            job.progress("writing");
            go.acquire();
            job.progress(0.75, "");
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        List<String> seen = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            int count = i;
            runClockUntil(Duration.ofMillis(500), () -> sent.size() == count);
            go.release();
        }
        untilState(job, JobState.COMPLETED);
        sent.forEach(report ->
                seen.add(report.progress().fraction() + " " + report.progress().message()));
        assertThat(seen).containsExactly("null reading", "0.5 reading", "0.5 writing", "0.75 null");
    }

    @Test
    void aFractionOutOfRangeIsRefused() {
        List<Throwable> refused = new CopyOnWriteArrayList<>();
        start(worker().handle(ECHO, (input, job) -> {
            for (double wrong : new double[] {-0.1, 1.1, Double.NaN, Double.POSITIVE_INFINITY}) {
                refused.add(catchThrowable(() -> job.progress(wrong)));
                refused.add(catchThrowable(() -> job.progress(wrong, "x")));
            }
            return input;
        }));
        untilState(enqueue(ECHO), JobState.COMPLETED);
        assertThat(refused)
                .hasSize(8)
                .allSatisfy(e -> assertThat(e)
                        .isInstanceOf(InvalidRequestException.class)
                        .hasMessageContaining("not allowed: 0 to 1"));
        assertThat(refused.get(2)).hasMessageContaining("progress 1.1 ");
        assertThat(sent).isEmpty();
    }

    @Test
    void heartbeatsAreSparse() {
        start(worker().handle(ECHO, (input, job) -> {
            started.countDown();
            for (int i = 1; i <= 10; i++) {
                go.acquire();
                job.progress(i / 10.0);
            }
            go.acquire();
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        for (int i = 1; i <= 10; i++) {
            // Reports follow at 20, 40, ... 200 seconds.
            runClock(Duration.ofSeconds(10), 2);
            go.release();
            int count = i;
            until(() -> sent.size() == count);
        }
        go.release();
        untilState(job, JobState.COMPLETED);
        assertThat(history(job).events().stream()
                        .filter(event -> event.event() == EventKind.HEARTBEAT)
                        .map(event -> String.valueOf(event.detail())))
                .as("the first, and then one a minute")
                .hasSize(4)
                .first()
                .asString()
                .contains("{\"fraction\":0.1}");
    }

    @Test
    void linesLoggedJustBeforeTheEndAreStoredWhenTheJobHasEnded() {
        start(worker().concurrency(4).handle(ECHO, (input, job) -> {
            job.log(LogLevel.INFO, "first");
            job.log(LogLevel.ERROR, "last");
            return input;
        }));
        for (int round = 0; round < 50; round++) {
            JobRef<Json> job = enqueue(ECHO);
            windrow.await(job, PATIENCE);
            assertThat(log(job)).containsExactly("first", "last");
        }
        assertThat(sent).as("one report for each job").hasSize(50);
    }

    @Test
    void aTightLoopOfLogLinesKeepsTheLastOnesAndCountsTheDroppedOnes() {
        start(worker().handle(ECHO, (input, job) -> {
            for (int i = 1; i <= 100_000; i++) {
                job.log(LogLevel.DEBUG, "line " + i);
            }
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        untilState(job, JobState.COMPLETED);
        List<JobHistory.LogLine> log = history(job).log();
        assertThat(log).hasSize(JobHistory.MAX_LOG_LINES);
        assertThat(log.get(0).level()).isEqualTo(LogLevel.WARN);
        assertThat(log.get(0).message()).startsWith("99801 earlier lines were dropped");
        assertThat(log.get(1).message()).isEqualTo("line 99802");
        assertThat(log.get(199).message()).isEqualTo("line 100000");
        assertThat(history(job).droppedLines()).isZero();
        assertThat(sent).hasSize(1);
    }

    @Test
    void aLogLineIsCutAndItsControlCharactersAreReplaced() {
        start(worker().handle(ECHO, (input, job) -> {
            job.log(LogLevel.INFO, "a\0b\u001b[2Jc\r\nd\te\u0085f\ud800g");
            job.log(LogLevel.INFO, "x".repeat(999) + "\ud83d\ude00");
            job.log(LogLevel.INFO, "y".repeat(5000));
            job.progress(0.5, "p\0q");
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        untilState(job, JobState.COMPLETED);
        assertThat(log(job))
                .containsExactly("a\u2400b\u241b[2Jc\u240d\u240ad e\ufffdf\ufffdg", "x".repeat(999), "y".repeat(1000));
        assertThat(String.valueOf(history(job).job().progress())).contains("p\u2400q");
    }

    @Test
    void aFailedReportIsSentAgainBeforeTheSettlement() {
        AtomicInteger reports = new AtomicInteger();
        AtomicInteger settlements = new AtomicInteger();
        faults.report = real -> report -> reports.incrementAndGet() <= 3 ? unavailable() : real.apply(report);
        faults.settle =
                (settlement, real) -> settlements.incrementAndGet() <= 2 ? unavailable() : real.apply(settlement);
        start(worker().handle(ECHO, (input, job) -> {
            for (int i = 1; i <= 300; i++) {
                job.log(LogLevel.INFO, "line " + i);
            }
            job.progress(0.5);
            started.countDown();
            go.acquire();
            job.log(LogLevel.INFO, "line 301");
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        runClockUntil(Duration.ofMillis(500), () -> reports.get() == 1);
        go.release();
        runClockUntil(Duration.ofMillis(100), () -> state(job) == JobState.COMPLETED);
        List<String> expected = new ArrayList<>(
                List.of("102 earlier lines were dropped: the handler logs faster than lines are stored"));
        for (int i = 103; i <= 301; i++) {
            expected.add("line " + i);
        }
        assertThat(log(job)).isEqualTo(expected);
        JobInfo.Progress progress = history(job).job().progress();
        assertThat(progress).isNotNull();
        assertThat(progress.fraction()).isEqualTo(0.5);
    }

    /** Failure class 3: the store's queue is full, so a report waits for space. */
    @Test
    void aWaitingReportDelaysNeitherRenewalsNorTheHandler() {
        CountDownLatch reporting = new CountDownLatch(1);
        Semaphore room = new Semaphore(0);
        faults.report = real -> report -> {
            reporting.countDown();
            room.acquireUninterruptibly();
            return real.apply(report);
        };
        AtomicInteger renewals = new AtomicInteger();
        faults.renew = real -> holds -> {
            renewals.incrementAndGet();
            return real.apply(holds);
        };
        CountDownLatch second = new CountDownLatch(2);
        start(worker().handle(ECHO, (input, job) -> {
            job.progress(0.5);
            second.countDown();
            started.countDown();
            go.acquire();
            job.log(LogLevel.INFO, "goes on");
            second.countDown();
            go.acquire();
            return input;
        }));
        // Frees the reports before the worker stops, in case the test fails.
        closing(() -> room.release(1000));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        runClockUntil(Duration.ofMillis(500), () -> reporting.getCount() == 0);
        int before = renewals.get();
        runClockUntil(Duration.ofSeconds(1), () -> renewals.get() >= before + 3);
        go.release();
        take(second);
        assertThat(history(job).job().progress()).as("still waits").isNull();
        room.release(1000);
        go.release();
        untilState(job, JobState.COMPLETED);
        assertThat(log(job)).containsExactly("goes on");
    }

    private static CompletableFuture<Boolean> unavailable() {
        return CompletableFuture.failedFuture(new StoreUnavailableException("not now"));
    }

    @Test
    void reportsOfAZombieChangeNothing() throws Exception {
        AtomicReference<Thread> thread = new AtomicReference<>();
        closing(() -> go.release(1000));
        start(worker().handle(ECHO, (input, job) -> {
            thread.set(Thread.currentThread());
            started.countDown();
            while (!go.tryAcquire()) {
                job.log(LogLevel.INFO, "brains");
                job.progress(0.5, "brains");
                Thread.onSpinWait();
            }
            return input;
        }));
        JobRef<Json> job = enqueue(ECHO);
        take(started);
        openBareStore()
                .submit(Change.of(Change.Verb.COMPLETE, List.of(job.id()), "operator"))
                .get(60, TimeUnit.SECONDS);
        JobHistory before = history(job);
        runClockUntil(Duration.ofSeconds(1), () -> !sent.isEmpty());
        runClock(Duration.ofSeconds(1), 5);
        go.release();
        until(() -> thread.get().isInterrupted()
                || windrow.monitor().statistics().states().get(JobState.RUNNING) == 0);
        assertThat(history(job)).isEqualTo(before);
        assertThat(before.log()).isEmpty();
    }
}
