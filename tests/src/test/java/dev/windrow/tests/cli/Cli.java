package dev.windrow.tests.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.windrow.cli.InProcess;
import dev.windrow.tests.crash.Soak;
import dev.windrow.tests.stores.Target;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import tools.jackson.core.StreamReadFeature;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Runs the command line, with a folder of the test's as its working folder. In this process, in milliseconds, as {@link InProcess} has it; as the real
 * {@code ./windrow} in a process of its own where a test is about what only that has: its start, locale, signals, streams, log, or being another one.
 */
public final class Cli {
    public static final Duration DEADLINE = Duration.ofSeconds(160);

    private static final Path LAUNCHER = Path.of(System.getProperty("windrow.root"), "windrow");
    private static final JsonMapper STRICT = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
            .build();

    private final Path folder;
    private final Map<String, String> environment = new LinkedHashMap<>();
    private File stdin = new File("/dev/null");
    private final AtomicInteger runs = new AtomicInteger();

    public Cli(Path folder) {
        this.folder = folder;
        environment.put("JAVA_HOME", System.getProperty("java.home"));
        environment.put(
                "XDG_CONFIG_HOME", folder.resolve("xdg").toAbsolutePath().toString());
        if (!Soak.isOn()) {
            // Workers of tests end before the optimizing compiler pays; it took a third of the processor time of their
            // start.
            environment.put("WINDROW_OPTS", "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC");
        }
    }

    /** Sets a variable for the commands that begin from now on. */
    public Cli with(String name, String value) {
        environment.put(name, value);
        return this;
    }

    /** Names this place as the queue of the commands that begin from now on. */
    public Cli on(Target target) {
        with("WINDROW_DB", target.place());
        return target.isFile() ? this : with("WINDROW_DB_SCHEMA", target.schema());
    }

    /** Gives this file as stdin to the commands that begin from now on. */
    public Cli reading(Path file) {
        stdin = file.toFile();
        return this;
    }

