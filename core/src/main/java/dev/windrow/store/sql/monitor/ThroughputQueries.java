package dev.windrow.store.sql.monitor;

import dev.windrow.monitor.Throughput;
import dev.windrow.monitor.ThroughputFilter;
import dev.windrow.store.monitor.ThroughputSums;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** The attempts that ended recently, from the sums per minute and per hour. */
public final class ThroughputQueries {
    private ThroughputQueries() {}

    private interface Period {
        void add(String type, long minute, ThroughputSums.Attempts attempts);
    }

    /** Reads the attempts that ended within the window, in the last minutes and in the last hours, and their durations. */
    public static Throughput read(Statements statements, long now, Duration window, ThroughputFilter filter)
            throws SQLException {
        ThroughputSums sums = new ThroughputSums(now, window);
        read(statements, filter, 1, sums.firstOfMinutes(), sums.lastMinute(), sums::minute);
        long edge = Math.min(sums.firstWholeHour(), sums.firstOfMinutes()) - 1;
        if (sums.firstMinute() <= edge) {
            read(statements, filter, 1, sums.firstMinute(), edge, sums::minute);
        }
        read(
                statements,
                filter,
                ThroughputSums.MINUTES,
                Math.min(sums.firstWholeHour(), sums.firstOfHours()),
                sums.lastHour(),
                sums::hour);
        return sums.build();
    }

    private static void read(
            Statements statements, ThroughputFilter filter, int length, long first, long last, Period period)
            throws SQLException {
        try (ResultSet rows = statements
                .get(Statement.READ_THROUGHPUT)
                .set(1, length)
                .set(2, first)
                .set(3, last)
                .set(4, filter.type())
                .set(5, filter.queue())
                .rows()) {
            while (rows.next()) {
                period.add(
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
