package dev.windrow.sqlite.writer;

import dev.windrow.sqlite.monitor.CounterSql;
import dev.windrow.store.job.ClaimedJob;
import dev.windrow.store.job.Settle;
import dev.windrow.store.sql.connection.Statements;
import dev.windrow.store.sql.monitor.MinuteSums;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/**
 * Sums per minute and lane: the number of ended attempts, and how long jobs waited and ran. The writer keeps them in memory. Once a second has
 * passed, it adds them to the table with the next commit. So their cost does not depend on the number of jobs. When a process dies, these sums lack
 * the part in its memory. Nothing else depends on them.
 */
final class Minutes {
    private static final long FLUSH_NANOS = 1_000_000_000L;

    private record Key(long minute, long lane) {}

    /** One transaction's additions. */
    public final class Samples {
        private final Map<Key, MinuteSums> sums = new HashMap<>();

        public void ended(ClaimedJob job, Settle s) {
            if (s.startedAtMillis() != null) {
                sums.computeIfAbsent(
                                new Key(Math.floorDiv(s.finishedAtMillis(), 60_000L), job.lane()),
                                key -> new MinuteSums())
                        .add(s, s.startedAtMillis());
            }
        }

        void committed() {
            sums.forEach((key, added) -> pending.merge(key, added, MinuteSums::add));
        }
    }

    // Used by the writer thread only.
    private final Map<Key, MinuteSums> pending = new HashMap<>();
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
        for (Map.Entry<Key, MinuteSums> entry : pending.entrySet()) {
            add(statements, entry.getKey(), entry.getValue());
        }
    }

    void committed() {
        if (flushing) {
            pending.clear();
            flushing = false;
        }
    }

    private static void add(Statements statements, Key key, MinuteSums sums) throws SQLException {
        MinuteSums written = statements
                .get(CounterSql.READ_MINUTE)
                .set(1, key.minute)
                .set(2, key.lane)
                .find(MinuteSums::read);
        MinuteSums all = written == null ? sums : written.add(sums);
        all.write(statements.get(CounterSql.WRITE_MINUTE), key.minute, key.lane);
    }
}
