package dev.windrow.sqlite.connection;

import dev.windrow.store.SafeLogger;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.slf4j.Logger;

/** Finds the processes that hold a lock on a file, for messages. Works on Linux; on other systems no process is named. */
public final class LockHolder {
    /** The name of this process in messages. */
    public static final String THIS_PROCESS = "this process";

    private static final Path LOCKS = Path.of("/proc/locks");

    private static final Logger log = SafeLogger.of(LockHolder.class);

    private LockHolder() {}

    /**
     * Returns the processes that hold an exclusive lock on byte {@code offset} of the file, this process included: {@code process 4711
     * (/usr/bin/java)}. Empty when no holder is known. Only the file's attributes are read.
     */
    public static List<String> of(Path file, long offset) {
        if (!Files.isReadable(LOCKS) || !Files.exists(file)) {
            return List.of();
        }
        try (Stream<String> locks = Files.lines(LOCKS)) {
            String inode = String.valueOf(Files.getAttribute(file, "unix:ino"));
            Set<String> holders = new LinkedHashSet<>();
            locks.forEach(line -> {
                long pid = holder(line, inode, offset);
                if (pid > 0) {
                    holders.add(describe(pid));
                }
            });
            return List.copyOf(holders);
        } catch (IOException | RuntimeException e) {
            log.debug("The holder of the lock on {} is not known: {}", file, e.toString());
            return List.of();
        }
    }

    /**
     * Returns the process of a line like {@code 3: POSIX ADVISORY WRITE 4711 fd:01:1234 120 120}. Returns -1 for another lock, and for a lock that
     * its process still waits for ({@code 3: -> POSIX ...}).
     */
    public static long holder(String line, String inode, long offset) {
        String[] words = line.trim().split("\\s+", -1);
        if (words.length < 8 || !words[1].equals("POSIX") || !words[3].equals("WRITE")) {
            return -1;
        }
        if (!words[5].endsWith(":" + inode)) {
            return -1;
        }
        long first = Long.parseLong(words[6]);
        long last = words[7].equals("EOF") ? Long.MAX_VALUE : Long.parseLong(words[7]);
        return first <= offset && offset <= last ? Long.parseLong(words[4]) : -1;
    }

    private static String describe(long pid) {
        String command = ProcessHandle.of(pid)
                .flatMap(process -> process.info().command())
                .orElse("unknown");
        return pid == ProcessHandle.current().pid() ? THIS_PROCESS : "process %d (%s)".formatted(pid, command);
    }
}
