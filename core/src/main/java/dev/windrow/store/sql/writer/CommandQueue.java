package dev.windrow.store.sql.writer;

import dev.windrow.StoreUnavailableException;
import dev.windrow.WindrowException;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.Started;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Collections;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The bounded queue of a thread that writes commands. The thread's own lock guards it: all methods except {@link #submit} are called under that lock.
 */
public final class CommandQueue {
    /** The number of queued rows from which on callers have to wait. */
    public static final int MAX_ROWS = 20_000;

    /** The longest wait of a start for a commit to share. After it the start gets a commit of its own. */
    private static final long START_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** The bytes of stack for queueing a command. */
    private static final int STACK = 4096;

    private final ReentrantLock lock;
    private final Condition work;
    private final Condition room;
    private final ArrayDeque<Submission<?>> queue = new ArrayDeque<>();
    private int rows;
    private int starts;
    private int enqueues;
    private boolean closed;
    private @Nullable WindrowException refusal;

    /**
     * Creates an empty queue.
     *
     * @param lock the lock of the thread that takes from it
     * @param work signalled when a command is queued
     */
    public CommandQueue(ReentrantLock lock, Condition work) {
        this.lock = lock;
        this.work = work;
        this.room = lock.newCondition();
    }

    /**
     * Queues a command, or fails it if the queue is closed. Waits while the queue is full, unless the command does not wait.
     *
     * @return false if the queue was full for the whole time: the command is neither queued nor failed
     * @throws StackOverflowError if the caller's stack is about to end: the command is neither queued nor failed
     */
    public boolean submit(Submission<?> submission, long roomNanos) {
        StackRoom.require(STACK);
        lock.lock();
        try {
            long nanos = roomNanos;
            while (!closed && rows >= MAX_ROWS && submission.command().waitsForRoom()) {
                if (nanos <= 0) {
                    return false;
                }
                nanos = room.awaitNanos(nanos);
            }
            if (!fails(submission)) {
                add(submission);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            submission.fail(new StoreUnavailableException(
                    submission.what() + " was interrupted while it waited because the queue was full", e));
        } finally {
            lock.unlock();
        }
        return true;
    }

    /** Fails a command if nothing more is written; true if it was failed. */
    public boolean fails(Submission<?> submission) {
        if (closed) {
            submission.fail(new StoreUnavailableException(submission.what() + " failed: the store is closed"));
        } else if (refusal != null) {
            submission.fail(refusal);
        }
        return closed || refusal != null;
    }

    /** Adds a command even if the queue is full. */
    public void add(Submission<?> submission) {
        queue.add(submission);
        count(submission, 1);
        if (isUrgent() || starts == 1) {
            // A start alone does not wake the thread, but the first one sets the timer.
            work.signal();
        }
    }

    private void count(Submission<?> submission, int sign) {
        rows += sign * submission.weight();
        if (submission.is(Started.class)) {
            starts += sign;
        } else if (submission.is(Enqueue.class)) {
            enqueues += sign;
        }
    }

    /** True if new jobs are queued. */
    public boolean hasEnqueues() {
        return enqueues > 0;
    }

    /** Returns all commands, in their order. */
    public Collection<Submission<?>> all() {
        return Collections.unmodifiableCollection(queue);
    }

    /** True if nothing is queued. */
    public boolean isEmpty() {
        return queue.isEmpty();
    }

    /** True if a command is queued that does not wait for a commit to share, as starts do. */
    public boolean isUrgent() {
        return starts < queue.size() || (closed && !queue.isEmpty());
    }

    /** Returns the nanoseconds until the first start gets a commit of its own; {@link Long#MAX_VALUE} without a start. */
    public long untilStart(long now) {
        return starts == 0 ? Long.MAX_VALUE : queue.getFirst().since() + START_PATIENCE_NANOS - now;
    }

    /** Returns the first command. */
    public Submission<?> first() {
        return queue.getFirst();
    }

    /** Removes the first command. */
    public void removeFirst() {
        count(first(), -1);
        queue.removeFirst();
    }

    /** Wakes the callers that wait while the queue is full. */
    public void signalRoom() {
        if (lock.hasWaiters(room)) {
            room.signalAll();
        }
    }

    /** True if the first command was submitted before this time, by {@link System#nanoTime}. */
    public boolean isLate(long limit) {
        return !queue.isEmpty() && queue.getFirst().since() - limit < 0;
    }

    /**
     * Ends the commands that were submitted before this time, by {@link System#nanoTime}. Removes each after its end, so that an error loses none.
     */
    public void endLate(long limit, Consumer<Submission<?>> end) {
        while (isLate(limit)) {
            end.accept(first());
            removeFirst();
        }
        signalRoom();
    }

    /** Fails all commands, including later ones: nothing more is written. */
    public void refuse(WindrowException why) {
        refusal = why;
        work.signal();
        queue.forEach(submission -> submission.fail(why));
    }

    /** Returns the reason why nothing more is written; usually null. */
    public @Nullable WindrowException refusal() {
        return refusal;
    }

    /** Refuses new commands; queued commands are still written. */
    public void close() {
        closed = true;
        work.signalAll();
        room.signalAll();
    }

    /** True after {@link #close}. */
    public boolean isClosed() {
        return closed;
    }
}
