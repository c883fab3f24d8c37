package dev.windrow.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.crash.Soak;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Words are bytes on Linux; those that are no UTF-8 are refused instead of altered. */
class Utf8Test {
    /** How it is started, and the locale. The launcher chooses another one in place of C. */
    private static final String[][] STARTS = Soak.isOn()
            ? new String[][] {
                {"windrow", "C"},
                {"windrow", "POSIX"},
                {"windrow", "C.UTF-8"},
                {"jar", "C"},
                {"jar", "POSIX"},
                {"jar", "C.UTF-8"}
            }
            : new String[][] {{"windrow", "C"}, {"jar", "C"}, {"jar", "C.UTF-8"}};

    @TempDir
    private Path folder;

    private Cli cli;

    @BeforeEach
    void setUp() {
        cli = new Cli(folder);
        // The jar that the launcher runs is there from now on.
        assertThat(cli.process("--version").status()).isZero();
    }

    private void assertRefused(String line, String... said) {
        Result result = cli.shell(line);
        assertThat(result.status()).as(line + ": " + result.err()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("is not UTF-8").contains(said);
        assertThat(folder.toFile().list((in, name) -> name.contains(".db"))).isEmpty();
    }

    @Test
    void anArgumentThatIsNotUtf8IsNamedAndNothingIsWritten() {
        for (String[] start : STARTS) {
            cli.with("LC_ALL", start[1]);
            assertRefused(start[0] + " enqueue t \"$(printf '\"caf\\351\"')\" --json", "argument 3", "caf\\xe9");
            if (Soak.isOn()) {
                assertOtherPlacesRefused(start[0], start[0], start[0]);
            }
        }
        cli.with("LC_ALL", "POSIX");
        assertOtherPlacesRefused("jar", "jar", "windrow");
    }

    /** In an argument of a program, in the name of a file, and where no argument is taken, each with its own start. */
    private void assertOtherPlacesRefused(String exec, String file, String demo) {
        assertRefused(exec + " --json enqueue exec -- echo \"$(printf '\\355\\240\\200')\"", "argument 6");
        assertRefused(file + " --db \"$(printf 'caf\\351.db')\" enqueue t", "argument 2", "caf\\xe9.db");
        assertRefused(demo + " demo \"$(printf 'caf\\351')\"", "argument 2", "caf\\xe9");
    }

    @Test
    void aDatabaseNameInTheEnvironmentThatIsNotUtf8IsNamed() {
        for (String[] start : STARTS) {
            cli.with("LC_ALL", start[1]);
            assertRefused(
                    "WINDROW_DB=\"$(printf 'caf\\351.db')\"; export WINDROW_DB; " + start[0] + " enqueue t",
                    "WINDROW_DB");
        }
    }

    @Test
    void theReplacementCharacterItselfIsAccepted() {
        for (String[] start : STARTS) {
            cli.with("LC_ALL", start[1]);
            Result result = cli.shell(start[0] + " enqueue t \"$(printf '\"\\357\\277\\275 \\303\\274\"')\" --json");
            assertThat(result.status()).as(result.err()).isZero();
            String id = result.json().get("id").asString();
            assertThat(cli.json("show", id, "--json").get("payload").asString()).isEqualTo("\ufffd ü");
        }
    }

    @Test
    void stdoutIsUtf8InEveryLocale() {
        cli.with("LC_ALL", "C").with("LANG", "C");
        String id = cli.process("enqueue", "t", "{\"s\":\"Grüße 你好\"}", "--name", "Ünal 🎈", "--json")
                .json()
                .get("id")
                .asString();
        JsonNode history = cli.process("show", id, "--json").json();
        assertThat(history.get("name").asString()).isEqualTo("Ünal 🎈");
        assertThat(history.at("/payload/s").asString()).isEqualTo("Grüße 你好");
        assertThat(cli.process("show", id).out()).contains("Ünal 🎈");
    }

    /** The JVM finds nothing by a relative path there. */
    @Test
    void aCurrentFolderThatIsNotUtf8IsReported() {
        Result result = cli.shell(
                "cd=$(printf 'caf\\351'); mkdir \"$cd\"; cd \"$cd\" || exit; windrow enqueue t --json; status=$?; ls -A; exit $status");
        assertThat(result.status()).isEqualTo(1);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).contains("current folder is not UTF-8");
    }
}
