package dev.windrow.bench;

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The processor time of this process, and in it that of groups of its threads, from the creation on. A thread that
 * begins later counts, too. One that also ends before the look is only in the time of the process; the writers end with
 * the store, the slots with the worker. On Linux the JVM reads the time of the process in steps of 10 ms.
 */
final class CpuTime {
    /** The writer of a file; the two that claim and settle on a server. The watch of a file's writer is not one. */
    private static final Pattern WRITERS = Pattern.compile("windrow-(writer-(?!watch-)|work-|claims-).*");
    /** The slots of a worker. If they are virtual, the threads that carry them, because the JVM has only their times. */
    private static final Pattern SLOTS = Pattern.compile(".+/\\d+|ForkJoinPool-\\d+-worker-\\d+");

    private static final OperatingSystemMXBean SYSTEM =
            ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class);
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

    private final Thread caller = Thread.currentThread();
    private final Map<Thread, Long> threadsBefore = new HashMap<>();
    private final @Nullable Long processBefore;

    CpuTime() {
        for (Thread thread : Thread.getAllStackTraces().keySet()) {
            threadsBefore.put(thread, nanos(thread));
        }
        processBefore = processNanos();
    }

    static boolean isWriter(String threadName) {
        return WRITERS.matcher(threadName).matches();
    }

    static boolean isSlot(String threadName) {
        return SLOTS.matcher(threadName).matches();
    }

    /** Returns the time since the creation, divided by the jobs. Only the thread that created this enqueues. */
    BenchReport.CpuMicros of(int jobs) {
        Long process = processNanos();
        Set<Thread> threads = new HashSet<>(threadsBefore.keySet());
        threads.addAll(Thread.getAllStackTraces().keySet());
        return new BenchReport.CpuMicros(
                micros(processBefore == null || process == null ? null : (Long) (process - processBefore), jobs),
                micros(nanos(threads, thread -> isWriter(thread.getName())), jobs),
                micros(nanos(threads, thread -> isSlot(thread.getName())), jobs),
                micros(nanos(threads, caller::equals), jobs));
    }

    private static @Nullable Double micros(@Nullable Long nanos, int jobs) {
        return nanos == null ? null : (Double) (nanos / 1e3 / jobs);
    }

    /** Null if the platform does not know it. */
    private static @Nullable Long processNanos() {
        long nanos = SYSTEM.getProcessCpuTime();
        return nanos < 0 ? null : (Long) nanos;
    }

    /** Returns the time of a group since the creation. Null if the platform does not know it, if one has ended or none exists. */
    private @Nullable Long nanos(Set<Thread> threads, Predicate<Thread> group) {
        Long sum = null;
        for (Thread thread : threads) {
            if (group.test(thread)) {
                long nanos = nanos(thread);
                if (nanos < 0) {
                    return null;
                }
                sum = (sum == null ? 0 : sum) + nanos - threadsBefore.getOrDefault(thread, 0L);
            }
        }
        return sum;
    }

    /** Negative if the platform does not know it, or if the thread has ended. */
    private static long nanos(Thread thread) {
        return THREADS.isThreadCpuTimeSupported() ? THREADS.getThreadCpuTime(thread.getId()) : -1;
    }
}
