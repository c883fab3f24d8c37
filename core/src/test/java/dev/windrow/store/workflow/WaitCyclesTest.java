package dev.windrow.store.workflow;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

class WaitCyclesTest {
    private final WaitCycles waits = new WaitCycles();

    @Test
    void chainsAndDiamondsAreNoCycle() {
        waits.waits(4, 2);
        waits.waits(4, 3);
        waits.waits(2, 1);
        waits.waits(3, 1);
        waits.waits(3, 1);
        assertThat(waits.find()).isEmpty();
    }

    @Test
    void aCycleIsNamedWithoutItsParentsAndChildren() {
        waits.waits(9, 1);
        waits.waits(1, 2);
        waits.waits(2, 3);
        waits.waits(3, 1);
        waits.waits(3, 8);
        assertThat(waits.find()).containsExactly(List.of(1L, 2L, 3L));
    }

    @Test
    void eachOfSeveralCyclesIsNamedOnce() {
        waits.waits(1, 1);
        waits.waits(2, 3);
        waits.waits(3, 2);
        waits.waits(4, 2);
        waits.waits(4, 1);
        assertThat(waits.find()).containsExactlyInAnyOrder(List.of(1L), List.of(2L, 3L));
    }
}
