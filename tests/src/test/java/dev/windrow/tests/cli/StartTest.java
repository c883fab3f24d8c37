package dev.windrow.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.Cli.Running;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.IntStream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What holds for every command: how it starts, where it prints, how it refuses. */
class StartTest {
    @TempDir
    private Path folder;

    private Cli cli;

    @BeforeEach
    void setUp() {
        cli = new Cli(folder);
    }

    @Test
    void twelveProcessesAtOnceOnOneNewFileAllSucceed() {
        List<Running> all = IntStream.range(0, 12)
                .mapToObj(i -> cli.start("enqueue", "t", Integer.toString(i), "--json"))
                .toList();
        Set<String> ids = new HashSet<>();
        for (Running each : all) {
            Result result = each.end();
            assertThat(result.status()).as(result.err()).isZero();
            // One of them makes the queue; others may have looked for it before.
            assertThat(result.err())
                    .matches("(windrow: .* (did not exist|had no queue); created a new, empty queue\n)?");
            ids.add(result.json().get("id").asString());
        }
        assertThat(ids).hasSize(12);
        assertThat(cli.json("stats", "--json").at("/states/PENDING").asInt()).isEqualTo(12);
    }

    @Test
    void helpAndVersionSucceedOnStdout() {
        assertThat(cli.process("--version")).satisfies(result -> {
            assertThat(result.status()).isZero();
            assertThat(result.out()).startsWith("windrow ");
        });
        assertThat(cli.run("--help").out())
                .contains("demo", "enqueue", "work", "list", "show", "stats", "retry", "cancel");
        assertThat(cli.run("demo", "--help").status()).isZero();
    }

    @Test
    void wrongArgumentsAreRefusedOnStderr() {
        for (String[] words : new String[][] {{}, {"nosuch"}, {"--nosuch"}, {"--db"}}) {
            assertRefused(cli.run(words));
        }
        assertRefused(cli.process("stats", "--", "x"));
    }

    private static void assertRefused(Result result) {
        assertThat(result.status()).isEqualTo(2);
        assertThat(result.out()).isEmpty();
        assertThat(result.err()).startsWith("windrow: ").doesNotContain("\tat ", "Exception");
    }

    @Test
    void twoDatabasesAreRefused() {
        for (String[] words : new String[][] {
            {"--db", "a.db", "enqueue", "t", "--db", "b.db"},
            {"--db", "a.db", "--db", "b.db", "enqueue", "t"},
            {"enqueue", "--db=a.db", "t", "--db", "b.db", "--json"}
        }) {
            Result result = cli.run(words);
            assertThat(result.status()).as("%s", List.of(words)).isEqualTo(2);
            assertThat(result.err()).contains("'--db' (TARGET) should be specified only once");
            assertThat(result.out()).isEmpty();
        }
        assertThat(folder.resolve("a.db")).doesNotExist();
        assertThat(folder.resolve("b.db")).doesNotExist();
    }

    /** As a script gives it whose variable is not set. */
    @Test
    void anEmptyPathIsWrongUsage() {
        for (String[] words : new String[][] {
            {"enqueue", "t", "--db", ""},
            {"enqueue", "--file", "", "--json"},
            {"work", "--until-idle", "--handlers", ""},
            {"demo", "", "--json"}
        }) {
            Result result = cli.run(words);
            assertThat(result.status()).as("%s", List.of(words)).isEqualTo(2);
            assertThat(result.err()).contains("'' is not allowed; allowed: the path of a");
            assertThat(result.out()).isEmpty();
        }
    }

    @Test
    void aTargetThatIsNotADatabaseIsNamedWithoutAStackTrace() throws IOException {
        Files.writeString(folder.resolve("text.db"), "this is no database, whatever its name says\n".repeat(100));
        Files.createDirectory(folder.resolve("folder.db"));
        for (String name :
                new String[] {"text.db", "folder.db", "no/such/folder/x.db", "jdbc:postgresql://127.0.0.1:1/db"}) {
            Result result = cli.process("enqueue", "t", "--json", "--db", name);
            assertThat(result.status()).as(name).isEqualTo(1);
            assertThat(result.out()).isEmpty();
            assertThat(result.err()).contains(name).doesNotContain("\tat ");
        }
        assertThat(Files.readString(folder.resolve("text.db"))).startsWith("this is no database");
    }

    /** They would cost each start some time, and most have no use for them. */
    @Test
    void aCommandOnAFileLoadsNoPostgresqlClass() throws IOException {
        assertThat(cli.process("enqueue", "t", "--db", "x.db", "--json").status())
                .as("the launcher's jar is of these sources")
                .isZero();
        for (String command : new String[] {"enqueue t", "list", "doctor", "work --until-idle"}) {
            Result result =
                    cli.shell("JAVA_TOOL_OPTIONS=-Xlog:class+load:file=loaded jar %s --db x.db".formatted(command));
            assertThat(result.status()).as(result.err()).isZero();
            assertThat(Files.readAllLines(folder.resolve("loaded")))
                    .anyMatch(line -> line.contains(" dev.windrow.sqlite.SqliteStore "))
                    .noneMatch(
                            line -> line.contains("postgres") || line.contains("hikari") || line.contains(".Postgres"));
        }
    }

    @Test
    void theJarWithoutBenchmarksExplainsHowToMeasure() {
        assertThat(cli.process("--help").out()).contains("  bench ");
        for (String words : new String[] {"bench", "--json bench --jobs 5 --only drain", "bench --nosuch x"}) {
            Result result = cli.shell("jar " + words);
            assertThat(result.status()).isEqualTo(1);
            assertThat(result.out()).isEmpty();
            assertThat(result.err())
                    .isEqualTo(
                            "windrow: 'bench' is not part of this jar; in a checkout of the project, run: ./windrow bench\n");
        }
        assertThat(cli.shell("jar bench --help").out()).contains("./windrow bench");
    }

    @Test
    void theJvmHasTheOptionsInTheEnvironment() {
        String options = "-Dany=* -XX:+UseParallelGC -Xlog:gc:file=" + folder.resolve("gc.log");
        assertThat(cli.with("WINDROW_OPTS", options).process("--version").status())
                .isZero();
        assertThat(folder.resolve("gc.log")).exists();
    }

    @Test
    void aStackTraceIsPrintedOnRequest() {
        assertThat(cli.with("WINDROW_DEBUG", "1")
                        .run("stats", "--db", "nosuch.db")
                        .err())
                .contains("\tat ");
    }
}
