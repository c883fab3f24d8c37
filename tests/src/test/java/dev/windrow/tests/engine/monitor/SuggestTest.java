package dev.windrow.tests.engine.monitor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobType;
import dev.windrow.monitor.Monitor;
import dev.windrow.monitor.SuggestField;
import dev.windrow.payload.Json;
import dev.windrow.tests.engine.EngineTest;
import dev.windrow.tests.stores.OnEachStore;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Names for completion. */
@OnEachStore
class SuggestTest extends EngineTest {
    private static final JobType<Json, Json> WORK = JobType.raw("test.work");

    @Test
    void twentyNamesAreSuggestedUnlessTheCallerWantsMore() {
        for (int i = 0; i < 30; i++) {
            windrow.enqueue(WORK.job(new Json("1")).withTags("customer-" + (10 + i)));
        }
        Monitor monitor = windrow.monitor();
        assertThat(monitor.suggest(SuggestField.TAG, "customer-"))
                .hasSize(20)
                .startsWith("customer-10")
                .isSorted();
        assertThat(monitor.suggest(SuggestField.TAG, "customer-", 100)).hasSize(30);
        for (int limit : new int[] {0, 101}) {
            assertThatThrownBy(() -> monitor.suggest(SuggestField.TAG, "", limit))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessage("limit %d is not allowed: 1 to 100".formatted(limit));
        }
    }

    @Test
    void noNameBeginsWithATextThatCannotBeStored() {
        windrow.enqueue(WORK.job(new Json("1")).withTags("?", "a"));
        for (String prefix : List.of("\0", "a\0", "\uD83D")) {
            assertThat(windrow.monitor().suggest(SuggestField.TAG, prefix)).isEmpty();
        }
    }
}
