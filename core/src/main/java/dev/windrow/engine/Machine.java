package dev.windrow.engine;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** The names of this machine and this process in the registry of workers. */
public final class Machine {
    public static final long PID = ProcessHandle.current().pid();

    private static final AtomicInteger WORKERS = new AtomicInteger();

    private Machine() {}

    public static String host() {
        return Host.NAME;
    }

    /**
     * Returns the identity of this process, by which other processes on this machine can tell if it still exists. It
     * consists of the machine's boot, the PID namespace, the PID and the start time. The start time is in the kernel's
     * own counts, which no change of a clock affects. Null where the kernel does not report them.
     */
    public static @Nullable String process() {
        return Processes.OURS;
    }

    /** True if that process has surely ended. False for a process that may live, or that is not visible from here. */
    public static boolean hasEnded(String process) {
        return Processes.hasEnded(process);
    }

    /** Returns a name for the next worker of this process: {@code host-pid-n}. */
    public static String workerName() {
        return "%s-%d-%d".formatted(host(), PID, WORKERS.incrementAndGet());
    }

    /** Returns the version of this library, from its jar; {@code dev} if it runs from classes. */
    public static String version() {
        String version = Machine.class.getPackage().getImplementationVersion();
        return version == null ? "dev" : version;
    }

    /** Holder of the host name. The name is looked up once, at the first use, because the lookup may take a while. */
    private static final class Host {
        static final String NAME = name();

        private static String name() {
            String name = System.getenv("HOSTNAME");
            if (name == null || name.isBlank()) {
                try {
                    name = InetAddress.getLocalHost().getHostName();
                } catch (UnknownHostException e) {
                    name = "localhost";
                }
            }
            String clean = name.replaceAll("[^A-Za-z0-9._-]", "-");
            return clean.length() > 100 ? clean.substring(0, 100) : clean;
        }
    }
}
