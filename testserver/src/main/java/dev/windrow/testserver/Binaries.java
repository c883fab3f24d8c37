package dev.windrow.testserver;

import java.io.BufferedInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HexFormat;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.tukaani.xz.XZInputStream;

/**
 * The programs of PostgreSQL, unpacked from the class path into a folder of the temp directory. The folder stays there for later JVMs, because
 * unpacking takes longer than starting a server.
 */
final class Binaries {
    /** The file in an unpacked folder with the number of files and folders of the archive. */
    private static final String WHOLE = "whole";

    /** The data folder that no server has used. Creating one takes a second of processor time, copying it a tenth of that. */
    static final String DATA = "data";

    private static final List<String> MAKE_DATA =
            List.of("--username=" + Cluster.USER, "--auth=trust", "--encoding=UTF8", "--locale=C", "--no-sync");

    private static final long PATIENCE_SECONDS = 60;

    private Binaries() {}

    /** Returns the folder that has {@code bin}, {@code lib}, {@code share}, and {@value #DATA}. */
    static Path home() throws IOException {
        String archive = archive();
        Path home = Path.of(System.getProperty("java.io.tmpdir"))
                .resolve("windrow-postgres-" + System.getProperty("user.name") + "-" + fingerprint(archive));
        if (!isWhole(home)) {
            unpack(archive, home);
        }
        if (!Files.getOwner(home).getName().equals(System.getProperty("user.name"))) {
            throw new IOException(home + " belongs to another user; its programs are not run");
        }
        return home;
    }

    private static String archive() {
        String system = System.getProperty("os.name");
        String machine = System.getProperty("os.arch");
        String kind = !system.equals("Linux")
                ? "none"
                : switch (machine) {
                    case "amd64", "x86_64" -> "x86_64";
                    case "aarch64", "arm64" -> "arm_64";
                    default -> "none";
                };
        if (kind.equals("none")) {
            throw new IllegalStateException("no PostgreSQL server for %s on %s comes with the tests; name one in %s"
                    .formatted(system, machine, PostgresServer.VARIABLE));
        }
        return "/postgres-linux-" + kind + ".txz";
    }

    private static InputStream open(String archive) throws IOException {
        InputStream found = Binaries.class.getResourceAsStream(archive);
        if (found == null) {
            throw new IOException(archive + " is not on the class path");
        }
        return found;
    }

    /** Returns a text that distinguishes the versions of the server. Their archives have the same name, and their data differ. */
    private static String fingerprint(String archive) throws IOException {
        try (DigestInputStream in = new DigestInputStream(open(archive), MessageDigest.getInstance("SHA-256"))) {
            in.transferTo(OutputStream.nullOutputStream());
            in.getMessageDigest().update(MAKE_DATA.toString().getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(in.getMessageDigest().digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    /** True if the folder is complete. False also if a cleaner of the temp directory has deleted some of the files. */
    private static boolean isWhole(Path home) throws IOException {
        try {
            return Long.parseLong(Files.readString(home.resolve(WHOLE)))
                    == tree(home).size();
        } catch (NoSuchFileException e) {
            return false;
        }
    }

    /** Unpacks into another folder first, because several JVMs may do it at once. The first one renames its folder. */
    private static void unpack(String archive, Path home) throws IOException {
        Path fresh = Files.createTempDirectory(home.getParent(), "windrow-postgres-unpacked-");
        try {
            extract(archive, fresh);
            initialize(fresh);
            Files.writeString(fresh.resolve(WHOLE), Integer.toString(tree(fresh).size() + 1));
            while (!isWhole(home)) {
                if (Files.exists(home)) {
                    Path thinned = Files.createTempDirectory(home.getParent(), "windrow-postgres-thinned-");
                    Files.move(home, thinned, StandardCopyOption.ATOMIC_MOVE);
                    remove(thinned);
                }
                Files.move(fresh, home, StandardCopyOption.ATOMIC_MOVE);
            }
        } catch (IOException e) {
            if (!isWhole(home)) {
                throw e;
            }
        } finally {
            remove(fresh);
        }
    }

    private static void initialize(Path home) throws IOException {
        Path log = home.resolve("initdb.log");
        List<String> options = new ArrayList<>(MAKE_DATA);
        options.add("--pgdata=" + home.resolve(DATA));
        Process initdb = program(home, "initdb", options.toArray(String[]::new))
                .redirectErrorStream(true)
                .redirectOutput(log.toFile())
                .start();
        try {
            if (!initdb.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS) || initdb.exitValue() != 0) {
                throw new IllegalStateException("initdb does not end, or has failed:\n" + Files.readString(log));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new InterruptedIOException("interrupted while waiting for initdb");
        } finally {
            initdb.descendants().forEach(ProcessHandle::destroyForcibly);
            initdb.destroyForcibly();
        }
    }

    /** Returns a command for a program in a folder, without the variables of PostgreSQL in the user's environment. */
    static ProcessBuilder program(Path home, String name, String... arguments) {
        List<String> command = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            // PostgreSQL refuses to run as root. In a user namespace of its own it sees another user.
            command.addAll(List.of("unshare", "--user"));
        }
        command.add(home.resolve("bin").resolve(name).toString());
        command.addAll(List.of(arguments));
        ProcessBuilder program = new ProcessBuilder(command);
        program.environment().keySet().removeIf(variable -> variable.startsWith("PG"));
        return program;
    }

    private static void extract(String archive, Path folder) throws IOException {
        try (InputStream packed = open(archive);
                TarArchiveInputStream tar =
                        new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(packed)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                Path target = folder.resolve(entry.getName()).normalize();
                if (!target.startsWith(folder)) {
                    throw new IOException(entry.getName() + " would be unpacked outside of " + folder);
                }
                if (entry.isDirectory()) {
                    Files.createDirectories(target);
                } else {
                    Files.createDirectories(Objects.requireNonNull(target.getParent()));
                    if (entry.isSymbolicLink()) {
                        Files.createSymbolicLink(target, Path.of(entry.getLinkName()));
                    } else {
                        Files.copy(tar, target);
                        Files.setPosixFilePermissions(target, permissions(entry));
                    }
                }
            }
        }
    }

    private static Set<PosixFilePermission> permissions(TarArchiveEntry entry) {
        return PosixFilePermissions.fromString((entry.getMode() & 0100) == 0 ? "rw-r--r--" : "rwxr-xr-x");
    }

    /** Returns all paths, leaves first. */
    private static List<Path> tree(Path root) throws IOException {
        try (Stream<Path> all = Files.walk(root)) {
            return all.sorted(Comparator.reverseOrder()).toList();
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
    }

    private static void remove(Path root) throws IOException {
        if (Files.exists(root)) {
            for (Path each : tree(root)) {
                Files.deleteIfExists(each);
            }
        }
    }
}
