package dev.windrow.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.TimeSource;
import dev.windrow.engine.Loop;
import dev.windrow.store.job.WorkerId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class SlotsTest {
    private static final Settings TWO_SLOTS = new Settings(
            new WorkerId("w", "i"),
            Map.of(),
            Map.of(),
            List.of(),
            2,
            Duration.ofMinutes(1),
            Duration.ofMinutes(1),
            Duration.ofMinutes(1),
            Duration.ofMinutes(1),
            Map.of(),
            0);

    private static void awaitOne(Semaphore events) throws InterruptedException {
        assertThat(events.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void aSlotThatFailedWhileIdleIsWokenForOneJobAtATime() throws InterruptedException {
        Semaphore started = new Semaphore(0);
        Semaphore rested = new Semaphore(0);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger rests = new AtomicInteger();
        Slots slots = new Slots(
                TWO_SLOTS,
                () -> true,
                () -> 0,
                jobs -> false,
                () -> {},
                () -> {},
                (attempt, slot) -> {
                    started.release();
                    // The first job ends at once.
                    if (rests.get() > 0) {
                        await(end);
                    }
                },
                attempt -> {},
                () -> {
                    if (rests.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("as if");
                    }
                    rested.release();
                });
        try {
            run(slots, 1);
            awaitOne(started);
            awaitOne(rested);
            run(slots, 2);
            awaitOne(started);
            run(slots, 3);
            awaitOne(started);
        } finally {
            end.countDown();
            slots.retire();
        }
    }

    @Test
    void aSlotThatRunsShortJobsWakesNoOther() throws InterruptedException {
        Semaphore ended = new Semaphore(0);
        AtomicInteger watches = new AtomicInteger();
        Slots slots = slotsForShortJobs(watches, job -> ended.release());
        try {
            deliver(slots, 1, 20);
            assertThat(ended.tryAcquire(20, 60, TimeUnit.SECONDS)).isTrue();
            assertThat(slots.all()).hasSize(1);
            assertThat(watches).hasValue(1);
        } finally {
            slots.retire();
        }
    }

    @Test
    void idleSlotsAreWokenIfALongJobHoldsTheReadyOnes() throws InterruptedException {
        Semaphore started = new Semaphore(0);
        CountDownLatch end = new CountDownLatch(1);
        Slots slots = slotsForShortJobs(new AtomicInteger(), job -> {
            started.release();
            await(end);
        });
        try {
            deliver(slots, 1, 3);
            awaitOne(started);
            assertThat(slots.watch(5)).isEqualTo(Slots.WATCH_NANOS);
            assertThat(slots.watch(6)).as("called earlier").isEqualTo(Slots.WATCH_NANOS - 1);
            // A slot is made when it is woken.
            assertThat(slots.all()).as("the slot may still take a job").hasSize(1);
            slots.deliver(List.of(Races.attempt(4)));
            assertThat(slots.watch(5 + Slots.WATCH_NANOS)).isEqualTo(Slots.WATCH_NANOS);
            assertThat(slots.all()).as("another number is ready").hasSize(1);
            assertThat(slots.watch(5 + 2 * Slots.WATCH_NANOS)).isEqualTo(Slots.WATCH_NANOS);
            awaitOne(started);
            assertThat(slots.watch(5 + 3 * Slots.WATCH_NANOS))
                    .as("no slot is idle")
                    .isEqualTo(Loop.UNTIL_SIGNALLED);
        } finally {
            end.countDown();
            slots.retire();
        }
    }

    @Test
    void slotsAreWatchedAgainAfterTheReadyJobsRanOut() throws InterruptedException {
        Semaphore ended = new Semaphore(0);
        AtomicInteger watches = new AtomicInteger();
        Slots slots = slotsForShortJobs(watches, job -> ended.release());
        try {
            deliver(slots, 1, 3);
            assertThat(ended.tryAcquire(3, 60, TimeUnit.SECONDS)).isTrue();
            assertThat(slots.watch(0)).isEqualTo(Slots.WATCH_NANOS);
            assertThat(slots.watch(Slots.WATCH_NANOS)).as("no job is ready").isEqualTo(Loop.UNTIL_SIGNALLED);
            deliver(slots, 4, 3);
            assertThat(ended.tryAcquire(3, 60, TimeUnit.SECONDS)).isTrue();
            // Two slots may ask for it at once.
            assertThat(watches.get()).isGreaterThanOrEqualTo(2);
        } finally {
            slots.retire();
        }
    }

    @Test
    void slotsThatMayStartNoJobAreNotWatched() throws InterruptedException {
        Semaphore started = new Semaphore(0);
        CountDownLatch end = new CountDownLatch(1);
        AtomicBoolean mayStart = new AtomicBoolean(true);
        Slots slots = slotsForShortJobs(mayStart::get, () -> {}, job -> {
            started.release();
            await(end);
        });
        try {
            deliver(slots, 1, 3);
            awaitOne(started);
            assertThat(slots.watch(0)).isEqualTo(Slots.WATCH_NANOS);
            mayStart.set(false);
            assertThat(slots.watch(Slots.WATCH_NANOS)).isEqualTo(Loop.UNTIL_SIGNALLED);
            assertThat(slots.all()).hasSize(1);
        } finally {
            end.countDown();
            slots.retire();
        }
    }

    @Test
    void aJobRunsAndItsSlotsAreWatchedAfterASignalFailed() throws InterruptedException {
        Semaphore ended = new Semaphore(0);
        AtomicInteger watches = new AtomicInteger();
        Slots slots = slotsForShortJobs(
                () -> true,
                () -> {
                    if (watches.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("as if");
                    }
                },
                job -> ended.release());
        try {
            deliver(slots, 1, 2);
            assertThat(ended.tryAcquire(2, 60, TimeUnit.SECONDS)).isTrue();
            assertThat(watches).hasValue(2);
        } finally {
            slots.retire();
        }
    }

    /** A call of a batch handler says nothing about the jobs behind it. */
    @Test
    void aSlotThatTakesABatchWakesTheNext() throws InterruptedException {
        Semaphore started = new Semaphore(0);
        CountDownLatch end = new CountDownLatch(1);
        Slots slots = slotsForShortJobs(new AtomicInteger(), job -> {
            started.release();
            await(end);
        });
        try {
            slots.deliver(List.of(new BatchCall(List::of, new AtomicInteger(), TimeSource.system()), Races.attempt(1)));
            slots.wake(2, true);
            assertThat(started.tryAcquire(2, 60, TimeUnit.SECONDS)).isTrue();
        } finally {
            end.countDown();
            slots.retire();
        }
    }

    private static Slots slotsForShortJobs(AtomicInteger watches, Consumer<Call> runner) {
        return slotsForShortJobs(() -> true, watches::incrementAndGet, runner);
    }

    private static Slots slotsForShortJobs(BooleanSupplier mayStart, Runnable watching, Consumer<Call> runner) {
        return new Slots(
                TWO_SLOTS,
                mayStart,
                () -> 0,
                jobs -> true,
                () -> {},
                watching,
                (call, slot) -> runner.accept(call),
                call -> {},
                () -> {});
    }

    private static void deliver(Slots slots, long first, int count) {
        slots.deliver(
                LongStream.range(first, first + count).mapToObj(Races::attempt).toList());
        slots.wake(count, true);
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void run(Slots slots, long job) {
        slots.deliver(List.of(Races.attempt(job)));
        slots.wake(1, false);
    }
}
