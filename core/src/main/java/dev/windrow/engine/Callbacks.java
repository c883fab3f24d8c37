package dev.windrow.engine;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Completes callers' stages away from the store's thread, on one thread that goes away when it is idle. */
public final class Callbacks {
    private final ThreadPoolExecutor executor;

    Callbacks() {
        executor = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            // A handler's thread may be the one that makes this one: what that carries, such as a diagnostic context,
            // stays there.
            Thread thread = new Thread(null, task, "windrow-callbacks", 0, false);
            thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
            thread.setDaemon(true);
            return thread;
        });
        executor.allowCoreThreadTimeOut(true);
        // After the end nobody else is left to complete a stage: better on the wrong thread than never.
        executor.setRejectedExecutionHandler((task, ended) -> task.run());
    }

    public void run(Runnable callback) {
        executor.execute(callback);
    }

    void close() {
        executor.shutdown();
    }
}
