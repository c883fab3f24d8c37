package dev.windrow.bench;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A worker process: this program again, from the same class path. It gets its commands as lines ({@link ChildMain}).
 */
final class Child implements AutoCloseable {
    private final Process process;
    private final Path log;
    private final Writer in;
    private final BufferedReader out;

    private Child(Process process, Path log) {
        this.process = process;
        this.log = log;
        this.in = process.outputWriter(StandardCharsets.UTF_8);
        this.out = process.inputReader(StandardCharsets.UTF_8);
    }

    /** Starts a process with options for its JVM. */
    static Child start(Path folder, String... options) throws IOException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        if (Runtime.version().feature() >= 22) {
            command.add("--enable-native-access=ALL-UNNAMED");
        }
        for (String name : List.of("org.sqlite.lib.path", "java.io.tmpdir")) {
            String value = System.getProperty(name);
            if (value != null) {
                command.add("-D" + name + "=" + value);
            }
        }
        // A worker process uses the garbage collector of the launcher.
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> argument.matches("-XX:\\+Use\\w+GC"))
                .forEach(command::add);
        command.addAll(List.of(options));
        command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), ChildMain.class.getName()));
        Path log = Files.createTempFile(folder, "worker-", ".log");
        return new Child(new ProcessBuilder(command).redirectError(log.toFile()).start(), log);
    }

    /** Opens the database. */
    void open(BenchSettings settings, Database database) throws IOException {
        tell("open %d %s".formatted(settings.slots(), database.line()));
    }

    /** Starts the worker. */
    void start() throws IOException {
        tell("start");
    }

    /** Stops the worker and closes the database. */
    void stop() throws IOException {
        tell("stop");
    }

    private void tell(String what) throws IOException {
        say(what);
        hear();
    }

    /** Sends a command, and does not wait for its end. */
    void say(String what) throws IOException {
        in.write(what + "\n");
        in.flush();
    }

    /** Waits until the sent command is done. */
    void hear() throws IOException {
        String answer = out.readLine();
        if (answer == null || !answer.equals(ChildMain.DONE)) {
            throw new BenchException("worker process %d has ended:%n%s"
                    .formatted(process.pid(), Files.readString(log).strip()));
        }
    }

    /** Ends the process, without waiting for its work. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
