package dev.windrow;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class EventLevelTest {
    @Test
    void eachLevelNamesTheEventsThatItLeavesOut() {
        assertThat(EventKind.values()).allMatch(EventLevel.ALL::includes);
        assertThat(EventKind.values())
                .filteredOn(kind -> !EventLevel.OUTCOMES.includes(kind))
                .containsExactly(EventKind.HEARTBEAT);
    }
}
