package dev.windrow.postgres.job;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The place in the index of scheduled jobs at which looks for the next due job begin. A job that is promoted leaves a dead entry behind there, which stays as long as some
 * transaction is open that could still see the row: a look from the head steps over all of them. While that is quick, all looks begin at the head. Else they
 * begin at the first job that the last look has found, or where a job was scheduled since: this process hears of its own commits, and of others by their
 * notifications. Notifications are only hints, so the listener goes on looking from the head. Safe for use by many threads.
 */
public final class DueCursor {
    /** Looks from the head that are so quick cost nothing. */
    private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** Compared by identity: one that was set anew, to whatever place, is another. */
    private static final class Position {
        private final long from;

        Position(long from) {
            this.from = from;
        }
    }

    private final AtomicReference<Position> cursor = new AtomicReference<>(new Position(Long.MIN_VALUE));
    /** The time that looks from the head take: the shorter of the last two, because one may have had to wait for anything. */
    private volatile long headTook;

    private volatile long lastTook;

    /** One look, for one thread. */
    public final class View {
        private final Position seen;
        private final boolean fromHead;
        private final long beginNanos = System.nanoTime();
        private @Nullable Long first;

        private View(boolean fromHead) {
            this.seen = Objects.requireNonNull(cursor.get());
            this.fromHead = fromHead;
        }

        /** No job is due before, as far as is known. */
        public long from() {
            return fromHead ? Long.MIN_VALUE : seen.from;
        }

        /** Ends the look, which began right after this view: the first job is due then; null: there is none. */
        public void found(@Nullable Long first) {
            this.first = first;
            if (fromHead) {
                took(System.nanoTime() - beginNanos);
            }
        }

        /** Moves the cursor to the job that was found. A transaction that has written before its look moves it after its commit: a rollback would leave due jobs before the cursor. */
        public void move() {
            // A job that was scheduled meanwhile may be before the first one, and not seen by the look.
            if (!cursor.compareAndSet(seen, new Position(first == null ? Long.MAX_VALUE : first)) && first != null) {
                scheduled(first);
            }
        }
    }

    /** For a look from the cursor, or from the head while that is quick. */
    public View view() {
        return new View(headTook < QUICK_NANOS);
    }

    /** For a look from the head. */
    public View head() {
        return new View(true);
    }

    /** A look from the head has taken so long. */
    void took(long nanos) {
        headTook = Math.min(nanos, lastTook);
        lastTook = nanos;
    }

    /** A job that is due then was committed. */
    public void scheduled(long at) {
        cursor.updateAndGet(last -> new Position(Math.min(last.from, at)));
    }
}
