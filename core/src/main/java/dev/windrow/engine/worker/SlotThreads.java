package dev.windrow.engine.worker;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import org.jspecify.annotations.Nullable;

/** Creates the threads on which handlers run: virtual threads if the JVM has them, platform daemons if not. */
final class SlotThreads {
    // Thread.ofVirtual().name(name).inheritInheritableThreadLocals(false).unstarted(task) by method handles, because
    // this code is compiled for a JDK without virtual threads.
    private static final @Nullable MethodHandle VIRTUAL = virtual();

    private SlotThreads() {}

    /** True if slots are virtual threads. */
    static boolean areVirtual() {
        return VIRTUAL != null;
    }

    /**
     * Returns a thread that is not started yet. It has this class loader, and no thread locals of the calling thread: a caller of {@code enqueue} may be
     * the one that wakes a worker.
     */
    static Thread unstarted(String name, @Nullable ClassLoader loader, Runnable task) {
        Thread thread = VIRTUAL == null ? new Thread(null, task, name, 0, false) : virtual(VIRTUAL, name, task);
        if (VIRTUAL == null) {
            thread.setDaemon(true);
        }
        thread.setContextClassLoader(loader);
        return thread;
    }

    private static Thread virtual(MethodHandle make, String name, Runnable task) {
        try {
            return (Thread) make.invoke(name, task);
        } catch (Throwable e) {
            throw new IllegalStateException("a virtual thread could not be created", e);
        }
    }

    private static @Nullable MethodHandle virtual() {
        try {
            MethodHandles.Lookup lookup = MethodHandles.publicLookup();
            Class<?> builder = classOf(Thread.class, "Builder");
            Class<?> ofVirtual = builder == null ? null : classOf(builder, "OfVirtual");
            if (ofVirtual == null) {
                return null;
            }
            MethodHandle make = lookup.findStatic(Thread.class, "ofVirtual", MethodType.methodType(ofVirtual));
            MethodHandle name = lookup.findVirtual(ofVirtual, "name", MethodType.methodType(ofVirtual, String.class));
            MethodHandle unstarted =
                    lookup.findVirtual(ofVirtual, "unstarted", MethodType.methodType(Thread.class, Runnable.class));
            MethodHandle inherit = lookup.findVirtual(
                    ofVirtual, "inheritInheritableThreadLocals", MethodType.methodType(ofVirtual, boolean.class));
            MethodHandle named = MethodHandles.foldArguments(name, make);
            MethodHandle alone =
                    MethodHandles.filterReturnValue(named, MethodHandles.insertArguments(inherit, 1, false));
            MethodHandle all = MethodHandles.collectArguments(unstarted, 0, alone);
            // JDK 19 and 20 have the methods, but refuse to run them without a preview flag.
            Thread probe = (Thread) all.invoke("windrow-probe", (Runnable) () -> {});
            return probe.isDaemon() ? all : null;
        } catch (Throwable e) {
            return null;
        }
    }

    private static @Nullable Class<?> classOf(Class<?> outer, String name) {
        for (Class<?> nested : outer.getClasses()) {
            if (nested.getSimpleName().equals(name)) {
                return nested;
            }
        }
        return null;
    }
}
