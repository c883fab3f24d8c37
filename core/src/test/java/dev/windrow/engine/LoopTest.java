package dev.windrow.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.OutcomeUnknownException;
import dev.windrow.StoreUnavailableException;
import dev.windrow.TimeSource;
import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LoopTest {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    private static void take(Semaphore rounds) throws InterruptedException {
        assertThat(rounds.tryAcquire(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aSignalStartsARound() throws Exception {
        Semaphore rounds = new Semaphore(0);
        Loop loop = new Loop("test", TimeSource.system(), () -> {
            rounds.release();
            return Loop.UNTIL_SIGNALLED;
        });
        loop.start();
        take(rounds);
        for (int i = 0; i < 1000; i++) {
            loop.signal();
            take(rounds);
        }
        assertThat(loop.stopAndJoin(PATIENCE)).isTrue();
    }

    @Test
    void aRoundIsRepeatedAfterTheWaitThatItReturned() throws Exception {
        Semaphore rounds = new Semaphore(0);
        Loop loop = new Loop("test", TimeSource.system(), () -> {
            rounds.release();
            return TimeUnit.MILLISECONDS.toNanos(1);
        });
        loop.start();
        for (int i = 0; i < 20; i++) {
            take(rounds);
        }
        assertThat(loop.stopAndJoin(PATIENCE)).isTrue();
    }

    @Test
    void aLoopSurvivesExceptionsAndErrors() throws Exception {
        AtomicInteger count = new AtomicInteger();
        CountDownLatch recovered = new CountDownLatch(1);
        Loop loop = new Loop("test", TimeSource.system(), () -> {
            switch (count.incrementAndGet()) {
                case 1 -> throw new IllegalStateException("first");
                case 2 -> throw new StackOverflowError();
                default -> recovered.countDown();
            }
            return Loop.UNTIL_SIGNALLED;
        });
        loop.start();
        assertThat(recovered.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(loop.isAlive()).isTrue();
        assertThat(loop.stopAndJoin(PATIENCE)).isTrue();
        assertThat(loop.failures()).isZero();
    }

    @Test
    void aLoopSurvivesAnErrorThatCannotBeReported() throws Exception {
        class Untold extends Error {
            private static final long serialVersionUID = 1L;

            @Override
            public String toString() {
                throw new IllegalStateException("not even this");
            }
        }
        Semaphore rounds = new Semaphore(0);
        Loop loop = new Loop("test", TimeSource.system(), () -> {
            rounds.release();
            throw new Untold();
        });
        loop.start();
        take(rounds);
        take(rounds);
        assertThat(loop.task().problem()).contains("Untold");
        assertThat(loop.stopAndJoin(PATIENCE)).isTrue();
    }

    @Test
    void failuresAreCountedUntilARoundWorks() throws Exception {
        Semaphore rounds = new Semaphore(0);
        Loop loop = new Loop("test", TimeSource.system(), () -> {
            rounds.release();
            throw new IllegalStateException("always");
        });
        loop.start();
        take(rounds);
        take(rounds);
        assertThat(loop.failures()).isPositive();
        assertThat(loop.task().problem())
                .contains("has failed")
                .contains("times in a row")
                .contains("always");
        assertThat(loop.stopAndJoin(PATIENCE)).isTrue();
    }

    /** A full disk affects all background tasks, and is not an error of each task that meets it. */
    @Test
    void eachStoreOutageIsReportedOnce() throws Exception {
        AtomicInteger count = new AtomicInteger();
        CountDownLatch done = new CountDownLatch(2);
        Loop loop = new Loop("test", TimeSource.system(), () -> {
            switch (count.incrementAndGet()) {
                case 1, 2 -> throw new StoreUnavailableException("the disk is full");
                case 3 -> throw new OutcomeUnknownException("no answer in time", List.of());
                case 5 -> throw new StoreUnavailableException("the file is locked");
                case 6 -> throw new IllegalStateException("an error of its own");
                default -> done.countDown();
            }
            return 0;
        });
        ByteArrayOutputStream logged = new ByteArrayOutputStream();
        PrintStream log = System.err;
        System.setErr(new PrintStream(logged, true, StandardCharsets.UTF_8));
        try {
            loop.start();
            assertThat(done.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
            assertThat(loop.stopAndJoin(PATIENCE)).isTrue();
        } finally {
            System.setErr(log);
        }
        assertThat(logged.toString(StandardCharsets.UTF_8).lines().filter(line -> line.contains(" test ")))
                .satisfiesExactly(
                        line -> assertThat(line)
                                .contains(" WARN ")
                                .endsWith("test waits until the store can be used again: the disk is full"),
                        line -> assertThat(line)
                                .contains(" WARN ")
                                .endsWith("test waits until the store can be used again: the file is locked"),
                        line -> assertThat(line).contains(" ERROR ").contains("test failed (2 times in a row)"));
        assertThat(logged.toString(StandardCharsets.UTF_8)).doesNotContain("StoreUnavailableException");
    }

    @Test
    void thePauseAfterFailuresGrowsToALimit() {
        assertThat(Loop.pauseNanos(1)).isEqualTo(Loop.FIRST_PAUSE.toNanos());
        assertThat(Loop.pauseNanos(2)).isEqualTo(2 * Loop.FIRST_PAUSE.toNanos());
        assertThat(Loop.pauseNanos(8)).isEqualTo(Loop.LAST_PAUSE.toNanos());
        assertThat(Loop.pauseNanos(Integer.MAX_VALUE)).isEqualTo(Loop.LAST_PAUSE.toNanos());
    }

    @Test
    void aFailingLoopStopsWithoutWaitingForItsPause() throws Exception {
        Semaphore rounds = new Semaphore(0);
        Loop loop = new Loop("test", TimeSource.system(), () -> {
            rounds.release();
            throw new IllegalStateException("always");
        });
        loop.start();
        take(rounds);
        assertThat(loop.stopAndJoin(PATIENCE)).isTrue();
        assertThat(loop.isAlive()).isFalse();
    }

    @Test
    void stoppingIsIdempotentAndWorksBeforeTheStart() {
        Loop loop = new Loop("test", TimeSource.system(), () -> Loop.UNTIL_SIGNALLED);
        loop.stop();
        loop.stop();
        loop.start();
        assertThat(loop.stopAndJoin(PATIENCE)).isTrue();
        assertThat(loop.stopAndJoin(PATIENCE)).isTrue();
    }

    @Test
    void aLoopCanStopItself() throws Exception {
        CountDownLatch stopped = new CountDownLatch(1);
        Loop[] self = new Loop[1];
        CountDownLatch ready = new CountDownLatch(1);
        self[0] = new Loop("test", TimeSource.system(), () -> {
            ready.await();
            assertThat(self[0].stopAndJoin(PATIENCE)).isTrue();
            stopped.countDown();
            return 0;
        });
        self[0].start();
        ready.countDown();
        assertThat(stopped.await(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
        assertThat(self[0].stopAndJoin(PATIENCE)).isTrue();
    }

    @Test
    void anInterruptDoesNotEndALoop() throws Exception {
        Semaphore rounds = new Semaphore(0);
        Thread[] thread = new Thread[1];
        Loop loop = new Loop("test", TimeSource.system(), () -> {
            thread[0] = Thread.currentThread();
            rounds.release();
            return Loop.UNTIL_SIGNALLED;
        });
        loop.start();
        take(rounds);
        thread[0].interrupt();
        loop.signal();
        take(rounds);
        assertThat(loop.isAlive()).isTrue();
        assertThat(loop.stopAndJoin(PATIENCE)).isTrue();
    }
}
