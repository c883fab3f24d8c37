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
 * Ends a process with all processes that it started.
 *
 * <p>Descendants alone are not enough. A process whose parent has ended is adopted by another process and is no
 * descendant any more. When the process leads a session of its own, as for {@code exec} jobs on Linux, the whole
 * session ends too. A process that has left both, as daemons do on purpose, continues.
 */
final class ProcessTree {
    private static final Path PROC = Path.of("/proc");

    private ProcessTree() {}

    /** Kills the process, its descendants, and the session if the process leads one. */
    static void kill(Process process, boolean leadsSession) {
        // Twice, because a process that another one is just starting may escape the first round.
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

    /** Kills the remaining processes of a session whose leader has ended. */
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
            // Without /proc (macOS) only the descendants are known.
            return members;
        }
        return members;
    }

    /** Returns the session of a process; -1 if the process has ended. */
    private static long sessionOf(Path process) {
        try {
            String stat = Files.readString(process.resolve("stat"), StandardCharsets.ISO_8859_1);
            // pid (name) state parent group session ...; the name may contain any character, so count from its end.
            String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", 5);
            return Long.parseLong(fields[3]);
        } catch (IOException | RuntimeException e) {
            return -1;
        }
    }
}
