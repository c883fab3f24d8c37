package dev.windrow.sqlite;

import dev.windrow.Throughput;
import dev.windrow.store.ThroughputSums;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;

/** What has ended of late, from the sums per minute. */
final class ThroughputQueries {
    private ThroughputQueries() {}

    private interface Slot {
        void add(String type, long slot, long succeeded, long failed);
    }

    static Throughput read(Statements statements, long now, Duration window) throws SQLException {
        ThroughputSums sums = new ThroughputSums(now, window);
        PreparedStatement query = statements.get(StatisticsSql.MINUTES);
        query.setLong(1, sums.firstMinute());
        query.setLong(2, sums.lastMinute());
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                sums.add(
                        rows.getString(1),
                        rows.getLong(2),
                        rows.getLong(3),
                        new ThroughputSums.Times(rows.getLong(4), rows.getLong(8), Minutes.bins(rows.getString(6))),
                        new ThroughputSums.Times(rows.getLong(5), rows.getLong(9), Minutes.bins(rows.getString(7))));
            }
        }
        ended(statements, sums.firstOfMinutes(), sums.lastMinute(), 1, sums::minute);
        ended(statements, sums.firstOfHours(), sums.lastMinute(), 60, sums::hour);
        return sums.build();
    }

    private static void ended(Statements statements, long first, long last, int minutes, Slot slot)
            throws SQLException {
        PreparedStatement query = statements.get(StatisticsSql.ENDED);
        query.setLong(1, first);
        query.setLong(2, last);
        query.setInt(3, minutes);
        try (ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                slot.add(rows.getString(1), rows.getLong(2), rows.getLong(3), rows.getLong(4));
            }
        }
    }
}
