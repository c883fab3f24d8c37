package dev.windrow.cli.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class CaptureTest {
    private static Capture read(byte[] bytes) throws InterruptedException {
        Capture capture = Capture.start(new ByteArrayInputStream(bytes), "test");
        capture.finish(Duration.ofSeconds(30));
        return capture;
    }

    @Test
    void shortOutputIsKeptWhole() throws Exception {
        Capture capture = read("hällo\n".getBytes(StandardCharsets.UTF_8));
        assertThat(capture.text()).isEqualTo("hällo\n");
        assertThat(capture.dropped()).isZero();
        assertThat(capture.end(500)).isEqualTo("hällo");
    }

    @Test
    void malformedBytesAndNulAreAccepted() throws Exception {
        Capture capture = read(new byte[] {'a', 0, (byte) 0xff, (byte) 0xc3, 'b'});
        assertThat(capture.text()).isEqualTo("a\0\ufffd\ufffdb");
    }

    @Test
    void beyondTheLimitTheBeginningAndTheEndAreKept() throws Exception {
        byte[] bytes = ("x".repeat(Capture.LIMIT) + "y".repeat(100_000) + "the end").getBytes(StandardCharsets.UTF_8);
        Capture capture = read(bytes);
        assertThat(capture.text()).isEqualTo("x".repeat(Capture.LIMIT));
        assertThat(capture.dropped()).isEqualTo(100_007);
        assertThat(capture.end(10)).isEqualTo("yyythe end");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ä", "€", "𝄞"})
    void aCharacterThatTheLimitCutsIsLeftOut(String character) throws Exception {
        byte[] bytes = ("x" + character.repeat(70_000)).getBytes(StandardCharsets.UTF_8);
        String text = read(bytes).text();
        assertThat(text).startsWith("x" + character).endsWith(character).doesNotContain("\ufffd");
        assertThat(text.getBytes(StandardCharsets.UTF_8).length).isBetween(Capture.LIMIT - 3, Capture.LIMIT);
    }

    @Test
    void anEndlessStreamDoesNotBlock() throws Exception {
        try (PipedInputStream in = new PipedInputStream();
                PipedOutputStream out = new PipedOutputStream(in)) {
            out.write("so far".getBytes(StandardCharsets.UTF_8));
            out.flush();
            Capture capture = Capture.start(in, "test");
            capture.finish(Duration.ofSeconds(2));
            assertThat(capture.text()).isEqualTo("so far");
        }
    }
}
