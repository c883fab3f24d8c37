package dev.windrow.wire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.JobState;
import dev.windrow.payload.Json;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class JsonObjectTest {
    @Test
    void everyKeyIsPresentInOrder() {
        JsonObject fields = new JsonObject()
                .id("id", Long.MAX_VALUE)
                .put("state", JobState.PENDING)
                .put("none", null)
                .put("n", 3)
                .put("d", 1.5)
                .put("yes", true)
                .put("at", Instant.parse("2026-11-21T10:00:00Z"))
                .put("tags", List.of("a\"b", "ä"))
                .put("inner", new JsonObject().put("x", List.of()));
        assertThat(fields)
                .hasToString(
                        "{\"id\":\"9223372036854775807\",\"state\":\"PENDING\",\"none\":null,\"n\":3,\"d\":1.5,\"yes\":true,"
                                + "\"at\":\"2026-11-21T10:00:00.000Z\",\"tags\":[\"a\\\"b\",\"ä\"],\"inner\":{\"x\":[]}}");
    }

    @Test
    void timesAreInUtcWithMilliseconds() {
        assertThat(new JsonObject().put("at", Instant.parse("2026-11-21T17:00:00.1239Z")))
                .hasToString("{\"at\":\"2026-11-21T17:00:00.123Z\"}");
    }

    @Test
    void storedJsonIsPrintedUnchanged() {
        assertThat(new JsonObject().put("payload", new Json("{\"n\": 1.50}")))
                .hasToString("{\"payload\":{\"n\": 1.50}}");
    }

    @Test
    void storedTextThatIsNotJsonIsPrintedAsAString() {
        assertThat(new JsonObject().put("payload", new Json("{oops"))).hasToString("{\"payload\":\"{oops\"}");
        assertThat(new JsonObject().put("payload", new Json("1 2"))).hasToString("{\"payload\":\"1 2\"}");
    }

    @Test
    void veryDeepJsonIsPrintedUnchanged() {
        String deep = "[".repeat(5000) + "]".repeat(5000);
        assertThat(new JsonObject().put("payload", new Json(deep))).hasToString("{\"payload\":" + deep + "}");
    }

    @Test
    void anUnpairedSurrogateIsPrinted() {
        assertThat(new JsonObject().put("name", "a\ud800b").toString()).startsWith("{\"name\":\"a");
    }
}
