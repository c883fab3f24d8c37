package dev.windrow.postgres;

import dev.windrow.JobState;
import dev.windrow.store.ThroughputSums;
import dev.windrow.store.sql.StatisticsQueries;
import java.sql.Array;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The statements by which jobs move, are found and are counted, and what those that only read may be tried with. */
final class OperationalQueries {
    /** As many as a page of a listing has. */
    private static final long PAGE = 50;
    /** As many as retention looks at in one step. */
    private static final int MANY = 1000;

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration WINDOW = Duration.ofHours(1);

    /** Under which settings a statement is planned. */
    enum Kind {
        /** Those of {@link Sql#BEGIN_WORK}. */
        WORK,
        /** Those of {@link Readers}. */
        READ
    }

    /**
     * One of them.
     *
     * @param name what it is for
     * @param values what it is tried with; null if it writes, or locks, and is not tried
     * @param indexes named as tables are in {@link Sql}: without one of them it reads everything; empty if all that it reads is small, or the
     *     server may choose
     */
    record Operation(
            Kind kind, String name, String sql, @Nullable Values values, List<String> indexes) {}

    /** The parameters of a run. */
    interface Values {
        Object[] of(Sample sample);
    }

    /**
     * What there is to look for.
     *
     * @param now the time
     * @param lane the one with most jobs, or 0
     * @param queue its queue
     * @param type its type
     * @param ready the lanes with ready jobs, or that one
     * @param job the newest job that has failed, or the newest one, or 0
     * @param tag one of its tags, or none
     * @param code the error code with which most jobs have failed, or none
     */
    record Sample(long now, long lane, String queue, String type, List<Long> ready, long job, String tag, String code) {
        static Sample read(PostgresStatements statements, long now) throws SQLException {
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
            Long failed = first(statements, ListSql.LIST_FAILED);
            Long newest = failed == null ? first(statements, ListSql.LIST_ALL) : failed;
            long job = newest == null ? 0 : newest;
            return new Sample(
                    now,
                    lane,
                    largest == null ? "" : largest.queue(),
                    largest == null ? "" : largest.type(),
                    ready.isEmpty() ? List.of(lane) : ready,
                    job,
                    tag(statements, job),
                    code(statements));
        }

        private static @Nullable Long first(PostgresStatements statements, String listing) throws SQLException {
            return statements.get(listing).set(1, Long.MAX_VALUE).set(2, 1L).oneOrNull();
        }

        private static String tag(PostgresStatements statements, long job) throws SQLException {
            try (ResultSet row =
                    statements.get(ReadSql.READ_JOBS).ids(1, List.of(job)).rows()) {
                Array tags = row.next() ? row.getArray(JobReads.TAGS) : null;
                return tags != null && tags.getArray() instanceof String[] names && names.length > 0 ? names[0] : "";
            }
        }

        private static String code(PostgresStatements statements) throws SQLException {
            try (ResultSet row = statements.get(StatisticsSql.FAILURES).rows()) {
                return row.next() ? String.valueOf(row.getString(1)) : "";
            }
        }
    }

