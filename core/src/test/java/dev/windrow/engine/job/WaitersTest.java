package dev.windrow.engine.job;

import dev.windrow.engine.worker.Races;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class WaitersTest {
    @Test
    void aWaiterThatRegistersBeforeItsReadNeverMissesTheEnd() {
        Races.inManyOrders(20, 200, () -> {
            Waiters waiters = new Waiters();
            AtomicBoolean ended = new AtomicBoolean();
            return new Races.Race(
                    List.of(
                            () -> {
                                try (Waiters.Waiter waiter = waiters.register(1, new Races.Still())) {
                                    while (!ended.get()) {
                                        waiter.await(Races.NEVER);
                                    }
                                }
                            },
                            () -> {
                                ended.set(true);
                                waiters.finished(1);
                            }),
                    () -> {});
        });
    }

    @Test
    void aWaiterThatLeavesDoesNotRemoveOthers() {
        Races.inManyOrders(20, 200, () -> {
            Waiters waiters = new Waiters();
            AtomicBoolean ended = new AtomicBoolean();
            Waiters.Waiter leaving = waiters.register(1, new Races.Still());
            return new Races.Race(
                    List.of(
                            leaving::close,
                            () -> {
                                try (Waiters.Waiter waiter = waiters.register(1, new Races.Still())) {
                                    while (!ended.get()) {
                                        waiter.await(Races.NEVER);
                                    }
                                }
                            },
                            () -> {
                                ended.set(true);
                                waiters.finished(1);
                            }),
                    () -> {});
        });
    }
}
