package dev.windrow.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.channels.Channels;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class FileCounterTest {
    private static FileCount count(byte[] content, int buffer) throws IOException {
        return FileCounter.count(Channels.newChannel(new ByteArrayInputStream(content)), buffer);
    }

    private static FileCount count(String content) throws IOException {
        return count(content.getBytes(StandardCharsets.UTF_8), 1 << 16);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "\"\",0,0",
                "\"a\",0,1",
                "\"a\n\",1,1",
                "\"\n\n\",2,0",
                "\"one two\tthree\r\nfour\",1,4",
                // A no-break space and a zero-width space join words; an ideographic space and a line separator
                // separate them.
                "\"a\u00a0b c\u3000d\u2028e\u200bf\",0,4",
                "\"\ufeffbom\",0,1"
            })
    void countsNewlinesAndRunsOfNonWhitespace(String text, long lines, long words) throws IOException {
        FileCount count = count(text);
        assertThat(count.lines()).isEqualTo(lines);
        assertThat(count.words()).isEqualTo(words);
    }

    /** The same bytes in buffers of any size: a character that a buffer's end cuts is joined again. */
    @ParameterizedTest
    @ValueSource(ints = {4, 5, 6, 7, 16, 61, 8192})
    void bordersOfBuffersChangeNothing(int buffer) throws Exception {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int round = 0; round < 200; round++) {
            byte[] bytes = mixed(random);
            String text = new String(bytes, StandardCharsets.UTF_8);
            FileCount count = count(bytes, buffer);
            assertThat(count.words())
                    .as("words, seed %d, round %d", seed, round)
                    .isEqualTo(words(text));
            assertThat(count.lines())
                    .as("lines, seed %d, round %d", seed, round)
                    .isEqualTo(text.chars().filter(c -> c == '\n').count());
            assertThat(count.bytes()).isEqualTo(bytes.length);
            assertThat(count.sha256())
                    .isEqualTo(HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)));
        }
    }

    /** Returns text with characters of all lengths, whitespace, and stray bytes between them. */
    private static byte[] mixed(Random random) {
        var out = new java.io.ByteArrayOutputStream();
        String[] pieces = {" ", "\n", "a", "ä", "€", "𝄞", "\u3000", "\u2028", "\u0085", "\u00a0", "word", "\u001c"};
        int length = random.nextInt(60);
        for (int i = 0; i < length; i++) {
            if (random.nextInt(4) == 0) {
                out.write(1 + random.nextInt(255));
            } else {
                out.writeBytes(pieces[random.nextInt(pieces.length)].getBytes(StandardCharsets.UTF_8));
            }
        }
        return out.toByteArray();
    }

    private static long words(String text) {
        long words = 0;
        boolean inside = false;
        for (int i = 0; i < text.length(); i++) {
            boolean space = Character.isWhitespace(text.charAt(i));
            words += !space && !inside ? 1 : 0;
            inside = !space;
        }
        return words;
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 4, 5, 100})
    void aNulByteAnywhereMeansThatTheFileIsNotText(int place) throws IOException {
        byte[] bytes = "x".repeat(101).getBytes(StandardCharsets.UTF_8);
        bytes[place] = 0;
        assertThat(count(bytes, 4)).isNull();
    }

    @Test
    void frequentWordsAreInLowerCaseWithoutSurroundingCharacters() throws IOException {
        FileCount count = count("The the \"THE\" (the), don't e.g. 42 3d -- Straße STRAßE a " + "x".repeat(65));
        assertThat(count.topWords())
                .containsOnly(
                        entry("the", 4L),
                        entry("straße", 2L),
                        entry("don't", 1L),
                        entry("e.g", 1L),
                        entry("3d", 1L),
                        entry("a", 1L));
        assertThat(count.missing()).isZero();
    }

    @Test
    void saysWhenAFileHasMoreWordsThanItsResultKeeps() throws IOException {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i <= FileCounter.WORDS; i++) {
            text.append("word").append(i).append(' ');
        }
        FileCount count = count(text.toString());
        assertThat(count.topWords()).hasSize(FileCounter.WORDS);
        assertThat(count.missing()).isEqualTo(1);
    }
}
