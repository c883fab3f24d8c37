package dev.windrow.engine.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class BatchCallTest {
    private final Attempt first = Races.attempt(1);
    private final Attempt second = Races.attempt(2);
    private final AtomicInteger onSlots = new AtomicInteger();
    private final BatchCall call = new BatchCall(() -> List.of(first, second), onSlots, new Races.Still());

    /** Starts the call and its attempts on this thread. */
    private void start() {
        call.start();
        for (Attempt attempt : call.attempts()) {
            attempt.inBatch(call);
            assertThat(attempt.begin("w/1", Duration.ofMinutes(1), Races.NO_TRANSACTIONS))
                    .isTrue();
        }
    }

    @AfterEach
    void clearInterrupt() {
        Thread.interrupted();
    }

    @Test
    void theThreadIsInterruptedOnce() {
        start();
        first.interrupt(Attempt.Reason.CANCEL);
        assertThat(Thread.interrupted()).as("the second attempt continues").isFalse();
        second.interrupt(Attempt.Reason.CANCEL);
        assertThat(Thread.interrupted()).isTrue();
        first.end();
        assertThat(call.oneEnded()).isFalse();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void theEndOfTheLastAttemptDoesNotInterruptTheThread() {
        start();
        first.interrupt(Attempt.Reason.CANCEL);
        first.end();
        assertThat(call.oneEnded()).as("the second attempt continues").isFalse();
        second.end();
        assertThat(call.oneEnded()).isFalse();
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void noInterruptReachesTheThreadAfterTheCall() {
        start();
        call.end();
        first.interrupt(Attempt.Reason.STOP);
        second.interrupt(Attempt.Reason.STOP);
        assertThat(Thread.interrupted()).isFalse();
    }

    @Test
    void anEndOnAnotherThreadKeepsTheInterruptsOfTheHandler() throws InterruptedException {
        start();
        Thread other = new Thread(() -> {
            assertThat(call.leaveThread()).isFalse();
            first.end();
        });
        other.start();
        other.join();
        second.interrupt(Attempt.Reason.CANCEL);
        assertThat(Thread.interrupted()).isTrue();
    }

    @Test
    void aCallLeavesItsSlotOnce() {
        start();
        assertThat(onSlots).hasValue(1);
        call.leaveSlot();
        assertThat(onSlots).hasValue(0);
        call.end();
        assertThat(onSlots).hasValue(0);
    }

    @Test
    void aCallThatEndsLeavesItsSlot() {
        start();
        call.end();
        assertThat(onSlots).hasValue(0);
    }
}
