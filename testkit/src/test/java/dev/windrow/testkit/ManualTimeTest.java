package dev.windrow.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Test;

class ManualTimeTest {
    private final ManualTime time = new ManualTime();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition condition = lock.newCondition();

    /**
     * Runs the task on a thread of its own. The common pool has one thread on a small machine, and a waiting task there would prevent the next one
     * from starting.
     */
    private static CompletableFuture<Void> onItsOwnThread(Runnable task) {
        return CompletableFuture.runAsync(task, command -> new Thread(command).start());
    }

    /** Starts a thread that waits by the clock, in a loop as the contract requires. */
    private CompletableFuture<Void> waitUntil(long deadlineNanos, CountDownLatch waiting, AtomicInteger wakes) {
        return onItsOwnThread(() -> {
            lock.lock();
            try {
                while (time.nanoTime() - deadlineNanos < 0) {
                    waiting.countDown();
                    time.awaitUntil(lock, condition, deadlineNanos);
                    wakes.incrementAndGet();
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                lock.unlock();
            }
        });
    }

    @Test
    void theClockStandsStillUntilItIsMoved() {
        assertThat(time.now()).isEqualTo(ManualTime.START);
        assertThat(time.nanoTime()).isZero();
        assertThat(time.millis()).isEqualTo(ManualTime.START.toEpochMilli());
    }

    @Test
    void advancingMovesBothClocks() {
        time.advance(Duration.ofSeconds(3));
        assertThat(time.now()).isEqualTo(ManualTime.START.plusSeconds(3));
        assertThat(time.nanoTime()).isEqualTo(3_000_000_000L);
        time.advance(Duration.ZERO);
        assertThat(time.nanoTime()).isEqualTo(3_000_000_000L);
        assertThatThrownBy(() -> time.advance(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void aStepMovesTheWallClockAloneEitherWay() {
        time.stepWall(Duration.ofHours(2));
        assertThat(time.now()).isEqualTo(ManualTime.START.plusSeconds(7200));
        time.stepWall(Duration.ofHours(-5));
        assertThat(time.now()).isEqualTo(ManualTime.START.minusSeconds(3 * 3600));
        assertThat(time.nanoTime()).isZero();
    }

    @Test
    void aWaiterIsWokenWhenItsDeadlineComesAndNotBefore() throws Exception {
        CountDownLatch waiting = new CountDownLatch(1);
        AtomicInteger wakes = new AtomicInteger();
        CompletableFuture<Void> waiter = waitUntil(Duration.ofSeconds(10).toNanos(), waiting, wakes);
        assertThat(waiting.await(60, TimeUnit.SECONDS)).isTrue();
        time.advance(Duration.ofSeconds(9));
        time.stepWall(Duration.ofDays(1));
        assertThat(waiter).isNotDone();
        time.advance(Duration.ofSeconds(1));
        waiter.get(60, TimeUnit.SECONDS);
        assertThat(wakes.get()).isPositive();
        assertThat(time.waiting()).isZero();
    }

    @Test
    void aDeadlineThatHasPassedIsNotWaitedFor() throws Exception {
        time.advance(Duration.ofSeconds(1));
        lock.lock();
        try {
            time.awaitUntil(lock, condition, time.nanoTime());
            time.awaitUntil(lock, condition, 0);
        } finally {
            lock.unlock();
        }
        assertThat(time.waiting()).isZero();
    }

    @Test
    void aSignalWakesAWaiterWithoutTheClock() throws Exception {
        CountDownLatch signalled = new CountDownLatch(1);
        CompletableFuture<Void> waiter = onItsOwnThread(() -> {
            lock.lock();
            try {
                while (signalled.getCount() > 0) {
                    time.awaitUntil(lock, condition, Long.MAX_VALUE / 2);
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            } finally {
                lock.unlock();
            }
        });
        lock.lock();
        try {
            signalled.countDown();
            condition.signalAll();
        } finally {
            lock.unlock();
        }
        waiter.get(60, TimeUnit.SECONDS);
    }

    @Test
    void noWaiterMissesAMove() throws Exception {
        for (int i = 0; i < 500; i++) {
            long deadline = time.nanoTime() + 1;
            CompletableFuture<Void> waiter = waitUntil(deadline, new CountDownLatch(1), new AtomicInteger());
            time.advance(Duration.ofNanos(1));
            waiter.get(60, TimeUnit.SECONDS);
        }
    }
}
