package dev.windrow.tests.crash;

import dev.windrow.tests.processes.Child;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A real file system of a few megabytes, which only the processes started in it can see. It is unmounted when the last of them ends. Root needs a
 * mount namespace for it, and other users also need a user namespace.
 */
final class SmallDisk implements AutoCloseable {
    private static final long PATIENCE_SECONDS = 60;

    private final Path folder;
    private final Path mounted;
    private final Process keeper;
    private final List<String> enter;

    /** Mounts the disk on a new folder below this one. */
    SmallDisk(Path folder, int megabytes) throws IOException, InterruptedException {
        this.folder = folder;
        this.mounted = Files.createDirectory(folder.resolve("disk"));
        boolean root = System.getProperty("user.name").equals("root");
        List<String> command = new ArrayList<>(List.of("unshare", "--mount", "--propagation", "private"));
        if (!root) {
            command.add("--map-root-user");
        }
        command.addAll(List.of(
                "sh",
                "-c",
                "mount -t tmpfs -o size=" + megabytes + "m tmpfs " + mounted + " && echo mounted && exec cat"));
        keeper = new ProcessBuilder(command).redirectErrorStream(true).start();
        enter = new ArrayList<>(List.of("nsenter", "--target", Long.toString(keeper.pid()), "--mount"));
        if (!root) {
            enter.addAll(List.of("--user", "--preserve-credentials"));
        }
        byte[] said = keeper.getInputStream().readNBytes("mounted\n".length());
        if (!new String(said, StandardCharsets.UTF_8).equals("mounted\n")) {
            keeper.destroyForcibly();
            throw new IOException("no file system: " + new String(said, StandardCharsets.UTF_8)
                    + new String(keeper.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    Path path(String name) {
        return mounted.resolve(name);
    }

    /** Starts a process that sees the disk. The log of the process is written elsewhere. */
    Child start(Class<?> main, Object... arguments) throws IOException {
        return Child.start(folder, enter, List.of("-Dorg.sqlite.tmpdir=" + folder), main, arguments);
    }

    /** The exit status and the output of a command on the disk. */
    record Outcome(int status, String text) {}

    Outcome run(String... command) throws IOException, InterruptedException {
        List<String> all = new ArrayList<>(enter);
        all.addAll(Arrays.asList(command));
        Process process = new ProcessBuilder(all).redirectErrorStream(true).start();
        try (InputStream out = process.getInputStream()) {
            String text = new String(out.readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                throw new AssertionError(all + " does not end");
            }
            return new Outcome(process.exitValue(), text);
        } finally {
            process.destroyForcibly();
        }
    }

    private String must(String... command) throws IOException, InterruptedException {
        Outcome outcome = run(command);
        if (outcome.status != 0) {
            throw new AssertionError(Arrays.toString(command) + ": " + outcome.text);
        }
        return outcome.text;
    }

    /** Fills all remaining space. */
    void fill() throws IOException, InterruptedException {
        Outcome outcome = run("dd", "if=/dev/zero", "of=" + path("ballast"), "bs=4096");
        if (!outcome.text.contains("No space left")) {
            throw new AssertionError("the disk is not full: " + outcome.text);
        }
    }

    /** Frees the space again. */
    void free() throws IOException, InterruptedException {
        must("rm", "-f", path("ballast").toString());
    }

    /**
     * Makes all writes of a process fail beyond this position of a file, as errors of the disk. A log that is not longer than that can still be
     * written.
     */
    void failBeyond(long bytes, Child child) throws IOException, InterruptedException {
        must("prlimit", "--pid", Long.toString(child.pid()), "--fsize=" + bytes + ":unlimited");
    }

    /** Lets the process write again. */
    void heal(Child child) throws IOException, InterruptedException {
        must("prlimit", "--pid", Long.toString(child.pid()), "--fsize=unlimited:unlimited");
    }

    /** Remounts the disk with this option: read-only or writable. Refused while a process has a file open for writing. */
    void remount(String how) throws IOException, InterruptedException {
        must("mount", "-o", "remount," + how, mounted.toString());
    }

    /** Returns the names of the files on the disk. */
    List<String> names() throws IOException, InterruptedException {
        return must("ls", "-A", mounted.toString()).lines().toList();
    }

    /** Copies a file that no process has open from the disk. */
    Path copyOut(String name) throws IOException, InterruptedException {
        Path copy = folder.resolve("copy-of-" + name);
        must("cp", path(name).toString(), copy.toString());
        return copy;
    }

    @Override
    public void close() {
        keeper.destroyForcibly();
    }
}
