package dev.windrow.tests.modules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.annotation.JsonCreator;
import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.Windrow;
import dev.windrow.json.JacksonCodec;
import dev.windrow.sqlite.SqliteStore;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.NullMarked;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.Logger;
import org.sqlite.JDBC;
import tools.jackson.core.JsonParser;
import tools.jackson.databind.json.JsonMapper;

/** Windrow as named modules: an application on the module path, in its own JVM, enqueues a job and runs it. */
@Timeout(120)
class ModulePathTest {
    private static final String MODULE = """
            module windrow.check {
                requires dev.windrow.core;
                requires dev.windrow.sqlite;

                opens check to tools.jackson.databind;
            }
            """;

    private static final String MAIN = """
            package check;

            import dev.windrow.JobType;
            import dev.windrow.Windrow;
            import dev.windrow.sqlite.SqliteStore;
            import java.nio.file.Path;
            import java.time.Duration;

            public class Main {
                record Numbers(int a, int b) {}

                record Sum(int value) {}

                public static void main(String[] args) {
                    JobType<Numbers, Sum> add = JobType.of("add", Numbers.class, Sum.class);
                    try (Windrow windrow = Windrow.open(SqliteStore.at(Path.of(args[0])))) {
                        var job = windrow.enqueue(add, new Numbers(40, 2));
                        try (var worker = windrow.worker()
                                .handle(add, (numbers, context) -> new Sum(numbers.a() + numbers.b()))
                                .start()) {
                            Sum sum = windrow.await(job, Duration.ofSeconds(30));
                            System.out.println(sum.value() + " in " + Windrow.class.getModule() + " and "
                                    + SqliteStore.class.getModule() + " by " + Main.class.getModule());
                        }
                    }
                }
            }
            """;

    @TempDir
    Path folder;

    @Test
    void anApplicationOnTheModulePathRunsAJob() throws Exception {
        String modules = modulePath();
        Path classes = compile(modules);
        Path out = folder.resolve("out.txt");
        Path err = folder.resolve("err.txt");
        Process process = new ProcessBuilder(command(modules + File.pathSeparator + classes))
                .redirectOutput(out.toFile())
                .redirectError(err.toFile())
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS))
                    .as("ended in time")
                    .isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readString(out).strip())
                .as(Files.readString(err))
                .isEqualTo("42 in module dev.windrow.core and module dev.windrow.sqlite by module windrow.check");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"dev.windrow.store.OpenStore", "dev.windrow.store.sql.writer.Batch", "dev.windrow.engine.Engine"
            })
    void anApplicationCannotNameTheEngineOrTheStoreInterface(String type) throws Exception {
        String main = "package check;\n\nclass Main {\n    " + type + " inside;\n}\n";
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        assertThat(javac(modulePath(), main, messages)).isNotZero();
        assertThat(messages.toString(StandardCharsets.UTF_8))
                .contains("package " + type.replaceFirst("\\.\\w+$", "") + " is not visible");
    }

    private List<String> command(String modulePath) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=org.xerial.sqlitejdbc");
        }
        command.addAll(List.of("--module-path", modulePath, "--module", "windrow.check/check.Main"));
        command.add(folder.resolve("jobs.db").toString());
        return command;
    }

    private Path compile(String modulePath) throws IOException {
        ByteArrayOutputStream messages = new ByteArrayOutputStream();
        assertThat(javac(modulePath, MAIN, messages))
                .as(messages.toString(StandardCharsets.UTF_8))
                .isZero();
        return folder.resolve("classes");
    }

    private int javac(String modulePath, String code, ByteArrayOutputStream messages) throws IOException {
        Path source = Files.createDirectories(folder.resolve("source/check"));
        Path classes = Files.createDirectories(folder.resolve("classes"));
        Path module = Files.writeString(source.resolveSibling("module-info.java"), MODULE);
        Path main = Files.writeString(source.resolve("Main.java"), code);
        return ToolProvider.getSystemJavaCompiler()
                .run(
                        null,
                        messages,
                        messages,
                        "--release",
                        "17",
                        "--module-path",
                        modulePath,
                        "-d",
                        classes.toString(),
                        module.toString(),
                        main.toString());
    }

    /** Returns the paths of these modules. They are jars or folders of classes, depending on the class path of the build. */
    private static String modulePath() {
        return Stream.of(
                        Windrow.class,
                        SqliteStore.class,
                        JacksonCodec.class,
                        Logger.class,
                        JDBC.class,
                        JsonMapper.class,
                        JsonParser.class,
                        JsonCreator.class,
                        NullMarked.class,
                        CheckReturnValue.class)
                .map(ModulePathTest::location)
                .distinct()
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static String location(Class<?> type) {
        try {
            return Path.of(type.getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .toURI())
                    .toString();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
