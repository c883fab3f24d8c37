package dev.windrow.postgres.job;

import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The position in the index of scheduled jobs at which queries for the next due job begin. A promoted job leaves a dead entry there. It stays
 * as long as a transaction is open that could still see the row. A query from the head steps over all dead entries. While that is fast, all queries
 * begin at the head. While it is slow, they begin at the first job that the last query has found, or at an earlier job that was scheduled since. This
 * process learns of its own commits directly, and of others by their notifications. Notifications are only hints, so the listener still queries from
 * the head. Safe for use by many threads.
 */
public final class DueCursor {
    /** The duration of a query from the head up to which it costs nothing. */
    private static final long QUICK_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** A position, compared by identity: a newly set one differs from all others, even with the same time. */
    private static final class Position {
        private final long from;

        Position(long from) {
            this.from = from;
        }
    }

    private final AtomicReference<Position> cursor = new AtomicReference<>(new Position(Long.MIN_VALUE));
    /** The duration of queries from the head: the shorter of the last two, because one of them may have waited for something else. */
    private volatile long headTook;

    private volatile long lastTook;
    /** True if a query may have taken long whose own duration is not known. */
    private volatile boolean unmeasured;

    /** One query, for one thread. */
    public final class View {
        private final Position seen;
        private final boolean fromHead;
        private final long beginNanos = System.nanoTime();
        private @Nullable Long first;

        private View(boolean fromHead) {
            this.seen = Objects.requireNonNull(cursor.get());
            this.fromHead = fromHead;
        }

        /** Returns the time before which no job is due, as far as this process knows. */
        public long from() {
            return fromHead ? Long.MIN_VALUE : seen.from;
        }

        /** Ends the query, which began right after this view. The first job is due at this time; null if there is none. */
        public void found(@Nullable Long first) {
            this.first = first;
            unmeasured = false;
            if (fromHead) {
                took(System.nanoTime() - beginNanos);
            }
        }

        /** Ends a query that was sent with statements that may wait or take long. It only notes whether the query may have taken long. */
        public void foundWithOthers(@Nullable Long first) {
            foundWithOthers(first, System.nanoTime() - beginNanos);
        }

        void foundWithOthers(@Nullable Long first, long nanos) {
            this.first = first;
            unmeasured |= fromHead && nanos >= QUICK_NANOS;
        }

        /**
         * Moves the cursor to the job that was found. A transaction that has written before its query moves the cursor after its commit, because a
         * rollback would leave due jobs before the cursor.
         */
        public void move() {
            // A job that was scheduled during the query may be before the first one, and not seen by the query.
            if (!cursor.compareAndSet(seen, new Position(first == null ? Long.MAX_VALUE : first)) && first != null) {
                scheduled(first);
            }
        }
    }

    /** Returns a view for a query from the cursor, or from the head while that is fast. */
    public View view() {
        return new View(headTook < QUICK_NANOS);
    }

    /** Returns a view for a query from the head. */
    public View head() {
        return new View(true);
    }

    /** True if the next query should be sent without other statements, so that its duration is known. */
    public boolean isUnmeasured() {
        return unmeasured;
    }

    /** Notes the duration of a query from the head. */
    void took(long nanos) {
        headTook = Math.min(nanos, lastTook);
        lastTook = nanos;
    }

    /** Moves the cursor back for a committed job that is due at this time. */
    public void scheduled(long at) {
        cursor.updateAndGet(last -> new Position(Math.min(last.from, at)));
    }
}
