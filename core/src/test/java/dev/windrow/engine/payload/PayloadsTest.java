package dev.windrow.engine.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import dev.windrow.payload.Json;
import dev.windrow.payload.PayloadCodec;
import java.lang.reflect.Type;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class PayloadsTest {
    private record Box(int size) {}

    /** Writes the result of toString(); reads nothing. */
    private static final PayloadCodec CODEC = new PayloadCodec() {
        @Override
        public String encode(Object value, Type type) {
            if (value instanceof Box box && box.size() < 0) {
                throw new IllegalStateException("negative box");
            }
            return "\"" + value + "\"";
        }

        @Override
        public Object decode(String json, Type type) {
            return "decoded " + json;
        }
    };

    private static final int MAX_BYTES = 2 << 20;

    /** Creates payloads without a store, because no test here writes or reads blobs. */
    @SuppressWarnings("NullAway")
    private static Payloads payloads(PayloadCodec codec) {
        return new Payloads(codec, new BlobStreams(null, 1 << 20, MAX_BYTES, null));
    }

    @Test
    void jsonTextPassesUnreadEvenWithoutACodec() {
        Payloads none = payloads(null);
        assertThat(none.encode(new Json("[1,2"), Json.class, "payload").text()).isEqualTo("[1,2");
        assertThat(none.decode("[1,2", Json.class)).isEqualTo(new Json("[1,2"));
    }

    @Test
    void nullStaysNullAndVoidIsNotEncoded() {
        Payloads payloads = payloads(CODEC);
        assertThat(payloads.encode(null, Box.class, "payload")).isEqualTo(Encoded.NONE);
        assertThat(payloads.decode(null, Box.class)).isNull();
        assertThat(payloads.encode("something", Void.class, "result")).isEqualTo(Encoded.NONE);
        assertThat(payloads.decode("1", Void.class)).isNull();
    }

    @Test
    void aMissingCodecIsNamedWithARemedy() {
        Payloads none = payloads(null);
        assertThat(none.canHandle(Box.class)).isFalse();
        assertThatThrownBy(() -> none.encode(new Box(1), Box.class, "payload"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("windrow-json")
                .hasMessageContaining("codec");
    }

    @Test
    void anEncodingErrorNamesTheType() {
        assertThatThrownBy(() -> payloads(CODEC).encode(new Box(-1), Box.class, "payload"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("Box")
                .hasMessageContaining("negative box");
    }

    @Test
    void anUnpairedSurrogateIsStoredAsItsEscapeOrRefused() {
        assertThat(payloads(CODEC).encode("a\ud83d", String.class, "payload").text())
                .isEqualTo("\"a\\ud83d\"");
        assertThat(payloads(null)
                        .encode(new Json("[\"\ude00\"]"), Json.class, "result")
                        .text())
                .isEqualTo("[\"\\ude00\"]");
        assertThatThrownBy(() -> payloads(null).encode(new Json("\ude00"), Json.class, "result"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("result contains an unpaired surrogate (\\ude00)");
    }

    @Test
    void aPayloadAboveTheLimitIsRefusedByItsBytes() {
        Payloads payloads = payloads(CODEC);
        for (String unit : new String[] {"x", "é", "€", "😀"}) {
            int bytes = unit.getBytes(StandardCharsets.UTF_8).length;
            String fits = unit.repeat(MAX_BYTES / bytes);
            assertThat(payloads.encode(new Json(fits), Json.class, "payload").text())
                    .isEqualTo(fits);
            assertThatThrownBy(() -> payloads.encode(new Json(fits + unit), Json.class, "payload"))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining(Integer.toString(MAX_BYTES));
        }
    }

    @Test
    void aNulCharacterIsRefused() {
        assertThatThrownBy(() -> payloads(CODEC).encode(new Json("\"\0\""), Json.class, "payload"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessageContaining("NUL");
    }

    @Test
    void jsonMayBeNestedFiveHundredLevelsDeep() {
        Payloads payloads = payloads(CODEC);
        String fits = "[".repeat(500) + "\"[\\\"[\"" + "]".repeat(500);
        assertThat(payloads.encode(new Json(fits), Json.class, "payload").text())
                .isEqualTo(fits);
        assertThatThrownBy(() -> payloads.encode(new Json("{\"a\":" + fits + "}"), Json.class, "payload"))
                .isInstanceOf(InvalidRequestException.class)
                .hasMessage("payload nested 501 levels deep is not allowed: at most 500");
    }
}
