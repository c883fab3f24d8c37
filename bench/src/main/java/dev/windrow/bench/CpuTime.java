package dev.windrow.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.List;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The processor time of this process, and in it that of the threads that write the store. It counts from its creation,
 * when the store must be open already. On Linux the JVM reads that of the process in steps of 10 ms.
 */
final class CpuTime {
    /** The writer of a file; the two that claim and settle on a server. The watch of a file's writer is not one. */
    private static final Pattern WRITERS = Pattern.compile("windrow-(writer-(?!watch-)|work-|claims-).*");

    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final List<Thread> writers = Thread.getAllStackTraces().keySet().stream()
            .filter(thread -> isWriter(thread.getName()))
            .toList();
    private final @Nullable Long processBefore = processNanos();
    private final @Nullable Long writersBefore = writersNanos();

    static boolean isWriter(String threadName) {
        return WRITERS.matcher(threadName).matches();
    }

    /** Returns the time since the creation, divided by the jobs. The threads must still be alive. */
    BenchReport.CpuMicros of(int jobs) {
        return new BenchReport.CpuMicros(
                micros(processBefore, processNanos(), jobs), micros(writersBefore, writersNanos(), jobs));
    }

    private static @Nullable Double micros(@Nullable Long before, @Nullable Long after, int jobs) {
        return before == null || after == null ? null : (Double) ((after - before) / 1e3 / jobs);
    }

    /** Null if the platform does not know it. */
    private static @Nullable Long processNanos() {
        long nanos = SYSTEM.getProcessCpuTime();
        return nanos < 0 ? null : (Long) nanos;
    }

    /** Null if the platform does not know it, or if no such thread is alive. */
    private @Nullable Long writersNanos() {
        long sum = 0;
        for (Thread writer : writers) {
            long nanos = THREADS.isThreadCpuTimeSupported() ? THREADS.getThreadCpuTime(writer.getId()) : -1;
            if (nanos < 0) {
                return null;
            }
            sum += nanos;
        }
        return writers.isEmpty() ? null : (Long) sum;
    }
}
