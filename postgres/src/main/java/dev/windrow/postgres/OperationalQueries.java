package dev.windrow.postgres;

import static dev.windrow.store.sql.OperationalQuery.reading;
import static dev.windrow.store.sql.OperationalQuery.trying;
import static dev.windrow.store.sql.OperationalQuery.writing;

import dev.windrow.store.ThroughputSums;
import dev.windrow.store.sql.OperationalQuery;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The statements by which jobs move, are found and are counted, and what those that only read may be tried with. */
final class OperationalQueries {
    /** As many as a page of a listing has. */
    private static final long PAGE = 50;
    /** As many as retention looks at in one step. */
    private static final int MANY = 1000;

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration WINDOW = Duration.ofHours(1);

    /** Statements that answer people, under the settings of {@link Readers}. */
    private static final List<OperationalQuery> READING = List.of(
            reading("statistics: counts", ReadSql.COUNTERS),
            trying(
                    "statistics: lag",
                    ReadSql.LANE_LAGS,
                    sample -> new Object[] {sample.ready().toArray(Long[]::new)},
                    "jobs_claim"),
            reading("statistics: oldest in progress", ReadSql.OLDEST_RUNNING, "jobs_running"),
            trying(
                    "statistics: wait and run times",
                    StatisticsSql.MINUTES,
                    sample -> {
                        ThroughputSums sums = new ThroughputSums(sample.now(), WINDOW);
                        return new Object[] {sums.firstMinute(), sums.lastMinute()};
                    },
                    "minutes_pkey"),
            trying(
                    "statistics: throughput per minute",
                    StatisticsSql.ENDED,
                    sample -> {
                        ThroughputSums sums = new ThroughputSums(sample.now(), WINDOW);
                        return new Object[] {sums.firstOfMinutes(), sums.lastMinute(), 1L};
                    },
                    "minutes_pkey"),
            trying(
                    "statistics: throughput per hour",
                    StatisticsSql.ENDED,
                    sample -> {
                        ThroughputSums sums = new ThroughputSums(sample.now(), WINDOW);
                        return new Object[] {sums.firstOfHours(), sums.lastMinute(), 60L};
                    },
                    "minutes_pkey"),
            reading("statistics: retries", ReadSql.RETRIES),
            reading("statistics: failures", StatisticsSql.FAILURES, "jobs_failed", "jobs_failed_id"),
            trying("statistics: live workers", ReadSql.LIVE_WORKERS, sample -> new Object[] {sample.now()}),
            reading("statistics: waits", ReadSql.COUNT_WAITS, "jobs_wake"),
            reading("statistics: schedules", ReadSql.COUNT_SCHEDULES),
            trying("statistics: stuck slots", ReadSql.STUCK_SLOTS, sample -> new Object[] {sample.now()}),
            reading("workers", ReadSql.READ_WORKERS),
            page("listing of all jobs", ListSql.LIST_ALL),
            trying("listing by lane", ListSql.LIST_LANES, sample ->
                    new Object[] {Long.MAX_VALUE, PAGE, 0L, new Long[] {sample.lane()}}),
            trying("listing by tag", ListSql.LIST_TAG, sample -> new Object[] {Long.MAX_VALUE, PAGE, sample.tag()}),
            trying("listing by workflow", ListSql.LIST_WORKFLOW, sample ->
                    new Object[] {Long.MAX_VALUE, PAGE, sample.job()}),
            page("listing of pending jobs", ListSql.LIST_PENDING),
            page("listing of running jobs", ListSql.LIST_RUNNING),
            page("listing of scheduled jobs", ListSql.LIST_SCHEDULED),
            page("listing of blocked jobs", ListSql.LIST_BLOCKED),
            page("listing of failed jobs", ListSql.LIST_FAILED),
            trying("listing by error code", ListSql.LIST_FAILED_CODE, sample ->
                    new Object[] {Long.MAX_VALUE, PAGE, sample.code()}),
            page("listing of cancelled jobs", ListSql.LIST_CANCELLED),
            trying("show: the job", ReadSql.READ_JOBS, sample -> new Object[] {new Long[] {sample.job()}}),
            trying("show: attempts", ReadSql.READ_ATTEMPTS, sample -> new Object[] {sample.job()}),
            trying("show: events", ReadSql.READ_EVENTS, sample -> new Object[] {sample.job()}),
            trying("audit", ReadSql.READ_AUDIT, sample -> new Object[] {PAGE}),
            trying(
                    "expired leases",
                    ReadSql.SUSPECTS,
                    sample -> new Object[] {sample.now(), sample.now() + LEASE.toMillis(), (long) MANY, -1L, -1L},
                    "jobs_running"),
            trying("schedules that are due", ReadSql.DUE_SCHEDULES, sample ->
                    new Object[] {sample.now(), 0L, 0L, MANY}),
            trying("keys in line", ReadSql.KEYS_IN_LINE, sample -> new Object[] {"", MANY, sample.now()}),
            trying("retention: failed jobs", RetentionSql.NEXT_FAILED, sample -> new Object[] {0L, MANY}),
            trying("retention: cancelled jobs", RetentionSql.NEXT_CANCELLED, sample -> new Object[] {0L, MANY}),
            trying("retention: jobs of a lane", RetentionSql.NEXT_OF_LANE, sample ->
                    new Object[] {0L, MANY, sample.lane()}));

    /** Statements of workers, under the settings of {@link Sql#BEGIN_WORK}. */
    private static final List<OperationalQuery> WORKING = List.of(
            trying(
                    "dedupe key",
                    KeySql.KEY_HOLDERS,
                    sample -> new Object[] {new String[] {sample.type()}, new String[] {""}},
                    "dedupe_pkey"),
            reading("ready lanes", Sql.READY_LANES),
            trying(
                    "open lanes",
                    Sql.WAITING_LANES,
                    sample -> new Object[] {
                        new Long[] {sample.lane()},
                        new Long[] {sample.lane()},
                        new Long[] {(long) Integer.MIN_VALUE},
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
            trying(
                    "waiting children",
                    Sql.WAITING_CHILDREN,
                    sample -> new Object[] {new Long[] {sample.job()}, MANY},
                    "edges_parent"),
            writing("release of children", WorkflowSql.SATISFY_EDGES, "edges_parent"),
            trying("next due time", Sql.NEXT_DUE, sample -> new Object[] {0L}, "jobs_due"),
            writing("promotion", Sql.PROMOTE, "jobs_due"),
            trying(
                    "waits that run out of time",
                    StepSql.DUE_WAITS,
                    sample -> new Object[] {sample.now(), MANY},
                    "jobs_wake"),
            reading("requests to cancel", Sql.CANCEL_REQUESTS, "jobs_running"),
            writing("retention: deletion", RetentionSql.EXPIRE, "jobs_pkey"));

    /** Those that answer people first, then those of workers. */
    static final List<OperationalQuery> ALL =
            Stream.concat(READING.stream(), WORKING.stream()).toList();

    private OperationalQueries() {}

    /** True if it is planned under the settings of {@link Sql#BEGIN_WORK}. */
    static boolean works(OperationalQuery query) {
        return WORKING.contains(query);
    }

    /** The first page of a listing. */
    private static OperationalQuery page(String name, String sql) {
        return trying(name, sql, sample -> new Object[] {Long.MAX_VALUE, PAGE});
    }
}
