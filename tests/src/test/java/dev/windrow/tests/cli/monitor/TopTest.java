package dev.windrow.tests.cli.monitor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.CommandTest;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** {@code windrow top} from outside. */
class TopTest extends CommandTest {
    private void someWork() {
        cli.json("enqueue", "exec", "--json", "--max-attempts", "1", "--", "false");
        cli.json("enqueue", "exec", "--json", "--", "true");
        cli.json("work", "--until-idle", "--allow-exec", "--json");
        cli.json("enqueue", "nobody.does", "--queue", "other", "--json");
    }

    @Test
    void withoutATerminalTopPrintsOneFrame() {
        someWork();
        for (Cli.Result result : List.of(cli.process("top"), cli.run("top", "--once"))) {
            assertThat(result.status()).isZero();
            assertThat(result.err()).isEmpty();
            assertThat(result.out())
                    .contains(
                            "COMPLETED 1",
                            "FAILED 1",
                            "PENDING 1",
                            "PROCESS:EXIT_1",
                            "nobody.does",
                            "other",
                            "last hour")
                    .doesNotContain("\u001b");
            assertThat(result.out().lines())
                    .allSatisfy(line ->
                            assertThat(line.codePointCount(0, line.length())).isLessThanOrEqualTo(80));
        }
    }

    @Test
    void topFitsTheSizeOfTheTerminal() {
        someWork();
        Cli.Result result = cli.shell("LINES=20 COLUMNS=60 windrow top");
        assertThat(result.out().lines()).hasSizeLessThanOrEqualTo(20).anyMatch(line -> line.startsWith("Types"));
    }

    @Test
    void topUsesTheWholeTerminalAndRestoresIt() {
        someWork();
        Cli.Result result = cli.with("TERM", "xterm-256color")
                .shell("(until grep -q 'last hour' typescript 2>/dev/null; do sleep 0.1; done; printf q)"
                        + " | script -qefc \"$launcher top --every 500ms\" typescript");
        assertThat(result.status()).as(result.err()).isZero();
        assertThat(result.out()).contains("\u001b[?1049h", "FAILED 1", "PROCESS:EXIT_1");
        assertThat(result.out().stripTrailing()).endsWith("\u001b[?1049l");
    }

    /** By a shell with job control, as a person has one. */
    @Test
    void aStoppedTopRestoresTheTerminalAndRedrawsWhenContinued() {
        someWork();
        // The same loop shows both.
        String command = target.isFile() ? "top" : "stats --watch";
        // Each word is typed when what it answers is there: the shell's own marks are written apart, so that what
        // is typed is not taken for them.
        Cli.Result result = cli.with("TERM", "xterm-256color").shell("""
                rm -f typescript
                says() { for i in $(seq 600); do grep -aqF "$1" typescript 2>/dev/null && return; sleep 0.1; done; exit 1; }
                again() { tr '\\n' ' ' <typescript | sed -n 's/.*1049h.*1049h//p' | grep -aqF 'COMPLETED'; }
                { says 'ready.'; printf '%%s\\n' "$launcher %s --every 500ms"
                  says 'COMPLETED'; printf '\\032'
                  says 'Stopped'; printf '%%s\\n' 'stty -a; echo sto""pped.; fg >/dev/null; stty -a; echo en""ded.'
                  says 'stopped.'
                  for i in $(seq 200); do again && sleep 0.3 && again && break; sleep 0.1; done
                  printf q
                  says 'ended.'; printf 'exit\\n'
                } | script -qefc "env PS1='rea''dy. ' bash --norc --noprofile -i" typescript
                """.formatted(command));
        String text = result.out();
        assertThat(text).as(result.err()).contains("Stopped", "ended.");
        String taken = "\u001b[?1049h";
        String given = "\u001b[?1049l";
        String before = text.substring(0, text.indexOf("Stopped"));
        assertThat(before.lastIndexOf(given)).as(text).isGreaterThan(before.lastIndexOf(taken));
        String after = text.substring(text.indexOf("stopped."));
        assertThat(after).contains(taken);
        assertThat(after.lastIndexOf(given)).as(text).isGreaterThan(after.lastIndexOf(taken));
        assertThat(text.split(Pattern.quote(taken), -1))
                .as("taken twice in all: %s", text)
                .hasSize(3);
        String stopped = text.substring(text.indexOf("Stopped"), text.indexOf("stopped."));
        assertThat(stopped)
                .as("as a shell needs it")
                .containsPattern("[^-]icanon")
                .containsPattern("[^-]echo ");
        assertThat(text.substring(text.lastIndexOf("\u001b[?1049h")))
                .as("shown again")
                .contains("COMPLETED");
    }

    @Test
    void wrongArgumentsAreRefused() {
        someWork();
        Cli.Result json = cli.run("top", "--json");
        assertThat(json.status()).isEqualTo(2);
        assertThat(json.out()).isEmpty();
        assertThat(json.err()).contains("--json", "stats --json");
        Cli.Result every = cli.run("top", "--every", "1ms");
        assertThat(every.status()).isEqualTo(2);
        assertThat(every.err()).contains("--every", "1ms", "500ms to 1h");
    }
}
