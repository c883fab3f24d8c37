package dev.windrow.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.store.job.WorkerId;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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
