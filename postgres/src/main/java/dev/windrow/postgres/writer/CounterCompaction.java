package dev.windrow.postgres.writer;

import dev.windrow.postgres.connection.Session;
import dev.windrow.postgres.connection.Tables;
import dev.windrow.postgres.monitor.CounterSql;
import dev.windrow.postgres.monitor.StatisticsSql;
import dev.windrow.postgres.schema.Migrations;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;

/**
 * The compaction of the counters. It adds the deltas of transactions to the counters, so that a sum of them stays short. It runs about once a second
 * while there are deltas, in one process at a time. Dead entries behind a transaction that stays open must be stepped over each time. So compaction
 * runs the less often the longer it takes. Used by one thread.
 */
public final class CounterCompaction {
    private static final long PERIOD_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int PAUSE = 50;

    private final Tables tables;
    private long next = System.nanoTime();

    public CounterCompaction(Tables tables) {
        this.tables = tables;
    }

    /** Compacts the counters. Returns true if there were deltas, so that there may be more. */
    public boolean compact(Session session) throws SQLException {
        long begin = System.nanoTime();
        if (begin - next < 0) {
            return true;
        }
        boolean any = false;
        boolean done = false;
        try {
            boolean mine;
            try (ResultSet row = session.get(CounterSql.TRY_COMPACTION)
                    .set(1, Migrations.lock(tables) + 1)
                    .rows()) {
                mine = row.next() && row.getBoolean(1);
            }
            if (mine) {
                boolean counted = session.get(CounterSql.COMPACT_COUNTERS).one() > 0;
                any = session.get(StatisticsSql.COMPACT_FAILURES).one() > 0 || counted;
            }
            session.commit();
            done = true;
        } finally {
            if (!done) {
                session.rollback();
            }
            next = System.nanoTime() + Math.max(PERIOD_NANOS, PAUSE * (System.nanoTime() - begin));
        }
        return any;
    }
}