    /** Runs a command to its end, in this process. */
    public Result run(String... args) {
        try (InputStream in = Files.newInputStream(stdin.toPath())) {
            InProcess command = inProcess(in);
            int status = command.run(args);
            return new Result(status, command.out(), command.err());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private InProcess inProcess(InputStream in) {
        Map<String, String> variables = new HashMap<>(System.getenv());
        adapt(variables);
        return new InProcess(folder, variables, in);
    }

    /** Starts a command in this process, on a thread of its own, and does not wait. */
    public AtWork begin(String... args) {
        InProcess command = inProcess(InputStream.nullInputStream());
        FutureTask<Integer> status = new FutureTask<>(() -> command.run(args));
        Thread thread = new Thread(status, "windrow-command");
        thread.setDaemon(true);
        thread.start();
        return new AtWork(command, status);
    }

    /** Runs a command to its end, in a process of its own. */
    public Result process(String... args) {
        return start(args).end();
    }

    /** Nothing of the user who runs the tests counts. */
    private void adapt(Map<String, String> variables) {
        variables.keySet().removeIf(name -> name.startsWith("WINDROW_") || name.startsWith("PG"));
        variables.putAll(environment);
    }

    /** Runs a command that must succeed, and reads the one JSON value on its stdout. */
    public JsonNode json(String... args) {
        Result result = run(args);
        assertThat(result.status()).as("exit status; stderr: %s", result.err()).isZero();
        return result.json();
    }

    /** Enqueues a job by these words; answers its id. */
    public String enqueue(String... words) {
        List<String> args = new ArrayList<>(List.of("enqueue", "--json"));
        args.addAll(List.of(words));
        return json(args.toArray(String[]::new)).get("id").asString();
    }

    /** Enqueues a job with these options that makes the file {@code started} and ends when there is a file {@code go}. */
    public String enqueuePatient(String... options) {
        List<String> words = new ArrayList<>(List.of("exec"));
        words.addAll(List.of(options));
        words.addAll(List.of("--", "sh", "-c", "echo yes > started; while [ ! -e go ]; do sleep 0.05; done"));
        return enqueue(words.toArray(String[]::new));
    }

    /** Starts a command in a process of its own and does not wait. */
    public Running start(String... args) {
        return start(List.of(), args);
    }

    /**
     * Runs a line of shell to its end, in which {@code windrow} is the launcher and {@code jar} the executable jar alone:
     * for bytes that are no text, by {@code printf}.
     */
    public Result shell(String line) {
        String functions = """
                windrow() { "$launcher" "$@"; }
                jar() { read -r app <"$kept/current"; "$JAVA_HOME/bin/java" -jar "$kept/$app/windrow.jar" "$@"; }
                """;
        return start(
                        List.of(),
                        List.of(
                                "env",
                                "launcher=" + LAUNCHER,
                                "kept=" + LAUNCHER.resolveSibling("target/launcher"),
                                "sh",
                                "-c",
                                functions + line))
                .end();
    }

    /** Starts a command by another one, such as {@code setsid}. */
    public Running start(List<String> before, String... args) {
        try {
            return start(before, command(args));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private Running start(List<String> before, List<String> command) {
        try {
            Path out = folder.resolve("stdout-" + runs.incrementAndGet());
            Path err = folder.resolve("stderr-" + runs.get());
            // A build in the background of a shell ignores Ctrl-C, and so would all that it starts.
            List<String> words = new ArrayList<>(List.of("env", "--default-signal=INT,HUP,TERM"));
            words.addAll(before);
            words.addAll(command);
            ProcessBuilder builder = new ProcessBuilder(words)
                    .directory(folder.toFile())
                    .redirectInput(stdin)
                    .redirectOutput(out.toFile())
                    .redirectError(err.toFile());
            adapt(builder.environment());
            Process process = builder.start();
            Runtime.getRuntime().addShutdownHook(new Thread(() -> end(process)));
            return new Running(process, out, err);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** What a failed test has left running ends with the tests at the latest. */
    private static void end(Process process) {
        // The number of one that has ended may be another's by now, whose descendants would be killed: a server's, say.
        if (process.isAlive()) {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
    }

    /**
     * The JVM of this test encodes arguments by its own locale, which may know ASCII only. Others go through a script,
     * which is UTF-8 and nothing else.
     */
    private List<String> command(String... args) throws IOException {
        List<String> words = new ArrayList<>(List.of(LAUNCHER.toString()));
        words.addAll(List.of(args));
        if (words.stream().allMatch(word -> word.chars().allMatch(c -> c < 0x80))) {
            return words;
        }
        String line = words.stream()
                .map(word -> "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" ", "exec ", "\n"));
        Path script = Files.writeString(folder.resolve("script-" + runs.get()), line, StandardCharsets.UTF_8);
        return List.of("sh", script.toString());
    }

    /** A path below a folder whose name is these bytes: by way of a URI, because a name of text depends on the locale. */
    public static Path path(Path folder, byte... name) {
        StringBuilder uri = new StringBuilder(folder.toUri().toString());
        if (uri.charAt(uri.length() - 1) != '/') {
            uri.append('/');
        }
        for (byte b : name) {
            uri.append(b == '/' ? "/" : "%%%02X".formatted(b));
        }
        return Path.of(URI.create(uri.toString()));
    }

    public static Path path(Path folder, String name) {
        return path(folder, name.getBytes(StandardCharsets.UTF_8));
    }

    /** What a command left. */
    public record Result(int status, String out, String err) {
        public JsonNode json() {
            return STRICT.readTree(out);
        }
    }

    /** A command at work in this process. */
    public record AtWork(InProcess command, Future<Integer> status) {
        /** A signal to stop. */
        public AtWork signal() {
            command.signal();
            return this;
        }

        public Result end() throws Exception {
            return new Result(status.get(DEADLINE.toMillis(), TimeUnit.MILLISECONDS), command.out(), command.err());
        }
    }

    /** A command at work in a process of its own. */
    public record Running(Process process, Path out, Path err) {
        public Result end() {
            try {
                if (!process.waitFor(DEADLINE.toMillis(), TimeUnit.MILLISECONDS)) {
                    process.destroyForcibly();
                    throw new AssertionError("still running after " + DEADLINE + "; stderr: " + Files.readString(err));
                }
                return new Result(process.exitValue(), Files.readString(out), Files.readString(err));
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                process.destroyForcibly();
                throw new AssertionError("interrupted", e);
            }
        }

        /** Waits until the command has said this on stderr. */
        public Running said(String text) {
            await().atMost(DEADLINE)
                    .pollInterval(Duration.ofMillis(20))
                    .until(() -> Files.readString(err).contains(text));
            return this;
        }

        public Running signal(String name) {
            return signal(name, process.pid());
        }

        /** Signals the whole process group, as a terminal's Ctrl-C does; the command must lead it. */
        public Running signalGroup(String name) {
            return signal(name, -process.pid());
        }

        private Running signal(String name, long target) {
            try {
                Process kill = new ProcessBuilder("sh", "-c", "kill -s %s -- %d".formatted(name, target))
                        .inheritIO()
                        .start();
                assertThat(kill.waitFor()).isZero();
                return this;
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            } catch (InterruptedException e) {
                throw new AssertionError("interrupted", e);
            }
        }
    }

    /** Waits until a file is there and has content; answers that without blanks around it. */
    public static String contentOf(Path file) {
        await().atMost(DEADLINE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> Files.exists(file) && !Files.readString(file).isBlank());
        try {
            return Files.readString(file).strip();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits until no process has this id. */
    public static void assertEnds(long pid) {
        await().atMost(DEADLINE)
                .pollInterval(Duration.ofMillis(20))
                .until(() -> ProcessHandle.of(pid).isEmpty());
    }
}
