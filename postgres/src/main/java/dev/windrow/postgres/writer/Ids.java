package dev.windrow.postgres.writer;

import dev.windrow.postgres.connection.PostgresStatements;
import dev.windrow.postgres.job.LoneEnqueue;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The job ids of this process, which are taken from the sequence in blocks. This process never assigns an id twice, even if the transaction is rolled
 * back or the server is replaced. A standby that has fallen behind continues with a lower number than the server that it replaces. The rest of a
 * block is dropped after a second, so that ids grow with time across processes. Safe for use by many threads.
 */
final class Ids {
    /** The increment of {@code windrow_ids} with each call. */
    static final int BLOCK = 100;

    /** The most blocks that one statement takes. */
    private static final long MAX_BLOCKS = 10_000;

    private static final long KEPT_NANOS = TimeUnit.SECONDS.toNanos(1);

    /**
     * An id that no other process can get, even after a crash.
     *
     * @param id the id
     * @param limit the value of the sequence from which on the id may not be used; {@link LoneEnqueue#BLOCKS_TO_LIMIT} blocks bring the sequence
     *     there
     */
    record Safe(long id, long limit) {}

    /** The highest id that this process has taken. */
    private final AtomicLong highest;
    /** The highest id from before this run of the server. */
    private final long before;

    private final ReentrantLock lock = new ReentrantLock();
    // The following fields are guarded by lock.
    private long next;
    private long end;
    private long takenNanos;
    /** The number of times that blocks were taken. */
    private long block;
    /** The last of these times of which the server's log was on disk afterwards. */
    private long flushed;

    /** Makes ids above the highest one, which they raise. */
    Ids(AtomicLong highest) {
        this.highest = highest;
        this.before = highest.get();
    }

    /** Takes so many growing ids. */
    ArrayDeque<Long> take(PostgresStatements statements, int count) throws SQLException {
        ArrayDeque<Long> ids = new ArrayDeque<>(count);
        if (count == 0) {
            return ids;
        }
        lock.lock();
        try {
            if (System.nanoTime() - takenNanos < KEPT_NANOS) {
                give(ids, count);
            }
            long missing = (long) count - ids.size();
            while (missing > 0) {
                next = end = 0;
                // Counted first: if reading the rows fails, the ids that were read count as not flushed.
                block++;
                long blocks = Math.min(MAX_BLOCKS, (missing + BLOCK - 1) / BLOCK);
                try (ResultSet rows = statements
                        .get(TransactionSql.TAKE_IDS)
                        .set(1, Integer.valueOf((int) blocks))
                        .rows()) {
                    while (rows.next()) {
                        end = rows.getLong(1) + BLOCK;
                        next = Math.max(rows.getLong(1), before + 1);
                        give(ids, count);
                    }
                }
                takenNanos = System.nanoTime();
                missing = count - ids.size() + Math.max(0, before + 1 - end);
            }
            highest.accumulateAndGet(ids.getLast(), Math::max);
            return ids;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Takes one id of the block that this process has, if no other process can get it even after a crash: the taking of the block is on disk. Returns
     * null if there is none.
     *
     * @param keptNanos the time after which the rest of a block is not used
     */
    @Nullable Safe takeSafe(long keptNanos) {
        lock.lock();
        try {
            if (block == 0 || block > flushed || next >= end || System.nanoTime() - takenNanos >= keptNanos) {
                return null;
            }
            highest.accumulateAndGet(next, Math::max);
            return new Safe(next++, end + (LoneEnqueue.BLOCKS_TO_LIMIT - 1L) * BLOCK);
        } finally {
            lock.unlock();
        }
    }

    /** Drops the rest of the block, because its limit is reached, or because the server has refused one of its ids. */
    void drop() {
        lock.lock();
        try {
            next = end = 0;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the number of the last taking of blocks. */
    long block() {
        lock.lock();
        try {
            return block;
        } finally {
            lock.unlock();
        }
    }

    /** Notes that a commit is on disk that began after this taking of blocks. */
    void flushed(long taking) {
        lock.lock();
        try {
            flushed = Math.max(flushed, taking);
        } finally {
            lock.unlock();
        }
    }

    private void give(ArrayDeque<Long> ids, int count) {
        while (ids.size() < count && next < end) {
            ids.add(next++);
        }
    }
}
