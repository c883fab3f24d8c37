package dev.windrow.cli.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.cli.UsageException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ExecRequestTest {
    @Test
    void theWordsOfACommandLineBecomeAPayload() {
        String payload = ExecRequest.payload(List.of("sh", "-c", "echo \"ä\"", ""));
        assertThat(payload).isEqualTo("{\"command\":[\"sh\",\"-c\",\"echo \\\"ä\\\"\",\"\"]}");
        assertThatCode(() -> ExecRequest.check(payload)).doesNotThrowAnyException();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{}",
                "[]",
                "null",
                "{\"command\":[]}",
                "{\"command\":[\"\"]}",
                "{\"command\":\"ls\"}",
                "{\"command\":[1]}",
                "{\"command\":[null]}",
                "{\"command\":[[\"ls\"]]}",
                "{\"command\":[\"a\\u0000b\"]}",
                "{\"command\":[\"echo\",\"\\ud83d\"]}",
                "{\"command\":[\"ls\"],\"cwd\":\"/\"}",
                "{\"cmd\":[\"ls\"]}"
            })
    void aPayloadThatCannotBeRunIsRefused(String payload) {
        assertThatThrownBy(() -> ExecRequest.check(payload))
                .isInstanceOf(UsageException.class)
                .hasMessageContaining("{\"command\":[");
    }

    @Test
    void aMissingPayloadIsRefused() {
        assertThatThrownBy(() -> ExecRequest.check(null)).isInstanceOf(UsageException.class);
    }
}
