package dev.windrow.engine.transfer;

import dev.windrow.StoreUnavailableException;
import dev.windrow.store.transfer.CopyRows;
import dev.windrow.store.transfer.CopySink;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Reads rows on a separate thread while others are written, a few portions ahead, and sums them up. One thread uses it
 * and gets the rows in order. The sum is complete when that thread has got the last row.
 */
final class ReadAhead implements CopyRows {
    private static final int ROWS = 1000;
    private static final int WEIGHT = 1024 * 1024;
    private static final int PORTIONS = 4;

    private final CopyRows rows;
    private final CopySink sink;
    private final Checksum sum;
    private final Thread reader;
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    // Guarded by lock.
    private final ArrayDeque<List<@Nullable Object[]>> read = new ArrayDeque<>();
    private boolean ended;
    private boolean closed;
    private @Nullable Throwable failure;
    // Used only by the thread that gets the rows.
    private List<@Nullable Object[]> portion = List.of();
    private int seen;

    /** Starts to read. Rows are summed up in the form in which this sink stores them. */
    ReadAhead(CopyRows rows, CopySink sink, Checksum sum) {
        this.rows = rows;
        this.sink = sink;
        this.sum = sum;
        this.reader = new Thread(this::readAll, "windrow-copy-reader");
        reader.setDaemon(true);
        reader.start();
    }

    private void readAll() {
        try {
            boolean more = true;
            while (more) {
                List<@Nullable Object[]> next = new ArrayList<>();
                int weight = 0;
                while (more && next.size() < ROWS && weight < WEIGHT) {
                    @Nullable Object[] row = rows.next();
                    if (row == null) {
                        more = false;
                    } else {
                        for (int i = 0; i < row.length; i++) {
                            if (row[i] instanceof String text) {
                                row[i] = sink.storable(text);
                            }
                        }
                        sum.add(row);
                        weight += Checksum.weight(row);
                        next.add(row);
                    }
                }
                more = offer(next) && more;
            }
            end(null);
        } catch (RuntimeException | Error e) {
            end(e);
        }
    }

    /** Waits for space; false if the copy was closed. */
    private boolean offer(List<@Nullable Object[]> next) {
        lock.lock();
        try {
            while (read.size() >= PORTIONS && !closed) {
                changed.awaitUninterruptibly();
            }
            read.add(next);
            changed.signalAll();
            return !closed;
        } finally {
            lock.unlock();
        }
    }

    private void end(@Nullable Throwable why) {
        lock.lock();
        try {
            failure = why;
            ended = true;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public @Nullable Object @Nullable [] next() {
        while (seen == portion.size()) {
            List<@Nullable Object[]> next = take();
            if (next == null) {
                return null;
            }
            portion = next;
            seen = 0;
        }
        return portion.get(seen++);
    }

    private @Nullable List<@Nullable Object[]> take() {
        lock.lock();
        try {
            while (read.isEmpty() && !ended) {
                changed.await();
            }
            List<@Nullable Object[]> next = read.poll();
            changed.signalAll();
            if (next == null && failure instanceof RuntimeException unchecked) {
                throw unchecked;
            } else if (next == null && failure instanceof Error error) {
                throw error;
            }
            return next;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreUnavailableException("the copy was interrupted; 'resume' continues it", e);
        } finally {
            lock.unlock();
        }
    }

    /** Waits until the thread does not use the rows any more, because their owner continues to read. */
    @Override
    public void close() {
        lock.lock();
        try {
            closed = true;
            changed.signalAll();
            while (!ended) {
                changed.awaitUninterruptibly();
            }
        } finally {
            lock.unlock();
        }
        rows.close();
    }
}
