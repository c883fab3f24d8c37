package dev.windrow.cli;

import dev.windrow.cli.terminal.Console;
import java.io.IOException;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Handles SIGTERM, SIGINT (Ctrl-C) and SIGHUP (the terminal was closed). The first signal asks for a graceful end,
 * each further one for an immediate end.
 *
 * <p>A shutdown hook of the JVM gets the first signal only. {@code sun.misc.Signal} gets all of them. The module
 * jdk.unsupported keeps it for such uses, and every JDK from 17 to 25 has it. This class calls it by reflection,
 * because the compiler warns of each direct use and that warning cannot be disabled. A signal that was ignored at the
 * start of the process stays ignored (nohup; a shell's background jobs and Ctrl-C): the JVM ensures that. On a JVM
 * without the class a shutdown hook gets the first signal, and a second one has no effect.
 */
public final class Signals {
    /** Stops the process $1, and waits up to one second until it has stopped. */
    private static final String STOP_PROCESS =
            "kill -TSTP $1; for i in $(seq 50); do case $(ps -o state= -p $1) in T*) exit;; esac; sleep 0.02; done";

    private static final String STOP = "TSTP";

    /** The original handlers of the signals that this class handles now. */
    private static final Map<String, Object> BEFORE = new ConcurrentHashMap<>();

    private final Runnable first;
    private final Runnable further;
    private final AtomicInteger heard = new AtomicInteger();
    private final CountDownLatch ended = new CountDownLatch(1);

    private Signals(Runnable first, Runnable further) {
        this.first = first;
        this.further = further;
    }

    /** Starts listening. Each callback runs on a thread of its own. */
    public static Signals listen(Console console, Runnable first, Runnable further) {
        Signals signals = new Signals(first, further);
        console.signals().accept(signals);
        return signals;
    }

    /** Handles the signals of this process from now on. */
    public void hearProcess() {
        try {
            for (String name : new String[] {"TERM", "INT", "HUP"}) {
                handle(name, this::hear);
            }
        } catch (ReflectiveOperationException e) {
            hook();
        }
    }

    /** True if a signal has come. */
    public boolean heard() {
        return heard.get() > 0;
    }

    /** Marks the end of the work: from now on the process may end. */
    public void ended() {
        ended.countDown();
    }

    /**
     * Calls the callback after each change of the terminal's size, on a thread of its own; never where signals cannot
     * be handled.
     */
    public static void listenToSize(Runnable resized) {
        try {
            handle("WINCH", resized);
        } catch (ReflectiveOperationException e) {
            // The size stays unchanged.
        }
    }

    /**
     * Calls the first callback when the user wants to stop this process for a while (Ctrl-Z), and the second one when
     * the process continues. Each runs on a thread of its own. The process stops only in {@link #stopNow}. Neither is
     * called where signals cannot be handled, or if the starter of this process has set them to be ignored.
     */
    public static void listenToStops(Runnable asked, Runnable continued) {
        try {
            if (handle(STOP, asked)) {
                handle("CONT", continued);
            }
        } catch (ReflectiveOperationException e) {
            // The process stops without a call.
        }
    }

    /**
     * Restores the original handlers: from now on the process stops without a call, or not at all if the signal is
     * ignored.
     */
    public static void listenToStopsNoMore() {
        try {
            for (String name : new String[] {STOP, "CONT"}) {
                Object handler = BEFORE.remove(name);
                if (handler != null) {
                    handleBy(name, handler);
                }
            }
        } catch (ReflectiveOperationException e) {
            // No handler was set.
        }
    }

    /** Stops this process, and returns when it continues; at once where it could not be continued. */
    public static void stopNow(Runnable askedAgain) {
        try {
            handleBy(STOP, constant("SIG_DFL"));
            // Another process sends the signal, because the JVM raises no signal that it does not handle. That
            // process waits until this one has stopped, because a handler that is set before would get the signal.
            new ProcessBuilder(
                            "sh",
                            "-c",
                            STOP_PROCESS,
                            "sh",
                            Long.toString(ProcessHandle.current().pid()))
                    .start()
                    .waitFor();
            handle(STOP, askedAgain);
        } catch (ReflectiveOperationException | IOException e) {
            // The process continues.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Object constant(String name) throws ReflectiveOperationException {
        return Class.forName("sun.misc.SignalHandler").getField(name).get(null);
    }

    /** Sets a handler and returns the one before. */
    private static Object handleBy(String name, Object by) throws ReflectiveOperationException {
        Class<?> signal = Class.forName("sun.misc.Signal");
        Object named = signal.getConstructor(String.class).newInstance(name);
        return signal.getMethod("handle", signal, Class.forName("sun.misc.SignalHandler"))
                .invoke(null, named, by);
    }

    /** Returns true if the signal is handled now. An ignored signal stays ignored. */
    private static boolean handle(String name, Runnable heard) throws ReflectiveOperationException {
        Class<?> handler = Class.forName("sun.misc.SignalHandler");
        InvocationHandler calls = (proxy, method, args) -> switch (method.getName()) {
            case "handle" -> {
                heard.run();
                yield null;
            }
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> args != null && proxy == args[0];
            default -> "windrow's signal handler";
        };
        Object proxy = Proxy.newProxyInstance(Signals.class.getClassLoader(), new Class<?>[] {handler}, calls);
        try {
            Object before = handleBy(name, proxy);
            if (before == constant("SIG_IGN")) {
                handleBy(name, before);
                return false;
            }
            BEFORE.putIfAbsent(name, before);
            return true;
        } catch (java.lang.reflect.InvocationTargetException e) {
            // The JVM may not handle this signal (-Xrs), or the platform has none of this name.
            if (!(e.getCause() instanceof IllegalArgumentException)) {
                throw e;
            }
            return false;
        }
    }

    private void hook() {
        Runtime.getRuntime()
                .addShutdownHook(new Thread(
                        () -> {
                            if (ended.getCount() > 0) {
                                hear();
                                try {
                                    ended.await(); // the JVM ends when its hooks have
                                } catch (InterruptedException e) {
                                    Thread.currentThread().interrupt();
                                }
                            }
                        },
                        "windrow-shutdown"));
    }

    /** Handles one signal. */
    void hear() {
        if (heard.getAndIncrement() == 0) {
            first.run();
        } else {
            further.run();
        }
    }
}
