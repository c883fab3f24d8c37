package dev.windrow.store.sql.monitor;

import dev.windrow.monitor.Throughput;
import dev.windrow.monitor.ThroughputFilter;
import dev.windrow.store.monitor.ThroughputSums;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** The attempts that ended recently, from the sums per minute. */
public final class ThroughputQueries {
    private ThroughputQueries() {}

    private interface Slot {
        void add(String type, long slot, ThroughputSums.Attempts attempts);
    }

    /** Reads the attempts that ended within the window, in the last minutes and in the last hours, and their durations. */
    public static Throughput read(Statements statements, long now, Duration window, ThroughputFilter filter)
            throws SQLException {
        ThroughputSums sums = new ThroughputSums(now, window);
        long last = sums.lastMinute();
        // Not in one slot: the text of a window of days would be very long.
        read(
                statements,
                filter,
                sums.firstMinute(),
                last,
                ThroughputSums.MINUTES,
                (type, slot, attempts) -> sums.window(type, attempts));
        read(statements, filter, sums.firstOfMinutes(), last, 1, sums::minute);
        read(statements, filter, sums.firstOfHours(), last, ThroughputSums.MINUTES, sums::hour);
        return sums.build();
    }

    private static void read(
            Statements statements, ThroughputFilter filter, long first, long last, int minutes, Slot slot)
            throws SQLException {
        try (ResultSet rows = statements
                .get(Statement.READ_MINUTES)
                .set(1, first)
                .set(2, last)
                .set(3, minutes)
                .set(4, filter.type())
                .set(5, filter.queue())
                .rows()) {
            while (rows.next()) {
                slot.add(
                        rows.getString(1),
                        rows.getLong(2),
                        new ThroughputSums.Attempts(rows.getLong(3), rows.getLong(4), times(rows, 5), times(rows, 8)));
            }
        }
    }

    private static ThroughputSums.Times times(ResultSet row, int column) throws SQLException {
        return new ThroughputSums.Times(row.getLong(column), row.getLong(column + 1), bins(row.getString(column + 2)));
    }

    /** Adds the numbers of several arrays, place by place. The text has the arrays one after the other, each in brackets or braces. */
    private static long[] bins(String arrays) {
        long[] bins = new long[ThroughputSums.BINS];
        int bin = 0;
        long number = 0;
        for (int i = 0; i < arrays.length(); i++) {
            char c = arrays.charAt(i);
            if (c >= '0' && c <= '9') {
                number = 10 * number + c - '0';
            } else {
                bins[bin] += number;
                bin = c == ',' ? Math.min(bin + 1, bins.length - 1) : 0;
                number = 0;
            }
        }
        return bins;
    }
}
