package dev.windrow.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SlotTest {
    @Test
    void aSlotContinuesAfterAnErrorBeforeItsIdleWait() throws InterruptedException {
        Semaphore idle = new Semaphore(0);
        AtomicInteger looks = new AtomicInteger();
        AtomicInteger rests = new AtomicInteger();
        Slot slot = new Slot("w", 0, new Slot.Work() {
            @Override
            public @Nullable Call next() {
                looks.incrementAndGet();
                return null;
            }

            @Override
            public void run(Call call, Slot of) {}

            @Override
            public void abandon(Call call) {}

            @Override
            public void idle(Slot of) {
                if (rests.incrementAndGet() == 1) {
                    throw new OutOfMemoryError("as if");
                }
                idle.release();
            }
        });
        slot.wake();
        assertThat(idle.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        assertThat(looks).as("a job may have come").hasValue(2);
        slot.wake();
        assertThat(idle.tryAcquire(60, TimeUnit.SECONDS)).isTrue();
        slot.retire();
    }
}
