package dev.windrow.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class SafeStreamTest {
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private final SafeStream stream = SafeStream.over(new PrintStream(bytes, true, StandardCharsets.UTF_8));

    private String printed() {
        return bytes.toString(StandardCharsets.UTF_8);
    }

    @Test
    void onlyTheSequencesOfTheProgramItselfPass() {
        stream.print(new Ink(true).bad("a\u001b[2Jb") + "\u001b]0;c\u0007\u202e\u009b\u007f");
        assertThat(printed()).isEqualTo("\u001b[31ma␛[2Jb\u001b[0m␛]0;c␇\ufffd\ufffd\ufffd");
    }

    @Test
    void lineEndsAndTabsStayButNotASingleCarriageReturn() {
        stream.print("a\r\nb\tc\n\rd\r");
        stream.print("e");
        assertThat(printed()).isEqualTo("a\r\nb\tc\n␍d␍e");
    }

    @Test
    void charactersStayWholeWhereverTheirBytesAreCut() {
        String text = "é…𝄞" + new Ink(true).dim("ж\u202e") + "\ufffd";
        for (byte b : text.getBytes(StandardCharsets.UTF_8)) {
            stream.write(b);
        }
        assertThat(printed()).isEqualTo("é…𝄞\u001b[2mж\ufffd\u001b[0m\ufffd");
    }

    @Test
    void aLineIsOneWrite() {
        List<String> writes = new ArrayList<>();
        PrintStream under = new PrintStream(new OutputStream() {
            @Override
            public void write(int b) {
                throw new AssertionError("byte by byte");
            }

            @Override
            public void write(byte[] all, int offset, int length) {
                writes.add(new String(all, offset, length, StandardCharsets.UTF_8));
            }
        });
        SafeStream.over(under).println("text");
        SafeStream.over(under).println((Object) "more");
        assertThat(writes).containsExactly("text\n", "more\n");
    }

    @Test
    void malformedUtf8IsReplaced() {
        stream.write(new byte[] {'a', (byte) 0x9b, (byte) 0xff, 'b'}, 0, 4);
        assertThat(printed()).isEqualTo("a\ufffd\ufffdb");
    }
}
