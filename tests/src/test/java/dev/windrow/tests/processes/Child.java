package dev.windrow.tests.processes;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * A JVM of its own that runs a main class of these tests: its lines can be awaited, lines can be sent to it, and signals.
 * Its log goes to a file. It is killed when it is closed.
 */
public final class Child implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 120;
    /** What stands in the queue when the output has ended. */
    private static final String END = "\0end";

    private final Process process;
    private final Path log;
    private final Writer in;
    private final BlockingQueue<String> lines = new LinkedBlockingQueue<>();

    private Child(Process process, Path log) {
        this.process = process;
        this.log = log;
        this.in = process.outputWriter(StandardCharsets.UTF_8);
        Thread reader = new Thread(this::read, "child-" + process.pid());
        reader.setDaemon(true);
        reader.start();
    }

    public static Child start(Path folder, Class<?> main, Object... arguments) throws IOException {
        return start(folder, List.of(), main, arguments);
    }

    public static Child start(Path folder, List<String> options, Class<?> main, Object... arguments)
            throws IOException {
        return start(folder, List.of(), options, main, arguments);
    }

    /** With a command before {@code java} that becomes it. */
    public static Child start(
            Path folder, List<String> before, List<String> options, Class<?> main, Object... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(before);
        List<String> all = new ArrayList<>(List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=info"));
        all.addAll(options);
        command.addAll(TestJvm.command(all, main, List.of(arguments)));
        Path log = Files.createTempFile(folder, "child", ".log");
        return new Child(new ProcessBuilder(command).redirectError(log.toFile()).start(), log);
    }

    private void read() {
        try (var reader = process.inputReader(StandardCharsets.UTF_8)) {
            reader.lines().forEach(lines::add);
        } catch (IOException | RuntimeException e) {
            lines.add("unreadable: " + e);
        }
        lines.add(END);
    }

    public long pid() {
        return process.pid();
    }

    /** The next line; fails when the output ends or nothing comes for long. */
    public String line() throws InterruptedException, IOException {
        String line = lines.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (line == null || line.equals(END)) {
            throw new AssertionError(
                    "process " + pid() + (line == null ? " says nothing" : " has ended") + "; its log:\n" + log());
        }
        return line;
    }

    /** Skips lines until this one comes. */
    public Child await(String expected) throws InterruptedException, IOException {
        while (!line().equals(expected)) {
            // What it says before does not matter.
        }
        return this;
    }

    /** Skips lines until one begins like this; returns the rest of it. */
    public String awaitPrefix(String prefix) throws InterruptedException, IOException {
        while (true) {
            String line = line();
            if (line.startsWith(prefix)) {
                return line.substring(prefix.length());
            }
        }
    }

    public void send(String line) throws IOException {
        in.write(line + "\n");
        in.flush();
    }

    /** Closes its input. */
    public void endInput() throws IOException {
        in.close();
    }

    public void signal(String name) throws IOException, InterruptedException {
        Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(pid()))
                .inheritIO()
                .start();
        if (kill.waitFor() != 0) {
            throw new AssertionError("kill -" + name + " " + pid() + " failed");
        }
    }

    public void kill() throws InterruptedException {
        process.destroyForcibly();
        awaitEnd();
    }

    /** Waits for its end; returns its exit status. */
    public int awaitEnd() throws InterruptedException {
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("process " + pid() + " does not end");
        }
        return process.exitValue();
    }

    /** Waits so long for its end; returns whether it came. */
    public boolean awaitEnd(long time, TimeUnit unit) throws InterruptedException {
        return process.waitFor(time, unit);
    }

    /** What it has logged so far. */
    public String log() throws IOException {
        return Files.readString(log);
    }

    /** The warnings and errors that it has logged. */
    public List<String> troubles() throws IOException {
        return log().lines()
                .filter(line -> line.contains(" WARN ") || line.contains(" ERROR ") || line.contains("Exception"))
                .toList();
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
