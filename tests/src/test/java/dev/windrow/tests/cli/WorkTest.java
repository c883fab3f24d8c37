package dev.windrow.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli.Result;
import dev.windrow.tests.cli.Cli.Running;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** {@code windrow work} from outside; how it ends is in {@link SignalTest}, commands are in {@link ExecTest}. */
class WorkTest {
    @TempDir
    private Path folder;

    private Cli cli;

    @BeforeEach
    void setUp() {
        cli = new Cli(folder);
    }

    private String state(String id) {
        return cli.json("show", id, "--json").get("state").asString();
    }

    @Test
    void withoutAllowExecACommandIsRefusedAndARetryThenRunsIt() {
        String id = cli.enqueue("exec", "--", "sh", "-c", "echo hi");
        assertThat(cli.json("work", "--until-idle", "--json").toString())
                .isEqualTo("{\"completed\":0,\"failed\":1,\"cancelled\":0,\"retried\":0,\"handedBack\":0}");
        JsonNode story = cli.json("show", id, "--json");
        assertThat(story.get("state").asString()).isEqualTo("FAILED");
        assertThat(story.get("errorCode").asString()).isEqualTo("PERMISSION:EXEC_DISABLED");
        assertThat(story.get("attempts")).hasSize(1);

        assertThat(cli.json("retry", id, "--json").get("changed").asInt()).isEqualTo(1);
        assertThat(cli.json("work", "--until-idle", "--allow-exec", "--json")
                        .get("completed")
                        .asInt())
                .isEqualTo(1);
        assertThat(cli.json("show", id, "--json").get("result").toString())
                .isEqualTo("{\"exitCode\":0,\"stdout\":\"hi\\n\",\"stderr\":\"\"}");
    }

    @Test
    void untilIdleTakesChildrenAndLeavesWhatItCannotRunNow() {
        String parent = cli.enqueue("exec", "--", "true");
        String child = cli.enqueue("exec", "--depends-on", parent, "--", "true");
        String failing = cli.enqueue("exec", "--max-attempts", "1", "--", "false");
        String anyway = cli.enqueue("exec", "--depends-on", failing, "--on-parent-failure", "run", "--", "true");
        String waiting = cli.enqueue("exec", "--depends-on", failing, "--", "true");
        String later = cli.enqueue("exec", "--delay", "1h", "--", "true");
        String unknown = cli.enqueue("nobody.does");
        String elsewhere = cli.enqueue("exec", "--queue", "other", "--", "true");
        JsonNode totals = cli.json("work", "--until-idle", "--allow-exec", "--concurrency", "2", "--json");
        assertThat(totals.get("completed").asInt()).isEqualTo(3);
        assertThat(totals.get("failed").asInt()).isEqualTo(1);
        assertThat(state(child)).isEqualTo("COMPLETED");
        assertThat(state(anyway)).isEqualTo("COMPLETED");
        assertThat(state(waiting)).isEqualTo("BLOCKED");
        assertThat(state(later)).isEqualTo("SCHEDULED");
        assertThat(state(unknown)).isEqualTo("PENDING");
        assertThat(state(elsewhere)).isEqualTo("PENDING");

        assertThat(cli.json("work", "--until-idle", "--allow-exec", "--queue", "other:1", "--json")
                        .get("completed")
                        .asInt())
                .isEqualTo(1);
        assertThat(cli.run("work", "--until-idle").out()).contains("completed 0");
    }

    @Test
    void handlersComeFromAJar() throws IOException {
        Path jar = jar("""
                package acme;

                import dev.windrow.HandlerProvider;
                import dev.windrow.Handlers;
                import dev.windrow.JobType;

                public final class Provider implements HandlerProvider {
                    public record Pair(int a, int b) {}

                    @Override
                    public void register(Handlers handlers) {
                        handlers.handle(
                                JobType.of("sum", Pair.class, Integer.class).withAliases("add"), (pair, job) -> {
                                    System.out.println("a handler prints on stdout");
                                    return pair.a() + pair.b();
                                });
                    }
                }
                """);
        String sum = cli.enqueue("sum", "{\"a\":1,\"b\":2}");
        String alias = cli.enqueue("add", "{\"a\":3,\"b\":4}");
        String undecodable = cli.enqueue("sum", "{\"a\":\"x\"}");
        JsonNode totals = cli.json("work", "--until-idle", "--json", "--handlers", jar.toString());
        assertThat(totals.toString())
                .isEqualTo("{\"completed\":2,\"failed\":1,\"cancelled\":0,\"retried\":0,\"handedBack\":0}");
        assertThat(cli.json("show", sum, "--json").get("result").asInt()).isEqualTo(3);
        assertThat(cli.json("show", alias, "--json").get("result").asInt()).isEqualTo(7);
        assertThat(cli.json("show", undecodable, "--json").get("errorCode").asString())
                .isEqualTo("INVALID_INPUT:PAYLOAD");
    }

    private Path jar(String source) throws IOException {
        Path file =
                Files.writeString(Files.createDirectories(folder.resolve("src")).resolve("Provider.java"), source);
        Path classes = Files.createDirectories(folder.resolve("classes"));
        int status = ToolProvider.getSystemJavaCompiler()
                .run(null, null, null, "-proc:none", "-d", classes.toString(), file.toString());
        assertThat(status).isZero();
        Path jar = folder.resolve("handlers.jar");
        try (OutputStream out = Files.newOutputStream(jar);
                JarOutputStream entries = new JarOutputStream(out);
                var files = Files.walk(classes)) {
            for (Path each : files.filter(Files::isRegularFile).toList()) {
                entries.putNextEntry(new JarEntry(classes.relativize(each).toString()));
                entries.write(Files.readAllBytes(each));
            }
            entries.putNextEntry(new JarEntry("META-INF/services/dev.windrow.HandlerProvider"));
            entries.write("acme.Provider\n".getBytes(StandardCharsets.UTF_8));
        }
        return jar;
    }

    @Test
    void aJarThatCannotBeUsedIsNamed() throws IOException {
        Path jar = folder.resolve("empty.jar");
        try (JarOutputStream entries = new JarOutputStream(Files.newOutputStream(jar))) {
            entries.putNextEntry(new JarEntry("nothing"));
        }
        for (String name : new String[] {"nosuch.jar", "empty.jar"}) {
            Result result = cli.run("work", "--until-idle", "--handlers", name);
            assertThat(result.status()).isEqualTo(1);
            assertThat(result.err()).contains("--handlers", name);
        }
    }

    @Test
    void aJobEnqueuedByAnotherProcessIsTaken() {
        Running worker = cli.start("work", "--allow-exec").said("is at work");
        Path mark = folder.resolve("mark");
        String id = cli.enqueue("exec", "--", "sh", "-c", "echo $WINDROW_JOB_ID > mark");
        assertThat(Cli.contentOf(mark)).isEqualTo(id);
        worker.signal("TERM");
        assertThat(worker.end().status()).isZero();
    }

    @Test
    void valuesOutOfRangeAreWrongUsageAndMakeNoFile() {
        for (String[] words : new String[][] {
            {"--concurrency", "0"},
            {"--queue", "a:0"},
            {"--queue", "/"},
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
