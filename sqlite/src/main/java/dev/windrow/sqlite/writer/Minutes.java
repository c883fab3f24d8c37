package dev.windrow.sqlite.writer;

import dev.windrow.sqlite.monitor.CounterSql;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Settle;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.monitor.AttemptSums;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/**
 * Sums per minute and lane: the number of ended attempts, and how long jobs waited and ran. The writer keeps them in memory. Once a second has
 * passed, it adds them to the table with the next commit, for their minute and for its hour. So their cost does not depend on the number of jobs.
 * When a process dies, these sums lack the part in its memory. Nothing else depends on them.
 */
final class Minutes {
    private static final long FLUSH_NANOS = 1_000_000_000L;
    /** The minutes of an hour. */
    private static final int HOUR = 60;

    private record Key(long minute, long lane) {}

    /** One transaction's additions. */
    public final class Samples {
        private final Map<Key, AttemptSums> sums = new HashMap<>();

        public void ended(ClaimedJob job, Settle s) {
            if (s.startedAtMillis() != null) {
                sums.computeIfAbsent(
                                new Key(Math.floorDiv(s.finishedAtMillis(), 60_000L), job.lane()),
                                key -> new AttemptSums())
                        .add(s, s.startedAtMillis());
            }
        }

        void committed() {
            sums.forEach((key, added) -> pending.merge(key, added, AttemptSums::add));
        }
    }

    // Used only by the thread that has the turn to write.
    private final Map<Key, AttemptSums> pending = new HashMap<>();
    private long lastFlush;
    private boolean flushing;

    /** True if sums are to be written. */
    boolean isPending() {
        return !pending.isEmpty();
    }

    /** Adds the sums to the table if a second has passed since the last time, or if {@code now} is true. */
    void flush(Statements statements, long nanoTime, boolean now) throws SQLException {
        flushing = !pending.isEmpty() && (now || nanoTime - lastFlush >= FLUSH_NANOS);
        if (!flushing) {
            return;
        }
        lastFlush = nanoTime;
        for (Map.Entry<Key, AttemptSums> entry : pending.entrySet()) {
            Key key = entry.getKey();
            add(statements, 1, key.minute, key.lane, entry.getValue());
            add(statements, HOUR, key.minute - key.minute % HOUR, key.lane, entry.getValue());
        }
    }

    void committed() {
        if (flushing) {
            pending.clear();
            flushing = false;
        }
    }

    private static void add(Statements statements, int length, long minute, long lane, AttemptSums sums)
            throws SQLException {
        AttemptSums written = statements
                .get(CounterSql.READ_SUMS)
                .set(1, length)
                .set(2, minute)
                .set(3, lane)
                .find(AttemptSums::read);
        AttemptSums all = written == null ? sums : written.add(sums);
        all.bind(statements.get(CounterSql.WRITE_SUMS))
                .set(9, length)
                .set(10, minute)
                .set(11, lane)
                .update();
    }
}
