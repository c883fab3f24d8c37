package dev.windrow.engine.payload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.ErrorCodes;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TextsTest {
    @Test
    void aLineHasNoCursorControlsAndNoUnpairedSurrogates() {
        assertThat(Texts.line("a\0\n\t\u007f\u009b31m")).isEqualTo("a\u2400\u240a \ufffd\ufffd31m");
        assertThat(Texts.line("\ud83d\ude00 \ude00\ud83d")).isEqualTo("\ud83d\ude00 \ufffd\ufffd");
        assertThat(Texts.line("x".repeat(999) + "\ud83d\ude00")).isEqualTo("x".repeat(999));
        assertThat(Texts.line("x".repeat(998) + "\ud83d\ude00y")).isEqualTo("x".repeat(998) + "\ud83d\ude00");
        assertThat(Texts.line("")).isEmpty();
    }

    @Test
    void outputIsCutByBytesAndNeverInsideACharacter() {
        assertThat(Texts.output("short")).isEqualTo("short");
        String cut = Texts.output("a" + "😀".repeat(100_000));
        assertThat(cut.getBytes(StandardCharsets.UTF_8)).hasSizeBetween(Texts.MAX_OUTPUT - 4, Texts.MAX_OUTPUT);
        assertThat(cut).endsWith("😀");
        String exact = "é".repeat(Texts.MAX_OUTPUT / 2);
        assertThat(Texts.output(exact)).isEqualTo(exact);
        assertThat(Texts.output(exact + "x")).isEqualTo(exact);
    }

    @Test
    void nulCharactersAreRemoved() {
        assertThat(Texts.output("a\0b")).isEqualTo("ab");
        assertThat(Texts.detail("\0")).isEmpty();
        assertThat(Texts.detail(null)).isNull();
    }

    @Test
    void anUnpairedSurrogateIsReplacedInDisplayedTexts() {
        assertThat(Texts.detail("a\ud83d😀\ude00")).isEqualTo("a\ufffd😀\ufffd");
        assertThat(Texts.output("\ude00\ud83d")).isEqualTo("\ufffd\ufffd");
        assertThat(Texts.output("\ud83d\0\ude00")).isEqualTo("😀");
        assertThat(Texts.stackTrace(new IllegalStateException("a\ud83d!"))).contains("a\ufffd!");
    }

    @Test
    void aStackTraceIsNeverCutInsideASurrogatePair() {
        for (int shift = 0; shift < 2; shift++) {
            String trace = Texts.stackTrace(new IllegalStateException("x".repeat(shift) + "😀".repeat(100_000)));
            assertThat(Character.isHighSurrogate(trace.charAt(trace.length() - 1)))
                    .isFalse();
        }
    }

    @Test
    void aDetailIsCutToSizeButNeverInsideASurrogatePair() {
        assertThat(Texts.detail(null)).isNull();
        assertThat(Texts.detail("short")).isEqualTo("short");
        String full = "x".repeat(ErrorCodes.MAX_DETAIL);
        assertThat(Texts.detail(full)).isEqualTo(full);
        assertThat(Texts.detail(full + "y")).isEqualTo(full);
        String even = "😀".repeat(ErrorCodes.MAX_DETAIL);
        assertThat(Texts.detail(even)).hasSize(ErrorCodes.MAX_DETAIL).isEqualTo("😀".repeat(250));
        assertThat(Texts.detail("x" + even)).hasSize(ErrorCodes.MAX_DETAIL - 1).isEqualTo("x" + "😀".repeat(249));
    }
}
