package dev.windrow.sqlite;

import static dev.windrow.store.sql.OperationalQuery.reading;
import static dev.windrow.store.sql.OperationalQuery.trying;
import static dev.windrow.store.sql.OperationalQuery.writing;

import dev.windrow.store.ThroughputSums;
import dev.windrow.store.sql.OperationalQuery;
import java.time.Duration;
import java.util.List;

/** The statements by which jobs move, are found and are counted, and what those that only read may be tried with. */
final class OperationalQueries {
    /** As many as a page of a listing has. */
    private static final int PAGE = 50;
    /** As many as retention looks at in one step. */
    private static final int MANY = 1000;

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration WINDOW = Duration.ofHours(1);

    /** Those that answer people first. */
    static final List<OperationalQuery> ALL = List.of(
            reading("statistics: counts", ReadSql.COUNTERS),
            trying(
                    "statistics: lag",
                    ReadSql.LANE_LAGS,
                    sample -> new Object[] {sample.ready().toArray(Long[]::new)},
                    "windrow_jobs_claim (lane=?"),
            reading("statistics: oldest in progress", ReadSql.OLDEST_RUNNING, "windrow_jobs_lease"),
            trying(
                    "statistics: wait and run times",
                    StatisticsSql.MINUTES,
                    sample -> {
                        ThroughputSums sums = new ThroughputSums(sample.now(), WINDOW);
                        return new Object[] {sums.firstMinute(), sums.lastMinute()};
                    },
                    "PRIMARY KEY (minute>? AND minute<?)"),
            trying(
                    "statistics: throughput per minute",
                    StatisticsSql.ENDED,
                    sample -> {
                        ThroughputSums sums = new ThroughputSums(sample.now(), WINDOW);
                        return new Object[] {sums.firstOfMinutes(), sums.lastMinute(), 1};
                    },
                    "PRIMARY KEY (minute>? AND minute<?)"),
            trying(
                    "statistics: throughput per hour",
                    StatisticsSql.ENDED,
                    sample -> {
                        ThroughputSums sums = new ThroughputSums(sample.now(), WINDOW);
                        return new Object[] {sums.firstOfHours(), sums.lastMinute(), 60};
                    },
                    "PRIMARY KEY (minute>? AND minute<?)"),
            reading("statistics: retries", ReadSql.RETRIES),
            reading("statistics: failures", StatisticsSql.FAILURES, "windrow_jobs_failed_code (error_code=?)"),
            trying("statistics: live workers", ReadSql.LIVE_WORKERS, sample -> new Object[] {sample.now()}),
            reading("statistics: waits", StepSql.COUNT_WAITS, "windrow_jobs_wake"),
            reading("statistics: schedules", ScheduleSql.COUNT_SCHEDULES),
            trying("statistics: stuck slots", ReadSql.STUCK_SLOTS, sample -> new Object[] {sample.now()}),
            reading("workers", Sql.READ_WORKERS),
            page("listing of all jobs", ListSql.LIST_ALL, "INTEGER PRIMARY KEY (rowid<?)"),
            trying(
                    "listing by lane",
                    ListSql.LIST_LANES,
                    sample -> new Object[] {Long.MAX_VALUE, PAGE, 0, new Long[] {sample.lane()}},
                    "windrow_jobs_lane (lane=?"),
            page("listing by tag", ListSql.LIST_TAG, "windrow_tags_tag (tag=?", sample -> sample.tag()),
            page(
                    "listing by workflow",
                    ListSql.LIST_WORKFLOW,
                    "windrow_jobs_workflow (workflow_id=?",
                    sample -> sample.job()),
            page("listing of pending jobs", ListSql.LIST_PENDING, "windrow_jobs_claim"),
            page("listing of running jobs", ListSql.LIST_RUNNING, "windrow_jobs_lease"),
            page("listing of scheduled jobs", ListSql.LIST_SCHEDULED, "windrow_jobs_due"),
            page("listing of blocked jobs", ListSql.LIST_BLOCKED, "windrow_jobs_blocked (id<?)"),
            page("listing of failed jobs", ListSql.LIST_FAILED, "windrow_jobs_failed (id<?)"),
            page(
                    "listing by error code",
                    ListSql.LIST_FAILED_CODE,
                    "windrow_jobs_failed_code (error_code=?",
                    sample -> sample.code()),
            page("listing of cancelled jobs", ListSql.LIST_CANCELLED, "windrow_jobs_cancelled (id<?)"),
            ofJob("show: the job", ReadSql.READ_JOB, "INTEGER PRIMARY KEY (rowid=?)"),
            ofJob("show: attempts", ReadSql.READ_ATTEMPTS, "PRIMARY KEY (job_id=?)"),
            ofJob("show: events", ReadSql.READ_EVENTS, "PRIMARY KEY (job_id=?)"),
            ofJob("show: dependents", ReadSql.READ_DEPENDENTS, "windrow_edges_parent (parent=?)"),
            trying("audit", ReadSql.READ_AUDIT, sample -> new Object[] {PAGE}),
            trying(
                    "dedupe key",
                    KeySql.KEY_HOLDER,
                    sample -> new Object[] {sample.type(), ""},
                    "PRIMARY KEY (type=? AND key=?)"),
            trying(
                    "open lanes",
                    Sql.LANE_STATE,
                    sample -> new Object[] {sample.lane()},
                    "INTEGER PRIMARY KEY (rowid=?)"),
            trying(
                    "ready lanes",
                    Sql.READY_LANES,
                    sample -> new Object[] {Long.MIN_VALUE},
                    "windrow_jobs_claim (lane>?)"),
            new OperationalQuery(
                    "candidates of a claim",
                    ControlSql.CANDIDATES,
                    List.of("windrow_jobs_claim (lane=?)"),
                    sample -> sample.ready().stream()
                            .map(lane -> new Object[] {lane, PAGE})
                            .toList()),
            writing("claim", Sql.CLAIM, "windrow_jobs_claim (lane=?)"),
            writing("start", Sql.MARK_STARTED, "INTEGER PRIMARY KEY (rowid=?)"),
            writing("renewal", Sql.RENEW, "INTEGER PRIMARY KEY (rowid=?)"),
            writing("settlement", Sql.SETTLE_COMPLETED, "INTEGER PRIMARY KEY (rowid=?)"),
            writing("settlement: another attempt", Sql.SETTLE_SCHEDULED, "INTEGER PRIMARY KEY (rowid=?)"),
            writing("settlement: failed", Sql.SETTLE_FAILED, "INTEGER PRIMARY KEY (rowid=?)"),
            trying(
                    "release of children",
                    WorkflowSql.OPEN_EDGES,
                    sample -> new Object[] {new Long[] {sample.job()}, 1, MANY},
                    "windrow_edges_parent (parent=?)"),
            reading("next due time", Sql.NEXT_DUE, "windrow_jobs_due"),
            trying(
                    "promotion: what is due",
                    Sql.DUE_JOBS,
                    sample -> new Object[] {sample.now(), MANY},
                    "windrow_jobs_due (scheduled_at<?)"),
            writing("promotion", Sql.PROMOTE, "INTEGER PRIMARY KEY (rowid=?)"),
            trying(
                    "waits that run out of time",
                    StepSql.DUE_WAITS,
                    sample -> new Object[] {sample.now(), MANY},
                    "windrow_jobs_wake (wake_at<?)"),
            trying(
                    "schedules that are due",
                    ScheduleSql.DUE_SCHEDULES,
                    sample -> new Object[] {sample.now(), 0, 0, MANY},
                    "windrow_schedules_next (next_at"),
            reading("requests to cancel", Sql.CANCEL_REQUESTS, "windrow_jobs_cancel"),
            trying(
                    "expired leases",
                    Sql.SUSPECTS,
                    sample -> new Object[] {sample.now(), sample.now() + LEASE.toMillis(), MANY, -1, -1},
                    "windrow_jobs_lease"),
            trying(
                    "keys in line",
                    KeySql.KEYS_IN_LINE,
                    sample -> new Object[] {"", MANY, sample.now()},
                    "windrow_turns_line (key>?)"),
            trying(
                    "retention: failed jobs",
                    RetentionSql.NEXT_FAILED,
                    sample -> new Object[] {0, MANY},
                    "windrow_jobs_failed (id>?)"),
            trying(
                    "retention: cancelled jobs",
                    RetentionSql.NEXT_CANCELLED,
                    sample -> new Object[] {0, MANY},
                    "windrow_jobs_cancelled (id>?)"),
            trying(
                    "retention: jobs of a lane",
                    RetentionSql.NEXT_OF_LANE,
                    sample -> new Object[] {0, MANY, sample.lane()},
                    "windrow_jobs_lane (lane=? AND rowid>?)"),
            writing("retention: deletion", RetentionSql.EXPIRE, "INTEGER PRIMARY KEY (rowid=?)"));

    private OperationalQueries() {}

    private static OperationalQuery ofJob(String name, String sql, String index) {
        return trying(name, sql, sample -> new Object[] {sample.job()}, index);
    }

    /** The first page of a listing. */
    private static OperationalQuery page(String name, String sql, String index) {
        return trying(name, sql, sample -> new Object[] {Long.MAX_VALUE, PAGE}, index);
    }

    private interface Key {
        Object of(OperationalQuery.Sample sample);
    }

    private static OperationalQuery page(String name, String sql, String index, Key key) {
        return trying(name, sql, sample -> new Object[] {Long.MAX_VALUE, PAGE, key.of(sample)}, index);
    }
}
