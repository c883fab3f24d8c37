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
 * Hears SIGTERM, SIGINT (Ctrl-C) and SIGHUP (the terminal was closed): the first one asks for a graceful end, each
 * further one for an end at once.
 *
 * <p>The JVM's own way, a shutdown hook, hears the first signal only: it cannot tell a second one. {@code
 * sun.misc.Signal} can; the module jdk.unsupported keeps it for exactly such uses, and every JDK from 17 to 25 has it. It
 * is reached by reflection because the compiler warns of each mention with a warning that cannot be switched off. A
 * signal that was ignored when the process was started stays ignored (nohup; a shell's background jobs and Ctrl-C): the
 * JVM sees to that. On a JVM without the class a shutdown hook hears the first signal, and a second one is not heard.
 */
public final class Signals {
    /** Stops the process $1, and waits for a second at most until it has. */
    private static final String STOP_PROCESS =
            "kill -TSTP $1; for i in $(seq 50); do case $(ps -o state= -p $1) in T*) exit;; esac; sleep 0.02; done";

    private static final String STOP = "TSTP";

    /** By what those signals were handled at first that are heard now. */
    private static final Map<String, Object> BEFORE = new ConcurrentHashMap<>();

    private final Runnable first;
    private final Runnable further;
    private final AtomicInteger heard = new AtomicInteger();
    private final CountDownLatch ended = new CountDownLatch(1);

    private Signals(Runnable first, Runnable further) {
        this.first = first;
        this.further = further;
    }

    /** Starts listening; both are called on threads of their own. */
    public static Signals listen(Console console, Runnable first, Runnable further) {
        Signals signals = new Signals(first, further);
        console.signals().accept(signals);
        return signals;
    }

    /** Hears those of this process, from now on. */
    public void hearProcess() {
        try {
            for (String name : new String[] {"TERM", "INT", "HUP"}) {
                handle(name, this::hear);
            }
        } catch (ReflectiveOperationException e) {
            hook();
        }
    }

    /** Whether a signal came. */
    public boolean heard() {
        return heard.get() > 0;
    }

    /** To be called when the work has ended and the process may. */
    public void ended() {
        ended.countDown();
    }

    /** Calls this whenever the terminal has another size, on a thread of its own; never where signals cannot be heard. */
    public static void listenToSize(Runnable resized) {
        try {
            handle("WINCH", resized);
        } catch (ReflectiveOperationException e) {
            // The size stays as it was at first.
        }
    }

    /**
     * Calls the one when somebody wants this process to stop for a while (Ctrl-Z), which it does not before {@link #stopNow}, and the other when it
     * goes on, each on a thread of its own. Never where signals cannot be heard, or where the one who started this process has it ignore them.
     */
    public static void listenToStops(Runnable asked, Runnable continued) {
        try {
            if (handle(STOP, asked)) {
                handle("CONT", continued);
            }
        } catch (ReflectiveOperationException e) {
            // It is stopped without being asked.
        }
    }

    /** From now on it is stopped without being asked, or not at all where that is ignored: as it was before. */
    public static void listenToStopsNoMore() {
        try {
            for (String name : new String[] {STOP, "CONT"}) {
                Object handler = BEFORE.remove(name);
                if (handler != null) {
                    handleBy(name, handler);
                }
            }
        } catch (ReflectiveOperationException e) {
            // Nobody listened.
        }
    }

    /** Stops this process, and returns when it goes on; at once where nobody could make it go on. */
    public static void stopNow(Runnable askedAgain) {
        try {
            handleBy(STOP, constant("SIG_DFL"));
            // By another process: the JVM raises no signal that it does not handle. That process waits until this one
            // has stopped, because a handler that is
            // set before would get the signal.
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
            // It goes on.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private static Object constant(String name) throws ReflectiveOperationException {
        return Class.forName("sun.misc.SignalHandler").getField(name).get(null);
    }

    /** Answers what handled it before. */
    private static Object handleBy(String name, Object by) throws ReflectiveOperationException {
        Class<?> signal = Class.forName("sun.misc.Signal");
        Object named = signal.getConstructor(String.class).newInstance(name);
        return signal.getMethod("handle", signal, Class.forName("sun.misc.SignalHandler"))
                .invoke(null, named, by);
    }

    /** Answers whether it is heard now: what was ignored stays so. */
    private static boolean handle(String name, Runnable heard) throws ReflectiveOperationException {
        Class<?> handler = Class.forName("sun.misc.SignalHandler");
        InvocationHandler calls = (proxy, method, args) -> switch (method.getName()) {
            case "handle" -> {
                heard.run();
                yield null;
            }
            case "hashCode" -> System.identityHashCode(proxy);
            case "equals" -> args != null && proxy == args[0];
            default -> "windrow's handler of signals";
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
            // The JVM was told to leave this signal alone (-Xrs), or the platform has none of this name.
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

    /** One has come. */
    void hear() {
        if (heard.getAndIncrement() == 0) {
            first.run();
        } else {
            further.run();
        }
    }
}
