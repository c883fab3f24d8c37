package dev.windrow.sqlite.writer;

import dev.windrow.store.job.Claim;
import dev.windrow.store.sql.writer.Submission;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Completes the submissions of a transaction after its commit. If there are many, a thread of its own completes them one by one, which wakes their
 * callers, while the writer begins the next transaction (ADR 62). The writer completes them itself while that thread is busy, or if it cannot start.
 * The thread ends when it is idle for 10 s. One thread at a time hands submissions over.
 */
final class Completer {
    /** The number of submissions from which on the thread completes them. */
    static final int MANY = 16;

    private final Consumer<Submission<?>> complete;
    private final ThreadPoolExecutor thread;
    /** The submissions that the thread completes now. */
    private volatile List<Submission<?>> current = List.of();

    /**
     * Creates it without a thread.
     *
     * @param complete completes one submission; it must not throw, and must be safe for several threads
     */
    Completer(Consumer<Submission<?>> complete, ThreadFactory threads) {
        this.complete = complete;
        this.thread = new ThreadPoolExecutor(0, 1, 10, TimeUnit.SECONDS, new SynchronousQueue<>(), threads);
    }

    /** Completes all submissions. Claims are complete on return, so that workers get their jobs first. */
    void complete(List<Submission<?>> submissions) {
        try {
            if (submissions.size() >= MANY) {
                completeMany(submissions);
                return;
            }
        } catch (Throwable e) {
            // The thread is busy or has ended, or there is no memory for it. All are completed here.
            // To complete one again does nothing.
        }
        submissions.forEach(complete);
    }

    private void completeMany(List<Submission<?>> submissions) {
        List<Submission<?>> later = new ArrayList<>(submissions.size());
        for (Submission<?> submission : submissions) {
            if (submission.is(Claim.class)) {
                complete.accept(submission);
            } else {
                later.add(submission);
            }
        }
        thread.execute(() -> {
            current = later;
            later.forEach(complete);
            current = List.of();
        });
    }

    /** True if the thread completes submissions. */
    boolean isBusy() {
        return !current.isEmpty();
    }

    /** True if it has not completed a submission that came before this time, by {@link System#nanoTime}: a callback hangs. */
    boolean isLate(long limit) {
        return current.stream().anyMatch(submission -> !submission.isEnded() && submission.since() - limit < 0);
    }

    /** Completes the late submissions on the calling thread. */
    void completeLate(long limit) {
        current.stream().filter(submission -> submission.since() - limit < 0).forEach(complete);
    }

    /** Waits, at most this long, until the thread has completed its submissions. Later ones are completed by the calling thread. */
    void close(long nanos) throws InterruptedException {
        thread.shutdown();
        boolean unused = thread.awaitTermination(nanos, TimeUnit.NANOSECONDS);
    }
}
