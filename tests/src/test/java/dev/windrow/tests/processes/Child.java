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
 * A JVM that runs a main class of these tests in its own process. Tests can await its lines and send it lines and signals. Its log goes to a file.
 * Closing it kills the process.
 */
public final class Child implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 120;
    /** The queue element that marks the end of the output. */
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

    /** Starts a child through a command that runs before {@code java} and then becomes it. */
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

    /** Returns the next line. Fails when the output ends or no line comes for a long time. */
    public String line() throws InterruptedException, IOException {
        String line = lines.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        if (line == null || line.equals(END)) {
            throw new AssertionError(
                    "process " + pid() + (line == null ? " says nothing" : " has ended") + "; its log:\n" + log());
        }
        return line;
    }

    /** Skips lines until this one. */
    public Child await(String expected) throws InterruptedException, IOException {
        while (!line().equals(expected)) {
            // Earlier lines do not matter.
        }
        return this;
    }

    /** Skips lines until one with this prefix, and returns the rest of that line. */
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

    /** Closes the child's input. */
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

    /** Waits for the child's end, and returns its exit status. */
    public int awaitEnd() throws InterruptedException {
        if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("process " + pid() + " does not end");
        }
        return process.exitValue();
    }

    /** Waits this long for the child's end, and returns true if it ended. */
    public boolean awaitEnd(long time, TimeUnit unit) throws InterruptedException {
        return process.waitFor(time, unit);
    }

    /** Returns the child's log so far. */
    public String log() throws IOException {
        return Files.readString(log);
    }

    /** Returns the warnings and errors in the child's log. */
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
