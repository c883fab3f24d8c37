package dev.windrow.engine.worker;

import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class HeldClaimsTest {
    @Test
    void aWaitForNoClaimsEndsWithTheLastClaim() {
        Races.inManyOrders(20, 200, () -> {
            HeldClaims hands = new HeldClaims(new Races.Still());
            Attempt first = Races.attempt(1);
            Attempt second = Races.attempt(2);
            hands.add(first);
            hands.add(second);
            AtomicBoolean empty = new AtomicBoolean();
            return new Races.Race(
                    List.of(
                            () -> empty.set(hands.await(hands::isEmpty, Races.NEVER)),
                            () -> hands.remove(first),
                            () -> hands.remove(second)),
                    () -> Races.check(empty.get() && hands.isEmpty(), "the hands are empty"));
        });
    }

    @Test
    void aWaitForAnotherConditionEndsWithItsChange() {
        Races.inManyOrders(20, 200, () -> {
            HeldClaims hands = new HeldClaims(new Races.Still());
            AtomicBoolean stopping = new AtomicBoolean();
            return new Races.Race(
                    List.of(() -> hands.await(stopping::get, Races.NEVER), () -> {
                        stopping.set(true);
                        hands.changed();
                    }),
                    () -> {});
        });
    }
}
