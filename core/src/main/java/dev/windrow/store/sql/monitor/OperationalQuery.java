package dev.windrow.store.sql.monitor;

import dev.windrow.JobState;
import dev.windrow.store.monitor.ThroughputSums;
import dev.windrow.store.sql.connection.Query;
import dev.windrow.store.sql.connection.Statement;
import dev.windrow.store.sql.connection.Statements;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A statement by which jobs move, are found or are counted.
 *
 * @param name its purpose
 * @param indexes the indexes without which it reads everything, named as in the store's query plans; empty if all that it reads is small, or the
 *     database may choose
 * @param values the parameters for a test run; null if it writes, or locks, and is not run
 */
public record OperationalQuery(
        String name,
        String sql,
        List<String> indexes,
        @Nullable Values values) {
    /** The number of jobs of a page of a listing. */
    public static final long PAGE = 50;
    /** The number of jobs that retention reads in one step. */
    public static final int MANY = 1000;

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration WINDOW = Duration.ofHours(1);

    /** The parameters of several runs: texts and numbers, and arrays of them. */
    public interface Values {
        /** Returns the parameters of each run. */
        List<Object[]> of(Sample sample);
    }

    /** The parameters of a single run. */
    public interface Value {
        /** Returns the parameters of the one run. */
        Object[] of(Sample sample);
    }

    /**
     * The values in the store that queries can search for.
     *
     * @param now the time
     * @param lane the lane with most jobs, or 0
     * @param type its type
     * @param ready the lanes with ready jobs, or that one
     * @param job the newest job that has failed, or the newest one, or 0
     * @param tag one of its tags, or an empty text
     * @param code the error code with which most jobs have failed, or an empty text
     */
    public record Sample(long now, long lane, String type, List<Long> ready, long job, String tag, String code) {
        /** Reads values that are in the store. */
        static Sample read(Statements statements, long now) throws SQLException {
            var lanes = StatisticsQueries.lanes(statements).values();
            StatisticsQueries.LaneCounts largest = lanes.stream()
                    .max(Comparator.comparingLong(lane -> lane.states().values().stream()
                            .mapToLong(Long::longValue)
                            .sum()))
                    .orElse(null);
            long lane = largest == null ? 0 : largest.id();
            List<Long> ready = lanes.stream()
                    .filter(counts -> counts.states().getOrDefault(JobState.PENDING, 0L) > 0)
                    .map(StatisticsQueries.LaneCounts::id)
                    .toList();
            Long failed = first(statements, Statement.LIST_FAILED);
            Long newest = failed == null ? first(statements, Statement.LIST_ALL) : failed;
            long job = newest == null ? 0 : newest;
            String code =
                    statements.get(Statement.READ_FAILURES).texts(1, List.of()).find(row -> row.getString(1));
            String tag = statements.get(Statement.SAMPLE_TAG).set(1, job).find(row -> row.getString(1));
            return new Sample(
                    /* now= */ now,
                    /* lane= */ lane,
                    /* type= */ largest == null ? "" : largest.type(),
                    /* ready= */ ready.isEmpty() ? List.of(lane) : ready,
                    /* job= */ job,
                    /* tag= */ tag == null ? "" : tag,
                    /* code= */ code == null ? "" : code);
        }

        /** Returns the beginning of the codes of the code's category. */
        public String category() {
            return code.substring(0, code.indexOf(':') + 1);
        }

        /** Returns the time as a parameter. */
        public Object[] time() {
            return new Object[] {now};
        }

        /** Returns the lanes with ready jobs as a parameter. */
        public Object[] readyLanes() {
            return new Object[] {ready.toArray(Long[]::new)};
        }

        /** Returns the job as a parameter. */
        public Object[] ofJob() {
            return new Object[] {job};
        }

        /** Returns the parameters of the first page of a listing. */
        public Object[] page() {
            return new Object[] {Long.MAX_VALUE, PAGE};
        }

        /** Returns the parameters of the first page of a listing by this key. */
        public Object[] page(Object key) {
            return new Object[] {Long.MAX_VALUE, PAGE, key};
        }

        /** Returns the codes of the last hours as a parameter. */
        public Object[] codes() {
            return new Object[] {new String[] {code}};
        }

        /** Returns the parameters for the failures of the last hours: a time and a limit. */
        public Object[] failedSince() {
            return new Object[] {now - WINDOW.toMillis(), MANY};
        }

        /** Returns the parameters for many due rows: the time and a limit. */
        public Object[] due() {
            return new Object[] {now, MANY};
        }

        /** Returns the parameters for many of the oldest rows: 0 and a limit. */
        public Object[] old() {
            return new Object[] {0L, MANY};
        }

        /** Returns the parameters for many expired leases, of any job. */
        public Object[] leases() {
            return new Object[] {now, now + LEASE.toMillis(), (long) MANY, -1L, -1L};
        }

        /** Returns the parameters for the sums of minutes. */
        public Object[] minutes() {
            ThroughputSums sums = sums();
            return new Object[] {1L, sums.firstOfMinutes(), sums.lastMinute(), null, null};
        }

        /** Returns the parameters for the sums of hours. */
        public Object[] hours() {
            ThroughputSums sums = sums();
            return new Object[] {60L, sums.firstOfHours(), sums.lastHour(), null, null};
        }

        private ThroughputSums sums() {
            return new ThroughputSums(now, WINDOW);
        }

        private static @Nullable Long first(Statements statements, Statement listing) throws SQLException {
            return statements.get(listing).set(1, Long.MAX_VALUE).set(2, 1).oneOrNull();
        }
    }

    /** Returns a statement that writes, or locks. */
    public static OperationalQuery writing(String name, String sql, String... indexes) {
        return new OperationalQuery(name, sql, List.of(indexes), null);
    }

    /** Returns a query without parameters. */
    public static OperationalQuery reading(String name, String sql, String... indexes) {
        return trying(name, sample -> new Object[0], sql, indexes);
    }

    /** Returns a query that is run with one set of parameters. */
    public static OperationalQuery trying(String name, Value value, String sql, String... indexes) {
        return new OperationalQuery(name, sql, List.of(indexes), sample -> List.<Object[]>of(value.of(sample)));
    }

    /** Runs the query once for each of these, and reads all its rows. */
    static void run(Query query, List<Object[]> runs) throws SQLException {
        for (Object[] values : runs) {
            for (int i = 0; i < values.length; i++) {
                set(query, i + 1, values[i]);
            }
            try (ResultSet rows = query.rows()) {
                int columns = rows.getMetaData().getColumnCount();
                while (rows.next()) {
                    for (int column = 1; column <= columns; column++) {
                        rows.getObject(column);
                    }
                }
            }
        }
    }

    private static void set(Query query, int parameter, @Nullable Object value) throws SQLException {
        if (value instanceof Long[] numbers) {
            query.ids(parameter, List.of(numbers));
        } else if (value instanceof String[] texts) {
            query.texts(parameter, List.of(texts));
        } else {
            query.value(parameter, value);
        }
    }
}
