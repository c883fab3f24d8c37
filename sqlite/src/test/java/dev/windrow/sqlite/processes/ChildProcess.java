package dev.windrow.sqlite.processes;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Runs a main class of the tests in a JVM of its own. */
public final class ChildProcess {
    /** The exit status and the output of a process. */
    public record Outcome(int status, String text) {}

    private static final int NOBODY = 65534;

    private ChildProcess() {}

    public static Process start(Class<?> main, Object... arguments) throws IOException {
        return start(List.of(), System.getProperty("java.class.path"), main, arguments);
    }

    /** Starts a main class with a umask: its files are made without the permissions in this octal number. */
    static Process startWithUmask(String umask, Class<?> main, Object... arguments) throws IOException {
        return start(
                List.of("sh", "-c", "umask " + umask + "; exec \"$0\" \"$@\""),
                System.getProperty("java.class.path"),
                main,
                arguments);
    }

    private static Process start(List<String> before, String classPath, Class<?> main, Object... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(before);
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-XX:+IgnoreUnrecognizedVMOptions");
        command.add("--enable-native-access=ALL-UNNAMED");
        command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
        command.add("-cp");
        command.add(classPath);
        command.add(main.getName());
        for (Object argument : arguments) {
            command.add(argument.toString());
        }
        return new ProcessBuilder(command).redirectErrorStream(true).start();
    }

    public static Outcome finish(Process process) throws IOException, InterruptedException {
        try {
            String text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new AssertionError("the process hangs after printing " + text);
            }
            return new Outcome(process.exitValue(), text);
        } finally {
            process.destroyForcibly();
        }
    }

    public static Outcome run(Class<?> main, Object... arguments) throws IOException, InterruptedException {
        return finish(start(main, arguments));
    }

    /**
     * Runs a main class without root's power to ignore permissions. A user other than root stays the same. Root becomes the user nobody. The classes
     * are copied for it to a folder that every user may read.
     */
    public static Outcome unprivileged(Class<?> main, Path folder) throws IOException, InterruptedException {
        if (!System.getProperty("user.name").equals("root")) {
            return run(main, folder);
        }
        Path open = Files.createTempDirectory("windrow-unprivileged");
        try {
            List<String> classPath = new ArrayList<>();
            int n = 0;
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
                if (entry.contains("sqlite")
                        || entry.contains("core")
                        || entry.contains("slf4j")
                        || entry.contains("testkit")
                        || entry.contains("contracts")
                        || entry.contains("jspecify")) {
                    Path copy = open.resolve(n++ + (entry.endsWith(".jar") ? ".jar" : ""));
                    copy(Path.of(entry), copy);
                    classPath.add(copy.toString());
                }
            }
            Path work = Files.createDirectory(open.resolve("work"));
            for (String command : List.of("chmod -R a+rX " + open, "chown " + NOBODY + " " + work)) {
                Outcome done = finish(new ProcessBuilder(command.split(" ", -1))
                        .redirectErrorStream(true)
                        .start());
                if (done.status() != 0) {
                    throw new AssertionError(command + ": " + done.text());
                }
            }
            List<String> drop = List.of(
                    "setpriv", "--reuid=" + NOBODY, "--regid=" + NOBODY, "--clear-groups", "env", "HOME=" + work);
            return finish(start(drop, String.join(File.pathSeparator, classPath), main, work));
        } finally {
            delete(open);
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        try (var files = Files.walk(from)) {
            for (Path source : files.toList()) {
                Path target = to.resolve(from.relativize(source).toString());
                Files.copy(source, target, StandardCopyOption.REPLACE_EXISTING);
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                    throws IOException {
                Files.setPosixFilePermissions(directory, PosixFilePermissions.fromString("rwx------"));
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path directory, IOException e) throws IOException {
                Files.delete(directory);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
