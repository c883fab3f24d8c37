package dev.windrow.store.sql.monitor;

import dev.windrow.monitor.Statistics;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The failures of each error code in the last hours, counted from the newest FAILED jobs. */
final class FailureTrends {
    private static final int HOURS = 24;
    private static final long HOUR_MILLIS = 3_600_000;
    /** The most jobs that are counted: their index entries are read in some milliseconds. */
    private static final int MAX_JOBS = 10_000;

    private final long from;
    private final long since;
    private final Map<String, long[]> codes;

    private FailureTrends(long from, long since, Map<String, long[]> codes) {
        this.from = from;
        this.since = since;
        this.codes = codes;
    }

    /** Reads the newest failures. */
    static FailureTrends read(Statements statements, long now) throws SQLException {
        long from = Math.floorDiv(now, HOUR_MILLIS) * HOUR_MILLIS - (HOURS - 1) * HOUR_MILLIS;
        Map<String, long[]> codes = new HashMap<>();
        long jobs = 0;
        long oldest = Long.MAX_VALUE;
        long[] ofOldest = new long[HOURS];
        int hourOfOldest = 0;
        try (ResultSet rows = statements
                .get(Statement.READ_FAILURE_TREND)
                .set(1, from)
                .set(2, MAX_JOBS + 1)
                .rows()) {
            while (rows.next()) {
                // A clock that was ahead has written the end of a later hour.
                int hour = (int) Math.min(HOURS - 1, rows.getLong(2));
                long[] counts = codes.computeIfAbsent(rows.getString(1), code -> new long[HOURS]);
                counts[hour] += rows.getLong(3);
                jobs += rows.getLong(3);
                if (rows.getLong(4) < oldest) {
                    oldest = rows.getLong(4);
                    ofOldest = counts;
                    hourOfOldest = hour;
                }
            }
        }
        if (jobs <= MAX_JOBS) {
            return new FailureTrends(from, from, codes);
        }
        // The oldest one is not counted. It tells since when the counts are whole: others may have failed in the same
        // millisecond.
        ofOldest[hourOfOldest]--;
        return new FailureTrends(from, oldest + 1, codes);
    }

    /** Returns the time since which the hours are whole. */
    Instant since() {
        return Instant.ofEpochMilli(since);
    }

    /** Returns the codes with the most failures in these hours, in no order. */
    List<String> most(int codes) {
        Comparator<Map.Entry<String, long[]>> byCount =
                Comparator.comparingLong(code -> Arrays.stream(code.getValue()).sum());
        return this.codes.entrySet().stream()
                .sorted(byCount.reversed().thenComparing(Map.Entry.comparingByKey()))
                .limit(codes)
                .map(Map.Entry::getKey)
                .toList();
    }

    /** Returns the hours of a code. */
    List<Statistics.Hour> of(String code) {
        long[] counts = codes.getOrDefault(code, new long[HOURS]);
        List<Statistics.Hour> hours = new ArrayList<>(HOURS);
        for (int i = 0; i < HOURS; i++) {
            long begin = from + i * HOUR_MILLIS;
            boolean read = i == HOURS - 1 || begin + HOUR_MILLIS > since;
            hours.add(new Statistics.Hour(Instant.ofEpochMilli(begin), read ? Long.valueOf(counts[i]) : null));
        }
        return hours;
    }
}
