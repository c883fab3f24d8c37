package dev.windrow.store.sql.monitor;

import dev.windrow.monitor.Throughput;
import dev.windrow.store.monitor.ThroughputSums;
import dev.windrow.store.sql.connection.Rows;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** The attempts that ended recently, from the sums per minute. */
public final class ThroughputQueries {
    private ThroughputQueries() {}

    private interface Slot {
        void add(String type, long slot, long succeeded, long failed);
    }

    /** Reads the attempts that ended within the window, and their durations. */
    public static Throughput read(Statements statements, long now, Duration window) throws SQLException {
        ThroughputSums sums = new ThroughputSums(now, window);
        try (ResultSet rows = statements
                .get(Statement.READ_MINUTES)
                .set(1, sums.firstMinute())
                .set(2, sums.lastMinute())
                .rows()) {
            while (rows.next()) {
                sums.add(
                        rows.getString(1),
                        rows.getLong(2),
                        rows.getLong(3),
                        new ThroughputSums.Times(rows.getLong(4), rows.getLong(8), bins(rows, 6)),
                        new ThroughputSums.Times(rows.getLong(5), rows.getLong(9), bins(rows, 7)));
            }
        }
        ended(statements, sums.firstOfMinutes(), sums.lastMinute(), 1, sums::minute);
        ended(statements, sums.firstOfHours(), sums.lastMinute(), 60, sums::hour);
        return sums.build();
    }

    private static void ended(Statements statements, long first, long last, int minutes, Slot slot)
            throws SQLException {
        try (ResultSet rows = statements
                .get(Statement.READ_ENDED)
                .set(1, first)
                .set(2, last)
                .set(3, minutes)
                .rows()) {
            while (rows.next()) {
                slot.add(rows.getString(1), rows.getLong(2), rows.getLong(3), rows.getLong(4));
            }
        }
    }

    private static long[] bins(ResultSet row, int column) throws SQLException {
        return Rows.longs(row, column).stream().mapToLong(Long::longValue).toArray();
    }
}
