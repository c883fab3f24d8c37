package dev.windrow.engine;

import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/** Runs callers' callbacks on one thread, outside of the store's threads. The thread ends when it is idle for 10 s. */
public final class Callbacks {
    private final ThreadPoolExecutor executor;

    Callbacks() {
        executor = new ThreadPoolExecutor(1, 1, 10, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), task -> {
            // A handler's thread may create this thread. It inherits no thread-local values, such as a diagnostic
            // context.
            Thread thread = new Thread(null, task, "windrow-callbacks", 0, false);
            thread.setContextClassLoader(Thread.currentThread().getContextClassLoader());
            thread.setDaemon(true);
            return thread;
        });
        executor.allowCoreThreadTimeOut(true);
        // After the shutdown no other thread completes a stage. The caller's thread runs the callback, so that each
        // stage is completed.
        executor.setRejectedExecutionHandler((task, ended) -> task.run());
    }

    public void run(Runnable callback) {
        executor.execute(callback);
    }

    void close() {
        executor.shutdown();
    }
}
