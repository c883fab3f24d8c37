package dev.windrow.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.TimeSource;
import dev.windrow.engine.Loop;
import dev.windrow.store.job.WorkerId;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.IntPredicate;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
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

    private final Semaphore started = new Semaphore(0);
    private final Semaphore ended = new Semaphore(0);
    private final CountDownLatch end = new CountDownLatch(1);
    private final AtomicInteger watches = new AtomicInteger();
    private final AtomicBoolean mayStart = new AtomicBoolean(true);
    private final List<Slots> made = new ArrayList<>();

    @AfterEach
    void retire() {
        end.countDown();
        made.forEach(Slots::retire);
    }

    @Test
    void aSlotThatFailedWhileIdleIsWokenForOneJobAtATime() throws InterruptedException {
        Semaphore rested = new Semaphore(0);
        AtomicInteger rests = new AtomicInteger();
        Slots slots = slots(
                jobs -> false,
                () -> {},
                job -> {
                    started.release();
                    // The first job ends at once.
                    if (rests.get() > 0) {
                        awaitEnd();
                    }
                },
                () -> {
                    if (rests.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("as if");
                    }
                    rested.release();
                });
        deliver(slots, 1, 1);
        await(started, 1);
        await(rested, 1);
        deliver(slots, 2, 1);
        await(started, 1);
        deliver(slots, 3, 1);
        await(started, 1);
    }

    /** The handler of a slot ends just before the slot is replaced. */
    @Test
    void aReplacedSlotIsNotWoken() throws InterruptedException {
        Semaphore rested = new Semaphore(0);
        AtomicBoolean isLong = new AtomicBoolean();
        Slots slots = slots(
                jobs -> false,
                () -> {},
                job -> {
                    if (isLong.get()) {
                        startLong(job);
                    }
                },
                rested::release);
        deliver(slots, 1, 1);
        await(rested, 1);
        isLong.set(true);
        assertThat(slots.replace(slots.all().get(0))).isTrue();
        deliver(slots, 2, 1);
        await(started, 1);
        deliver(slots, 3, 1);
        await(started, 1);
    }

    @Test
    void aSlotThatRunsShortJobsWakesNoOther() throws InterruptedException {
        Slots slots = slotsForShortJobs(watches::incrementAndGet, job -> ended.release());
        deliver(slots, 1, 20);
        await(ended, 20);
        assertThat(slots.all()).hasSize(1);
        assertThat(watches).hasValue(1);
    }

    @Test
    void idleSlotsAreWokenIfALongJobHoldsTheReadyOnes() throws InterruptedException {
        Slots slots = slotsForShortJobs(watches::incrementAndGet, this::startLong);
        deliver(slots, 1, 3);
        await(started, 1);
        assertThat(slots.watch(5)).isEqualTo(Slots.WATCH_NANOS);
        assertThat(slots.watch(6)).as("called earlier").isEqualTo(Slots.WATCH_NANOS - 1);
        // A slot is made when it is woken.
        assertThat(slots.all()).as("the slot may still take a job").hasSize(1);
        slots.deliver(List.of(Races.attempt(4)));
        assertThat(slots.watch(5 + Slots.WATCH_NANOS)).isEqualTo(Slots.WATCH_NANOS);
        assertThat(slots.all()).as("another number is ready").hasSize(1);
        assertThat(slots.watch(5 + 2 * Slots.WATCH_NANOS)).isEqualTo(Slots.WATCH_NANOS);
        await(started, 1);
        assertThat(slots.watch(5 + 3 * Slots.WATCH_NANOS)).as("no slot is idle").isEqualTo(Loop.UNTIL_SIGNALLED);
    }

    @Test
    void slotsAreWatchedAgainAfterTheReadyJobsRanOut() throws InterruptedException {
        Slots slots = slotsForShortJobs(watches::incrementAndGet, job -> ended.release());
        deliver(slots, 1, 3);
        await(ended, 3);
        assertThat(slots.watch(0)).isEqualTo(Slots.WATCH_NANOS);
        assertThat(slots.watch(Slots.WATCH_NANOS)).as("no job is ready").isEqualTo(Loop.UNTIL_SIGNALLED);
        deliver(slots, 4, 3);
        await(ended, 3);
        // Two slots may ask for it at once.
        assertThat(watches.get()).isGreaterThanOrEqualTo(2);
    }

    @Test
    void slotsThatMayStartNoJobAreNotWatched() throws InterruptedException {
        Slots slots = slotsForShortJobs(watches::incrementAndGet, this::startLong);
        deliver(slots, 1, 3);
        await(started, 1);
        assertThat(slots.watch(0)).isEqualTo(Slots.WATCH_NANOS);
        mayStart.set(false);
        assertThat(slots.watch(Slots.WATCH_NANOS)).isEqualTo(Loop.UNTIL_SIGNALLED);
        assertThat(slots.all()).hasSize(1);
    }

    @Test
    void aJobRunsAndItsSlotsAreWatchedAfterASignalFailed() throws InterruptedException {
        Slots slots = slotsForShortJobs(
                () -> {
                    if (watches.incrementAndGet() == 1) {
                        throw new OutOfMemoryError("as if");
                    }
                },
                job -> ended.release());
        deliver(slots, 1, 2);
        await(ended, 2);
        assertThat(watches).hasValue(2);
    }

    /** A call of a batch handler says nothing about the jobs behind it. */
    @Test
    void aSlotThatTakesABatchWakesTheNext() throws InterruptedException {
        Slots slots = slotsForShortJobs(watches::incrementAndGet, this::startLong);
        slots.deliver(List.of(new BatchCall(List::of, new AtomicInteger(), TimeSource.system()), Races.attempt(1)));
        slots.wake(2, true);
        await(started, 2);
    }

    private Slots slotsForShortJobs(Runnable watching, Consumer<Call> runner) {
        return slots(jobs -> true, watching, runner, () -> {});
    }

    private Slots slots(IntPredicate oneSlotSuffices, Runnable watching, Consumer<Call> runner, Runnable changed) {
        Slots slots = new Slots(
                TWO_SLOTS,
                mayStart::get,
                () -> 0,
                oneSlotSuffices,
                () -> {},
                watching,
                (call, slot) -> runner.accept(call),
                call -> {},
                changed);
        made.add(slots);
        return slots;
    }

    private static void deliver(Slots slots, long first, int count) {
        slots.deliver(
                LongStream.range(first, first + count).mapToObj(Races::attempt).toList());
        slots.wake(count, true);
    }

    private void startLong(Call call) {
        started.release();
        awaitEnd();
    }

    private void awaitEnd() {
        try {
            end.await();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    private static void await(Semaphore events, int count) throws InterruptedException {
        assertThat(events.tryAcquire(count, 60, TimeUnit.SECONDS)).isTrue();
    }
}
