package dev.windrow.engine;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** This machine and process, as the registry of workers names them. */
public final class Machine {
    public static final long PID = ProcessHandle.current().pid();

    private static final AtomicInteger WORKERS = new AtomicInteger();

    private Machine() {}

    public static String host() {
        return Host.NAME;
    }

    /**
     * This process, so that others on this machine can tell whether it still exists: machine start, process space, number
     * and start, in the kernel's own counts, which no step of a clock changes. Null where the kernel does not tell.
     */
    public static @Nullable String process() {
        return Processes.OURS;
    }

    /** Whether that process has surely ended. False for one that may live, or that cannot be seen from here. */
    public static boolean hasEnded(String process) {
        return Processes.hasEnded(process);
    }

    /** A name for the next worker of this process: {@code host-pid-n}. */
    public static String workerName() {
        return "%s-%d-%d".formatted(host(), PID, WORKERS.incrementAndGet());
    }

    /** The version of this library, from its jar; {@code dev} when it runs from classes. */
    public static String version() {
        String version = Machine.class.getPackage().getImplementationVersion();
        return version == null ? "dev" : version;
    }

    /** Asked for once, when first needed: the answer may take a while. */
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
