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
 * The bounded queue of a thread that writes commands. The thread's own lock guards it: all methods but {@link #submit} are called under that
 * lock.
 */
public final class CommandQueue {
    /** Rows that may wait before callers have to wait to get in. */
    public static final int MAX_ROWS = 20_000;

    /** The longest that a start may wait for a commit to share before it gets one of its own. */
    private static final long START_PATIENCE_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

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
     * An empty queue.
     *
     * @param lock the lock of the thread that takes from it
     * @param work signalled when there is something to take
     */
    public CommandQueue(ReentrantLock lock, Condition work) {
        this.lock = lock;
        this.work = work;
        this.room = lock.newCondition();
    }

    /**
     * Queues a command, or fails it if the queue is closed. Waits for room when the queue is full, unless the command does not.
     *
     * @return false if there was no room in time: the command is neither queued nor failed
     */
    public boolean submit(Submission<?> submission, long roomNanos) {
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
                    submission.what() + " was interrupted while it waited for room in the queue", e));
        } finally {
            lock.unlock();
        }
        return true;
    }

    /** Fails a command if nothing more is written; true if it has. */
    public boolean fails(Submission<?> submission) {
        if (closed) {
            submission.fail(new StoreUnavailableException(submission.what() + " failed: the store is closed"));
        } else if (refusal != null) {
            submission.fail(refusal);
        }
        return closed || refusal != null;
    }

    /** Adds a command whatever the room. */
    public void add(Submission<?> submission) {
        queue.add(submission);
        count(submission, 1);
        if (isUrgent() || starts == 1) {
            // A start alone does not hurry; the first one only sets the timer.
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

    /** All commands, in their order. */
    public Collection<Submission<?>> all() {
        return Collections.unmodifiableCollection(queue);
    }

    /** True if nothing is queued. */
    public boolean isEmpty() {
        return queue.isEmpty();
    }

    /** True if something is queued that does not wait for a commit to share, as starts do. */
    public boolean isUrgent() {
        return starts < queue.size() || (closed && !queue.isEmpty());
    }

    /** Nanoseconds until the first start gets a commit of its own; {@link Long#MAX_VALUE} if there is none. */
    public long untilStart(long now) {
        return starts == 0 ? Long.MAX_VALUE : queue.getFirst().since() + START_PATIENCE_NANOS - now;
    }

    /** The first command. */
    public Submission<?> first() {
        return queue.getFirst();
    }

    /** Removes the first command. */
    public void removeFirst() {
        count(first(), -1);
        queue.removeFirst();
    }

    /** Lets callers in that wait for room. */
    public void signalRoom() {
        if (lock.hasWaiters(room)) {
            room.signalAll();
        }
    }

    /** True if the first command was submitted before this time, by {@link System#nanoTime}. */
    public boolean isLate(long limit) {
        return !queue.isEmpty() && queue.getFirst().since() - limit < 0;
    }

    /** Ends the commands that were submitted before this time, by {@link System#nanoTime}, and removes each after its end: an error loses none. */
    public void endLate(long limit, Consumer<Submission<?>> end) {
        while (isLate(limit)) {
            end.accept(first());
            removeFirst();
        }
        signalRoom();
    }

    /** Fails all commands, and those that come: nothing more is written. */
    public void refuse(WindrowException why) {
        refusal = why;
        work.signal();
        queue.forEach(submission -> submission.fail(why));
    }

    /** The reason why nothing more is written; null as a rule. */
    public @Nullable WindrowException refusal() {
        return refusal;
    }

    /** Takes no more commands; those that are queued are still written. */
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
