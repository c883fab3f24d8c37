package dev.windrow.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.Once;
import dev.windrow.tests.cli.Cli.Result;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A wrong use of commands, each refused before a database is looked for. */
@Once
class WrongUsageTest {
    @TempDir
    private Path folder;

    private Cli cli;

    @BeforeEach
    void setUp() {
        cli = new Cli(folder);
    }

    @Test
    void anExtraArgumentIsRefused() {
        assertThat(cli.run("stats", "now").status()).isEqualTo(2);
        assertThat(cli.run("workers", "all").status()).isEqualTo(2);
    }

    @Test
    void aWrongNameOfAQueueOrTypeIsRefused() {
        String[][] wrong = {
            {"pause", "the target is missing"},
            {"resume", "mail", "--type", "t", "only one of"},
            {"pause", "--key", "", "1 to 200"},
            {"pause", "a/b", "A-Z a-z 0-9"},
            {"pause", "mail", "--reason", "", "1 to 500 characters"},
            {"work", "--auto-retry-after", "1m", "needs --auto-retry"},
            {"work", "--auto-retry", "A:B", "--auto-retry-after", "1h", "--auto-retry-until", "1m", "at least 1h"},
            {"limit", "mail", "the limit is missing"},
            {"limit", "mail", "--running", "0", "1 to 1000000"},
            {"limit", "mail", "--rate", "fast", "10/s"},
            {"limit", "mail", "--burst", "3", "--rate"},
            {"limit", "mail", "--rate", "none", "--burst", "3", "--rate"},
        };
        for (String[] words : wrong) {
            Result result = cli.run(java.util.Arrays.copyOf(words, words.length - 1));
            assertThat(result.status()).as("%s", (Object) words).isEqualTo(2);
            assertThat(result.err()).contains(words[words.length - 1]);
            assertThat(result.out()).isEmpty();
        }
    }

    @Test
    void aWrongLabelIsRefusedBeforeAFileIsMade() {
        for (String label : List.of(" ", "x".repeat(201), "two\nlines", "\ud83d")) {
            assertThat(cli.run("work", "--name", label, "--until-idle").status())
                    .as(label)
                    .isEqualTo(2);
            assertThat(folder).isEmptyDirectory();
        }
    }

    @Test
    void anUnknownOptionIsRefused() {
        Result result = cli.run("doctor", "--repair");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("--repair");
    }

    @Test
    void aWrongIdIsRefused() {
        Result result = cli.run("show", "x1", "--json");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("x1");
        assertThat(cli.run("show", "9223372036854775808").err()).contains("1 to 9223372036854775807");
    }

    @Test
    void anUnknownStateIsRefused() {
        Result result = cli.run("list", "--state", "LOST", "--json");
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.err()).contains("--state", "LOST", "CANCELLED");
        assertThat(result.out()).isEmpty();
    }

    @Test
    void aFilterThatCanMatchNothingIsRefused() {
        String[][] wrong = {
            {"--type", "No Type", "a-z 0-9"},
            {"--type", "", "a-z 0-9"},
            {"--queue", "a/b", "A-Z a-z 0-9"},
            {"--error-code", "timeout", "CATEGORY:SUBCATEGORY"},
            {"--state", "", "PENDING"},
        };
        for (String[] each : wrong) {
            for (String command : new String[] {"list", "retry", "cancel"}) {
                assertRefused(command, each);
            }
        }
        assertRefused("list", "--tag", "", "1 to 100");
        assertRefused("list", "--limit", "0", "1 to 1000");
        assertRefused("list", "--limit", "1001", "1 to 1000");
        assertRefused("list", "--limit", "-5", "1 to 1000");
        assertRefused("list", "--after", "-5", "cursor");
        assertRefused("list", "--created-after", "-999999999-01-01T00:00:00Z", "9999");
    }

    private void assertRefused(String command, String... what) {
        Result result = cli.run(command, what[0], what[1], "--json");
        assertThat(result.status()).as("%s %s %s", command, what[0], what[1]).isEqualTo(2);
        assertThat(result.err()).contains(what[0], "'" + what[1] + "'", what[2]);
        assertThat(result.out()).isEmpty();
    }

    @Test
    void aCommandWithoutIdAndFilterIsRefused() {
        for (String verb : new String[] {"cancel", "retry"}) {
            assertThat(cli.run(verb, "--json").status()).isEqualTo(2);
            assertThat(cli.run(verb, "1", "--type", "a").status()).isEqualTo(2);
            assertThat(cli.run(verb, "one").status()).isEqualTo(2);
        }
        assertThat(cli.run("retry", "1", "--attempts", "0").err()).contains("--attempts", "'0'", "1 to 1000");
    }

    @Test
    void valuesOutOfRange() {
        for (String[] words : new String[][] {
            {"--concurrency", "0"},
            {"--queue", "a:0"},
            {"--queue", "/"},
            {"--min-priority", "40000"},
            {"--lease", "1ms"},
            {"--poll", "2d"},
            {"--drain-timeout", "soon"},
            {"--nosuch", "1"},
            {"--queue=a", "--queue=a:2"}
        }) {
            Result result = cli.run("work", "--until-idle", words[0], words[1]);
            assertThat(result.status()).as("%s %s", words[0], words[1]).isEqualTo(2);
            assertThat(result.err()).contains(words[0].replaceFirst("=.*", ""));
        }
        assertThat(folder.resolve("windrow.db")).doesNotExist();
    }
}
