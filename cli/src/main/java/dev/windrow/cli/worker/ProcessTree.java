package dev.windrow.cli.worker;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Ends a process with all that it started.
 *
 * <p>Descendants alone are not enough: a process whose parent has ended is adopted by another one and is nobody's
 * descendant any more. When the process leads a session of its own, as those of {@code exec} jobs do on Linux, everything
 * in that session is meant as well. What has left both, as daemons do on purpose, lives on.
 */
final class ProcessTree {
    private static final Path PROC = Path.of("/proc");

    private ProcessTree() {}

    /** Kills the process, its descendants, and the session if the process leads one. */
    static void kill(Process process, boolean leadsSession) {
        // Twice: a process that is just being started by another one may slip through the first round.
        for (int round = 0; round < 2; round++) {
            Set<ProcessHandle> all = new HashSet<>();
            try (Stream<ProcessHandle> descendants = process.descendants()) {
                descendants.forEach(all::add);
            }
            if (leadsSession) {
                all.addAll(session(process.pid()));
            }
            process.destroyForcibly();
            all.forEach(ProcessHandle::destroyForcibly);
        }
    }

    /** Kills what a process that has ended left behind in its session. */
    static void killSession(long session) {
        for (int round = 0; round < 2; round++) {
            session(session).forEach(ProcessHandle::destroyForcibly);
        }
    }

    private static Set<ProcessHandle> session(long session) {
        Set<ProcessHandle> members = new HashSet<>();
        try (DirectoryStream<Path> processes = Files.newDirectoryStream(PROC, "[0-9]*")) {
            for (Path process : processes) {
                if (sessionOf(process) == session) {
                    ProcessHandle.of(Long.parseLong(process.getFileName().toString()))
                            .ifPresent(members::add);
                }
            }
        } catch (IOException e) {
            // No /proc (macOS): descendants have to do.
            return members;
        }
        return members;
    }

    /** -1 when the process is gone. */
    private static long sessionOf(Path process) {
        try {
            String stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
            // pid (name) state parent group session ...; the name may hold anything, so count from its end.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 5);
            return Long.parseLong(fields[3]);
        } catch (IOException | RuntimeException e) {
            return -1;
        }
    }
}
