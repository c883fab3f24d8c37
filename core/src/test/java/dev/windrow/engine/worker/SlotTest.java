package dev.windrow.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class SlotTest {
    private static class NoWork implements Slot.Work {
        @Override
        public @Nullable Call next() {
            return null;
        }

        @Override
        public void run(Call call, Slot of) {}

        @Override
        public void abandon(Call call) {}

        @Override
        public void idle(Slot of) {}
    }

    @Test
    void aSlotContinuesAfterAnErrorBeforeItsIdleWait() throws InterruptedException {
        Semaphore idle = new Semaphore(0);
        AtomicInteger looks = new AtomicInteger();
        AtomicInteger rests = new AtomicInteger();
        Slot slot = new Slot("w", 0, null, new NoWork() {
            @Override
            public @Nullable Call next() {
                looks.incrementAndGet();
                return null;
            }

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

    /** A caller of enqueue may be the thread that makes a slot. */
    @Test
    void aSlotInheritsNothingFromTheThreadThatMakesIt() throws Exception {
        InheritableThreadLocal<String> tenant = new InheritableThreadLocal<>();
        tenant.set("of the caller");
        ClassLoader loader = new ClassLoader("handlers", null) {};
        CompletableFuture<String> seen = new CompletableFuture<>();
        Slot slot = new Slot("w", 0, loader, new NoWork() {
            @Override
            public @Nullable Call next() {
                Thread thread = Thread.currentThread();
                seen.complete(
                        tenant.get() + ", " + thread.getContextClassLoader().getName());
                return null;
            }
        });
        slot.wake();
        assertThat(seen.get(60, TimeUnit.SECONDS)).isEqualTo("null, handlers");
        slot.retire();
    }
}
