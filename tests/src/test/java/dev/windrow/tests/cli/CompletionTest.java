package dev.windrow.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** {@code windrow completion}: a real bash takes the script and completes by it. */
@Once
class CompletionTest {
    @TempDir
    Path folder;

    private Cli cli;

    @BeforeEach
    void setUp() {
        cli = new Cli(folder);
    }

    /** What bash offers for the last of these words. */
    private String offered(String words, int last) {
        Cli.Result result = cli.shell("""
                bash -c '
                  source ./script
                  COMP_WORDS=(%s); COMP_CWORD=%d; COMP_LINE="${COMP_WORDS[*]}"; COMP_POINT=${#COMP_LINE}
                  _complete_windrow
                  printf "%%s\\n" "${COMPREPLY[@]}"'
                """.formatted(words, last));
        assertThat(result.status()).as(result.err()).isZero();
        return result.out();
    }

    @Test
    void commandsOptionsAndValuesAreCompleted() throws IOException {
        Files.writeString(
                folder.resolve("script"), cli.run("completion", "bash").out());
        assertThat(offered("windrow can", 1).lines()).contains("cancel").doesNotContain("list");
        assertThat(offered("windrow list --creat", 2).lines()).contains("--created-after", "--created-before");
        assertThat(offered("windrow list --state FA", 3).lines()).containsExactly("FAILED");
        assertThat(offered("windrow --color al", 2).lines()).containsExactly("always");
        assertThat(offered("windrow completion z", 2).lines()).containsExactly("zsh");
        assertThat(offered("windrow schedule re", 2).lines()).contains("resume", "remove");
        assertThat(offered("windrow retention set co", 3).lines()).containsExactly("completed");
    }

    @Test
    void theZshScriptLoadsItsCompletionFunctions() {
        assertThat(cli.run("completion", "zsh").out())
                .startsWith("autoload -U +X compinit")
                .contains("bashcompinit");
        assertThat(cli.json("completion", "bash", "--json").get("script").asString())
                .contains("complete -F _complete_windrow");
    }
}
