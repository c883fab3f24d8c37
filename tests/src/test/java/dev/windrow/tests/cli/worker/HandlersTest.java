package dev.windrow.tests.cli.worker;

import static org.assertj.core.api.Assertions.assertThat;

import dev.windrow.tests.cli.Cli;
import dev.windrow.tests.cli.Cli.Result;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Handlers that {@code windrow work} takes from jars. */
class HandlersTest {
    @TempDir
    private Path folder;

    private Cli cli;

    @BeforeEach
    void setUp() {
        cli = new Cli(folder);
    }

    @Test
    void handlersAreLoadedFromAJar() throws IOException {
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
        // What a handler prints on stdout must not be there: the process's own.
        JsonNode totals = cli.process("work", "--until-idle", "--json", "--handlers", jar.toString())
                .json();
        assertThat(totals.toString())
                .isEqualTo(
                        "{\"completed\":2,\"failed\":1,\"cancelled\":0,\"retried\":0,\"snoozed\":0,\"parked\":0,\"handedBack\":0}");
        assertThat(cli.json("show", sum, "--json").get("result").asInt()).isEqualTo(3);
        assertThat(cli.json("show", alias, "--json").get("result").asInt()).isEqualTo(7);
        assertThat(cli.json("show", undecodable, "--json").get("errorCode").asString())
                .isEqualTo("INVALID_INPUT:PAYLOAD");
    }

    @Test
    void theLevelOfEventsIsAnOptionAndASetting() throws IOException {
        String jar = jar("""
                        package acme;

                        import dev.windrow.HandlerProvider;
                        import dev.windrow.Handlers;
                        import dev.windrow.JobType;

                        public final class Provider implements HandlerProvider {
                            @Override
                            public void register(Handlers handlers) {
                                handlers.handleVoid(JobType.of("half", Integer.class), (n, job) -> job.progress(0.5, "half"));
                            }
                        }
                        """).toString();
        String all = cli.enqueue("half", "1");
        cli.run("work", "--until-idle", "--handlers", jar);
        assertThat(eventsOf(all)).isEqualTo("ENQUEUED CLAIMED STARTED HEARTBEAT SUCCEEDED");
        String fewer = cli.enqueue("half", "1");
        cli.run("work", "--until-idle", "--handlers", jar, "--events", "outcomes");
        assertThat(eventsOf(fewer)).isEqualTo("ENQUEUED CLAIMED STARTED SUCCEEDED");
        cli.with("WINDROW_EVENTS", "outcomes");
        String set = cli.enqueue("half", "1");
        cli.run("work", "--until-idle", "--handlers", jar);
        assertThat(eventsOf(set)).isEqualTo("ENQUEUED CLAIMED STARTED SUCCEEDED");
    }

    private String eventsOf(String id) {
        return cli.json("show", id, "--json")
                .get("events")
                .valueStream()
                .map(event -> event.get("event").asString())
                .collect(Collectors.joining(" "));
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
}
