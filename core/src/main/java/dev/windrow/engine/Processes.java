package dev.windrow.engine;

import dev.windrow.store.SafeLogger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Distinguishes the processes of this machine from each other and from former processes with the same PID. The identity
 * is built from Linux's own values: {@code boot id/PID namespace/PID/start in clock ticks since the boot}.
 */
final class Processes {
    private static final Path PROC = Path.of("/proc");

    private static final Logger log = SafeLogger.of(Processes.class);

    /** The boot id and PID namespace of this process, with a slash at the end; null where the system has none. */
    private static final @Nullable String HERE = here();

    static final @Nullable String OURS = ours();

    private Processes() {}

    private static @Nullable String here() {
        try {
            if (hidesProcesses()) {
                log.debug(
                        "Processes of other users are hidden on this machine: the end of a process cannot be detected");
                return null;
            }
            String boot =
                    Files.readString(PROC.resolve("sys/kernel/random/boot_id")).trim();
            String space = Files.readSymbolicLink(PROC.resolve("self/ns/pid")).toString();
            return boot + "/" + space + "/";
        } catch (IOException | RuntimeException e) {
            log.debug("Processes cannot be identified on this system: {}", e.toString());
            return null;
        }
    }

    /** True if the system hides living processes of other users, so that they look as if they did not exist. */
    private static boolean hidesProcesses() throws IOException {
        for (String mount : Files.readAllLines(PROC.resolve("self/mounts"))) {
            String[] fields = mount.split(" ", -1);
            if (fields.length > 3 && fields[1].equals("/proc") && fields[2].equals("proc")) {
                return fields[3].matches("(.*,)?hidepid=(?!0|off).*");
            }
        }
        return false;
    }

    private static @Nullable String ours() {
        String here = HERE;
        if (here == null) {
            return null;
        }
        try {
            Stat stat = stat(ProcessHandle.current().pid());
            return stat == null ? null : here + ProcessHandle.current().pid() + "/" + stat.start;
        } catch (IOException | RuntimeException e) {
            log.debug("This process cannot be identified: {}", e.toString());
            return null;
        }
    }

    static boolean hasEnded(String process) {
        if (HERE == null || !process.startsWith(HERE)) {
            return false;
        }
        try {
            String[] parts = process.substring(HERE.length()).split("/", -1);
            Stat stat = stat(Long.parseLong(parts[0]));
            return stat == null || !stat.start.equals(parts[1]) || stat.isDead();
        } catch (IOException | RuntimeException e) {
            log.debug("The end of process {} could not be checked: {}", process, e.toString());
            return false;
        }
    }

    /** The kernel's data about a process. */
    private record Stat(String state, String start) {
        /** True if the process has ended and only its parent has not collected its status. */
        boolean isDead() {
            return state.equals("Z") || state.equals("X");
        }
    }

    /** Reads the data of a process; null if no such process exists. */
    private static @Nullable Stat stat(long pid) throws IOException {
        String line;
        try {
            line = Files.readString(PROC.resolve(Long.toString(pid)).resolve("stat"));
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            if (!Files.exists(PROC.resolve(Long.toString(pid)))) {
                // The process ended between opening and reading.
                return null;
            }
            throw e;
        }
        // The name is in parentheses and may contain any character. After it come the fields 3 to 52. Field 22 is the
        // start.
        String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
        return new Stat(fields[0], fields[19]);
    }
}