    /** What people ask first, then what workers do. */
    static final List<Operation> ALL = List.of(
            reading("statistics: counts", ReadSql.COUNTERS, sample -> new Object[0]),
            reading(
                    "statistics: lag",
                    ReadSql.LANE_LAGS,
                    sample -> new Object[] {sample.ready().toArray(Long[]::new)},
                    "jobs_claim"),
            reading("statistics: oldest in progress", ReadSql.OLDEST_RUNNING, sample -> new Object[0], "jobs_running"),
            reading(
                    "statistics: wait and run times",
                    StatisticsSql.MINUTES,
                    sample -> {
                        ThroughputSums sums = new ThroughputSums(sample.now(), WINDOW);
                        return new Object[] {sums.firstMinute(), sums.lastMinute()};
                    },
                    "minutes_pkey"),
            reading(
                    "statistics: throughput per minute",
                    StatisticsSql.ENDED,
                    sample -> {
                        ThroughputSums sums = new ThroughputSums(sample.now(), WINDOW);
                        return new Object[] {sums.firstOfMinutes(), sums.lastMinute(), 1L};
                    },
                    "minutes_pkey"),
            reading(
                    "statistics: throughput per hour",
                    StatisticsSql.ENDED,
                    sample -> {
                        ThroughputSums sums = new ThroughputSums(sample.now(), WINDOW);
                        return new Object[] {sums.firstOfHours(), sums.lastMinute(), 60L};
                    },
                    "minutes_pkey"),
            reading("statistics: retries", ReadSql.RETRIES, sample -> new Object[0]),
            reading(
                    "statistics: failures",
                    StatisticsSql.FAILURES,
                    sample -> new Object[0],
                    "jobs_failed",
                    "jobs_failed_id"),
            reading("statistics: live workers", ReadSql.LIVE_WORKERS, sample -> new Object[] {sample.now()}),
            reading("statistics: waits", ReadSql.COUNT_WAITS, sample -> new Object[0], "jobs_wake"),
            reading("statistics: schedules", ReadSql.COUNT_SCHEDULES, sample -> new Object[0]),
            reading("statistics: stuck slots", ReadSql.STUCK_SLOTS, sample -> new Object[] {sample.now()}),
            reading("workers", ReadSql.READ_WORKERS, sample -> new Object[0]),
            page("listing of all jobs", ListSql.LIST_ALL),
            reading("listing by lane", ListSql.LIST_LANES, sample -> new Object[] {
                new Long[] {sample.lane()}, new Long[] {Long.MAX_VALUE}, new Integer[] {Math.toIntExact(PAGE)}
            }),
            reading("listing by tag", ListSql.LIST_TAG, sample -> new Object[] {Long.MAX_VALUE, PAGE, sample.tag()}),
            reading("listing by workflow", ListSql.LIST_WORKFLOW, sample ->
                    new Object[] {Long.MAX_VALUE, PAGE, sample.job()}),
            page("listing of pending jobs", ListSql.LIST_PENDING),
            page("listing of running jobs", ListSql.LIST_RUNNING),
            page("listing of scheduled jobs", ListSql.LIST_SCHEDULED),
            page("listing of blocked jobs", ListSql.LIST_BLOCKED),
            page("listing of failed jobs", ListSql.LIST_FAILED),
            reading("listing by error code", ListSql.LIST_FAILED_CODE, sample ->
                    new Object[] {Long.MAX_VALUE, PAGE, sample.code()}),
            page("listing of cancelled jobs", ListSql.LIST_CANCELLED),
            reading("show: the job", ReadSql.READ_JOBS, sample -> new Object[] {new Long[] {sample.job()}}),
            reading("show: attempts", ReadSql.READ_ATTEMPTS, sample -> new Object[] {sample.job()}),
            reading("show: events", ReadSql.READ_EVENTS, sample -> new Object[] {sample.job()}),
            reading("audit", ReadSql.READ_AUDIT, sample -> new Object[] {PAGE}),
            reading(
                    "expired leases",
                    ReadSql.SUSPECTS,
                    sample -> new Object[] {sample.now(), sample.now() + LEASE.toMillis(), (long) MANY, -1L, -1L},
                    "jobs_running"),
            reading("schedules that are due", ReadSql.DUE_SCHEDULES, sample ->
                    new Object[] {sample.now(), 0L, 0L, MANY}),
            reading("keys in line", ReadSql.KEYS_IN_LINE, sample -> new Object[] {"", MANY, sample.now()}),
            reading("retention: failed jobs", RetentionSql.NEXT_FAILED, sample -> new Object[] {0L, MANY}),
            reading("retention: cancelled jobs", RetentionSql.NEXT_CANCELLED, sample -> new Object[] {0L, MANY}),
            reading("retention: jobs of a lane", RetentionSql.NEXT_OF_LANE, sample ->
                    new Object[] {0L, MANY, sample.lane()}),
            working(
                    "dedupe key",
                    KeySql.KEY_HOLDERS,
                    sample -> new Object[] {new String[] {sample.type()}, new String[] {""}},
                    "dedupe_pkey"),
            working("ready lanes", Sql.READY_LANES, sample -> new Object[0]),
            working(
                    "open lanes",
                    Sql.WAITING_LANES,
                    sample -> new Object[] {
                        new Long[] {sample.lane()},
                        new Long[] {sample.lane()},
                        new Integer[] {Integer.MIN_VALUE},
                        new Long[] {-1L},
                        new Long[] {-1L},
                        new Long[] {sample.lane()}
                    },
                    "jobs_claim"),
            writing("claim", Sql.CLAIM, "jobs_claim"),
            writing("claim from several lanes", Sql.CLAIM_OF_SEVERAL, "jobs_claim"),
            writing("start", Sql.MARK_STARTED, "jobs_pkey", "jobs_running"),
            writing("renewal", Sql.RENEW, "jobs_pkey", "jobs_running"),
            writing("settlement", Sql.SETTLE_COMPLETED, "jobs_pkey", "jobs_running"),
            writing("settlement: another attempt", Sql.SETTLE_SCHEDULED, "jobs_pkey", "jobs_running"),
            writing("settlement: failed", Sql.SETTLE_FAILED, "jobs_pkey", "jobs_running"),
            working(
                    "waiting children",
                    Sql.WAITING_CHILDREN,
                    sample -> new Object[] {new Long[] {sample.job()}, MANY},
                    "edges_parent"),
            writing("release of children", WorkflowSql.SATISFY_EDGES, "edges_parent"),
            working("next due time", Sql.NEXT_DUE, sample -> new Object[] {0L}, "jobs_due"),
            writing("promotion", Sql.PROMOTE, "jobs_due"),
            working(
                    "waits that run out of time",
                    StepSql.DUE_WAITS,
                    sample -> new Object[] {sample.now(), MANY},
                    "jobs_wake"),
            working("requests to cancel", Sql.CANCEL_REQUESTS, sample -> new Object[0], "jobs_running"),
            writing("retention: deletion", RetentionSql.EXPIRE, "jobs_pkey"));

    private OperationalQueries() {}

    private static Operation writing(String name, String sql, String... indexes) {
        return new Operation(Kind.WORK, name, sql, null, List.of(indexes));
    }

    private static Operation working(String name, String sql, Values values, String... indexes) {
        return new Operation(Kind.WORK, name, sql, values, List.of(indexes));
    }

    private static Operation reading(String name, String sql, Values values, String... indexes) {
        return new Operation(Kind.READ, name, sql, values, List.of(indexes));
    }

    /** The first page of a listing. */
    private static Operation page(String name, String sql) {
        return reading(name, sql, sample -> new Object[] {Long.MAX_VALUE, PAGE});
    }

    /** Runs a query with these, and reads all that it answers. */
    static void run(PostgresQuery query, Object[] values) throws SQLException {
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

    private static void set(PostgresQuery query, int parameter, Object value) throws SQLException {
        if (value instanceof Long number) {
            query.set(parameter, number.longValue());
        } else if (value instanceof Integer number) {
            query.set(parameter, number);
        } else if (value instanceof Long[] ids) {
            query.array(parameter, "int8", ids);
        } else if (value instanceof Integer[] numbers) {
            query.array(parameter, "int4", numbers);
        } else if (value instanceof String[] texts) {
            query.array(parameter, "text", texts);
        } else {
            query.set(parameter, value.toString());
        }
    }
}
