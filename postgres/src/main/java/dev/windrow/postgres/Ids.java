package dev.windrow.postgres;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The job ids of this process, taken from the sequence in blocks. An id that was given is never given again, whatever
 * becomes of the transaction. What is left of a block is dropped after a second, so that ids grow with time across processes.
 * Safe for use by many threads.
 */
final class Ids {
    /** As many as {@code windrow_ids} advances with each call. */
    static final int BLOCK = 100;

    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final ReentrantLock lock = new ReentrantLock();
    // Guarded by lock.
    private long next;
    private long end;
    private long takenNanos;

    /** So many ids, growing. */
    ArrayDeque<Long> take(Statements statements, int count) throws SQLException {
        ArrayDeque<Long> ids = new ArrayDeque<>(count);
        if (count == 0) {
            return ids;
        }
        lock.lock();
        try {
            if (System.nanoTime() - takenNanos < KEPT_NANOS) {
                while (ids.size() < count && next < end) {
                    ids.add(next++);
                }
            }
            int missing = count - ids.size();
            if (missing > 0) {
                next = end = 0;
                Query query = statements.get(Sql.TAKE_IDS).set(1, Integer.valueOf((missing + BLOCK - 1) / BLOCK));
                try (ResultSet blocks = query.rows()) {
                    while (blocks.next()) {
                        next = blocks.getLong(1);
                        end = next + BLOCK;
                        while (ids.size() < count && next < end) {
                            ids.add(next++);
                        }
                    }
                }
                takenNanos = System.nanoTime();
            }
            return ids;
        } finally {
            lock.unlock();
        }
    }
}
