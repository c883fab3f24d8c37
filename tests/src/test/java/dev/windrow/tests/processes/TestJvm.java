package dev.windrow.tests.processes;

import dev.windrow.Windrow;
import dev.windrow.Worker;
import dev.windrow.tests.stores.Target;
import dev.windrow.testserver.PostgresServer;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarOutputStream;
import java.util.stream.Stream;
import java.util.zip.Deflater;
import java.util.zip.ZipEntry;

/**
 * The start of JVMs in tests. The tests start hundreds, and a short-lived JVM spent most of its processor time on loading classes. Workers load their
 * classes from an archive that is made once for this JVM. That halves the time.
 */
public final class TestJvm {
    private static final List<String> FLAGS = List.of(
            "-XX:TieredStopAtLevel=1",
            "-XX:+UseSerialGC",
            "-XX:+IgnoreUnrecognizedVMOptions",
            "--enable-native-access=ALL-UNNAMED");
    private static final int PATIENCE_SECONDS = 120;

    private TestJvm() {}

    /** Returns the command that runs a class of the tests' class path, with options for the JVM and arguments for the class. */
    public static List<String> command(List<String> options, Class<?> main, List<?> arguments) {
        List<String> command = new ArrayList<>(Archive.COMMAND);
        command.addAll(options);
        command.add(main.getName());
        arguments.forEach(argument -> command.add(argument.toString()));
        return command;
    }

    /** Does the same work as child processes, on each target in the arguments. The JVM archives the classes that it loads. */
    static final class Training {
        private Training() {}

        public static void main(String[] targets) throws Exception {
            for (String target : targets) {
                try (Windrow windrow =
                                Windrow.configure(Target.of(target).newStore()).open();
                        Worker worker = windrow.worker()
                                .handle(TestWorker.NOOP, (input, job) -> System.nanoTime())
                                .start()) {
                    windrow.await(windrow.enqueue(TestWorker.NOOP, "once"), Duration.ofSeconds(PATIENCE_SECONDS));
                }
            }
        }
    }

    /** The archive, made at its first use. */
    private static final class Archive {
        static final List<String> COMMAND = make();

        private static List<String> make() {
            try {
                Path folder = Files.createTempDirectory("windrow-test-jvm-");
                // Some children run as another user.
                Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
                Runtime.getRuntime().addShutdownHook(new Thread(() -> delete(folder)));
                List<String> command = new ArrayList<>();
                command.add(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString());
                command.addAll(FLAGS);
                command.addAll(List.of("-cp", jars(folder)));
                Path archive = folder.resolve("classes.jsa");
                List<String> training = new ArrayList<>(command);
                try (Target schema = Target.newSchema(PostgresServer.shared())) {
                    training.addAll(List.of(
                            "-XX:ArchiveClassesAtExit=" + archive,
                            Training.class.getName(),
                            Target.file(folder.resolve("jobs.db")).toString(),
                            schema.toString()));
                    run(training, folder.resolve("training.log"));
                }
                command.addAll(List.of("-XX:SharedArchiveFile=" + archive, "-Xlog:cds=off", "-Xlog:cds+dynamic=off"));
                return command;
            } catch (IOException | InterruptedException | SQLException e) {
                throw new IllegalStateException("no JVM can be prepared", e);
            }
        }

        /** Returns the class path with folders packed as jars, because classes in folders are not archived. */
        private static String jars(Path folder) throws IOException {
            List<String> entries = new ArrayList<>();
            for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
                Path path = Path.of(entry);
                if (Files.isDirectory(path)) {
                    Path jar = folder.resolve(entries.size() + ".jar");
                    pack(path, jar);
                    entries.add(jar.toString());
                } else if (Files.exists(path)) {
                    entries.add(entry);
                }
            }
            return String.join(File.pathSeparator, entries);
        }

        private static void pack(Path classes, Path jar) throws IOException {
            try (JarOutputStream out = new JarOutputStream(Files.newOutputStream(jar));
                    Stream<Path> files = Files.walk(classes)) {
                out.setLevel(Deflater.BEST_SPEED);
                for (Path file : files.filter(Files::isRegularFile).toList()) {
                    out.putNextEntry(new ZipEntry(classes.relativize(file).toString()));
                    Files.copy(file, out);
                    out.closeEntry();
                }
            }
        }

        private static void run(List<String> command, Path log) throws IOException, InterruptedException {
            Process process = new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || process.exitValue() != 0) {
                process.destroyForcibly();
                throw new IllegalStateException(command + " failed:\n" + Files.readString(log));
            }
        }

        private static void delete(Path folder) {
            try (Stream<Path> files = Files.walk(folder)) {
                files.sorted(Comparator.reverseOrder())
                        .forEach(file -> file.toFile().delete());
            } catch (IOException e) {
                System.err.println("not deleted: " + folder + ": " + e);
            }
        }
    }
}
