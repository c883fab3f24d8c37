package dev.windrow.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

class TerminalTextTest {
    @Test
    void controlCharactersCannotReachATerminal() {
        assertThat(TerminalText.oneLine("a\u001b[31mb\nc\u0007\u009b\u202e")).isEqualTo("a␛[31mb␊c␇\ufffd\ufffd");
        assertThat(TerminalText.lines("a\r\nb\tc\u001b")).isEqualTo("a\nb\tc␛");
    }

    @Test
    void aCutIsMarked() {
        assertThat(TerminalText.clip("abcdef", 6)).isEqualTo("abcdef");
        assertThat(TerminalText.clip("abcdef", 4)).isEqualTo("abc…");
        assertThat(TerminalText.clipStart("abcdef", 4)).isEqualTo("…def");
        assertThat(TerminalText.clip("𝄞𝄞𝄞", 2)).isEqualTo("𝄞…");
    }

    @Test
    void barsGrowByEighths() {
        assertThat(TerminalText.bar(0, 10, 4)).isEmpty();
        assertThat(TerminalText.bar(10, 10, 4)).isEqualTo("████");
        assertThat(TerminalText.bar(5, 10, 3)).isEqualTo("█▌");
        assertThat(TerminalText.bar(1, 1_000_000, 4)).isEqualTo("▏");
    }

    @Test
    void columnsAreAlignedAndTheLastIsCut() {
        Table table = new Table("ID>", "NAME", "REMARK");
        table.row(7, "a", "short");
        table.row(1234, "long name", "a remark that is too long for this line");
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        table.print(new PrintStream(bytes, true, StandardCharsets.UTF_8), 40, new Ink(false));
        assertThat(bytes.toString(StandardCharsets.UTF_8).lines())
                .containsExactly(
                        "  ID  NAME       REMARK",
                        "   7  a          short",
                        "1234  long name  a remark that is too l…");
    }
}
