package dev.windrow.engine.payload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.windrow.InvalidRequestException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;

class UnpairedSurrogatesTest {
    @Test
    void textWithoutUnpairedSurrogatesIsUnchanged() {
        for (String text : new String[] {"", "a", "é", "€", "😀", "\"😀\"", "x😀y😀", "\\\"\uffff\""}) {
            assertThat(UnpairedSurrogates.first(text)).isEqualTo(-1);
            assertThat(UnpairedSurrogates.escaped(text, "payload")).isSameAs(text);
            assertThat(UnpairedSurrogates.replaced(text)).isSameAs(text);
        }
    }

    @Test
    void anUnpairedSurrogateWithinAStringIsEscaped() {
        assertThat(UnpairedSurrogates.escaped("\"\ud83d\"", "payload")).isEqualTo("\"\\ud83d\"");
        assertThat(UnpairedSurrogates.escaped("\"\ude00\ud83d😀\"", "payload")).isEqualTo("\"\\ude00\\ud83d😀\"");
        assertThat(UnpairedSurrogates.escaped("{\"a\\\"\" : [\"a\\\":\ud83d\",\"\\\\\ude00\"]}", "payload"))
                .isEqualTo("{\"a\\\"\" : [\"a\\\":\\ud83d\",\"\\\\\\ude00\"]}");
    }

    @Test
    void anUnpairedSurrogateOutsideOfStringsOrInANameIsRefused() {
        for (String text : new String[] {
            "{\"\ud83d\":1}",
            "{\"a\":1,\"\ud83d\\\"\" \n: 1}",
            "\ud83d",
            "[1]\ude00",
            "\"a\"\ud83d",
            "\"\\\ud83d\"",
            "\"\\\\\"\ud83d"
        }) {
            assertThatThrownBy(() -> UnpairedSurrogates.escaped(text, "result"))
                    .isInstanceOf(InvalidRequestException.class)
                    .hasMessageContaining("result contains an unpaired surrogate")
                    .hasMessageContaining("allowed: in a JSON string");
        }
    }

    /** Finds exactly the characters for which UTF-8 has no bytes. */
    @Test
    void replacedTextSurvivesUtf8() {
        Random random = new Random(7);
        char[] some = {'a', '"', '\\', 'é', '\ud83d', '\ude00', '\ud800', '\udfff', '\ue000'};
        for (int round = 0; round < 20_000; round++) {
            StringBuilder text = new StringBuilder();
            int length = random.nextInt(8);
            for (int i = 0; i < length; i++) {
                text.append(some[random.nextInt(some.length)]);
            }
            assertThat(UnpairedSurrogates.first(text.toString()) < 0).isEqualTo(isKept(text.toString()));
            assertThat(isKept(UnpairedSurrogates.replaced(text.toString()))).isTrue();
        }
    }

    private static boolean isKept(String text) {
        return new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8).equals(text);
    }
}
