package dev.windrow.engine;

import dev.windrow.store.SafeLogger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/**
 * Tells processes of this machine apart from each other and from those that had their numbers before, as Linux counts
 * them: {@code boot id/process space/number/start in clock ticks since the boot}.
 */
final class Processes {
    private static final Path PROC = Path.of("/proc");

    private static final Logger log = SafeLogger.of(Processes.class);

    /** This boot and process space, with a slash at the end; null where there is no such thing. */
    private static final @Nullable String HERE = here();

    static final @Nullable String OURS = ours();

    private Processes() {}

    private static @Nullable String here() {
        try {
            if (hidesProcesses()) {
                log.debug("Processes of other users are hidden here: who has ended is not known");
                return null;
            }
            String boot =
                    Files.readString(PROC.resolve("sys/kernel/random/boot_id")).trim();
            String space = Files.readSymbolicLink(PROC.resolve("self/ns/pid")).toString();
            return boot + "/" + space + "/";
        } catch (IOException | RuntimeException e) {
            log.debug("Processes cannot be told apart on this system: {}", e.toString());
            return null;
        }
    }

    /** Whether the living processes of other users look as if they did not exist. */
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
            log.debug("This process cannot be told from others: {}", e.toString());
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
            log.debug("Whether {} has ended is not known: {}", process, e.toString());
            return false;
        }
    }

    /** What the kernel says of a process. */
    private record Stat(String state, String start) {
        /** Ended, and only its parent has not heard of it. */
        boolean isDead() {
            return state.equals("Z") || state.equals("X");
        }
    }

    /** Null when there is no such process. */
    private static @Nullable Stat stat(long pid) throws IOException {
        String line;
        try {
            line = Files.readString(PROC.resolve(Long.toString(pid)).resolve("stat"));
        } catch (NoSuchFileException e) {
            return null;
        } catch (IOException e) {
            if (!Files.exists(PROC.resolve(Long.toString(pid)))) {
                // It ended between opening and reading.
                return null;
            }
            throw e;
        }
        // The name stands in parentheses and may hold anything; what follows are fields 3 to 52, of which 22 is the
        // start.
        String[] fields = line.substring(line.lastIndexOf(')') + 2).split(" ", -1);
        return new Stat(fields[0], fields[19]);
    }
}
