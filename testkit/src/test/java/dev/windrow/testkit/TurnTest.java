package dev.windrow.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.WindrowException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The turn of the threads of a test. */
@Timeout(60)
class TurnTest {
    private static void inAnotherThread(String name, Runnable task) {
        CompletableFuture.runAsync(task, command -> new Thread(command, name).start())
                .join();
    }

    @Test
    void aThreadThatWaitsForItsOwnWaiterIsToldSo() {
        Turn turn = new Turn(Duration.ofMillis(1));
        String me = Thread.currentThread().getName();
        turn.take();
        inAnotherThread(
                "helper",
                () -> assertThatThrownBy(turn::take)
                        .isInstanceOf(InvalidRequestException.class)
                        .hasMessage(
                                "thread 'helper' has waited 1ms for thread '" + me
                                        + "', which runs jobs: the threads of a test run jobs one at a time. Does a handler wait for thread 'helper'? Use manual(), where an enqueue runs no job"));
        turn.end();
    }

    @Test
    void aThreadTakesItsTurnAgain() {
        Turn turn = new Turn(Duration.ofMillis(1));
        turn.take();
        turn.take();
        turn.end();
        inAnotherThread("helper", () -> assertThatThrownBy(turn::take).isInstanceOf(InvalidRequestException.class));
        turn.end();
        inAnotherThread("helper", () -> {
            turn.take();
            turn.end();
        });
    }

    @Test
    void anInterruptEndsTheWait() {
        Turn turn = new Turn(Turn.PATIENCE);
        turn.take();
        inAnotherThread("helper", () -> {
            Thread.currentThread().interrupt();
            assertThatThrownBy(turn::take)
                    .isInstanceOf(WindrowException.class)
                    .hasMessage("interrupted while another thread ran the jobs of a test");
            assertThat(Thread.interrupted()).isTrue();
        });
        turn.end();
    }
}
