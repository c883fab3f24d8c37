package dev.windrow.sqlite;

import dev.windrow.JobState;
import dev.windrow.store.ThroughputSums;
import dev.windrow.store.sql.JsonText;
import dev.windrow.store.sql.Query;
import dev.windrow.store.sql.Statements;
import dev.windrow.store.sql.StatisticsQueries;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The statements by which jobs move, are found and are counted, and what those that only read may be tried with. */
final class OperationalQueries {
    /** As many as a page of a listing has. */
    private static final int PAGE = 50;
    /** As many as retention looks at in one step. */
    private static final int MANY = 1000;

    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration WINDOW = Duration.ofHours(1);

    /**
     * One of them.
     *
     * @param name what it is for
     * @param index part of its plan: how it finds its rows; null if all that it reads is small
     * @param values what it is tried with; null if it writes, and is not tried
     */
    record Operation(
            String name,
            String sql,
            @Nullable String index,
            @Nullable Values values) {}

    /** The parameters of one run after the other. */
    interface Values {
        List<Object[]> of(Sample sample);
    }

    /**
     * What there is to look for.
     *
     * @param now the time
     * @param lane the one with most jobs, or 0
     * @param type its type
     * @param ready the lanes with ready jobs, or that one
     * @param job the newest job that has failed, or the newest one, or 0
     * @param tag one of its tags, or none
     * @param code the error code with which most jobs have failed, or none
     */
    record Sample(long now, long lane, String type, List<Long> ready, long job, String tag, String code) {
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
            Long failed = first(statements, ListSql.LIST_FAILED);
            Long newest = failed == null ? first(statements, ListSql.LIST_ALL) : failed;
            long job = newest == null ? 0 : newest;
            return new Sample(
                    now,
                    lane,
                    largest == null ? "" : largest.type(),
                    ready.isEmpty() ? List.of(lane) : ready,
                    job,
                    text(statements, ReadSql.READ_TAGS, job),
                    text(statements, StatisticsSql.FAILURES));
        }

        private static @Nullable Long first(Statements statements, String listing) throws SQLException {
            return statements.get(listing).set(1, Long.MAX_VALUE).set(2, 1).oneOrNull();
        }

        /** The first column of the first row, or nothing. */
        private static String text(Statements statements, String sql, Object... values) throws SQLException {
            Query query = statements.get(sql);
            for (int i = 0; i < values.length; i++) {
                query.value(i + 1, values[i]);
            }
            try (ResultSet rows = query.rows()) {
                String text = rows.next() ? rows.getString(1) : null;
                return text == null ? "" : text;
            }
        }
    }

    /** What people ask first. */
    static final List<Operation> ALL = List.of(
            reading("statistics: counts", ReadSql.COUNTERS, null),
            trying("statistics: lag", ReadSql.LANE_LAGS, "windrow_jobs_claim (lane=?", sample ->
                    new Object[] {JsonText.array(sample.ready())}),
            reading("statistics: oldest in progress", ReadSql.OLDEST_RUNNING, "windrow_jobs_lease"),
            trying(
                    "statistics: wait and run times",
                    StatisticsSql.MINUTES,
                    "PRIMARY KEY (minute>? AND minute<?)",
                    sample -> {
                        ThroughputSums sums = new ThroughputSums(sample.now(), WINDOW);
                        return new Object[] {sums.firstMinute(), sums.lastMinute()};
                    }),
            trying(
                    "statistics: throughput per minute",
                    StatisticsSql.ENDED,
                    "PRIMARY KEY (minute>? AND minute<?)",
                    sample -> {
                        ThroughputSums sums = new ThroughputSums(sample.now(), WINDOW);
                        return new Object[] {sums.firstOfMinutes(), sums.lastMinute(), 1};
                    }),
            trying(
                    "statistics: throughput per hour",
                    StatisticsSql.ENDED,
                    "PRIMARY KEY (minute>? AND minute<?)",
                    sample -> {
                        ThroughputSums sums = new ThroughputSums(sample.now(), WINDOW);
                        return new Object[] {sums.firstOfHours(), sums.lastMinute(), 60};
                    }),
            reading("statistics: retries", ReadSql.RETRIES, null),
            reading("statistics: failures", StatisticsSql.FAILURES, "windrow_jobs_failed_code (error_code=?)"),
            trying("statistics: live workers", ReadSql.LIVE_WORKERS, null, sample -> new Object[] {sample.now()}),
            reading("statistics: waits", StepSql.COUNT_WAITS, "windrow_jobs_wake"),
            reading("statistics: schedules", ScheduleSql.COUNT_SCHEDULES, null),
            trying("statistics: stuck slots", ReadSql.STUCK_SLOTS, null, sample -> new Object[] {sample.now()}),
            reading("workers", Sql.READ_WORKERS, null),
            page("listing of all jobs", ListSql.LIST_ALL, "INTEGER PRIMARY KEY (rowid<?)"),
            page("listing by lane", ListSql.LIST_LANE, "windrow_jobs_lane (lane=?", sample -> sample.lane()),
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
            trying("audit", ReadSql.READ_AUDIT, null, sample -> new Object[] {PAGE}),
            trying("dedupe key", KeySql.KEY_HOLDER, "PRIMARY KEY (type=? AND key=?)", sample ->
                    new Object[] {sample.type(), ""}),
            trying("open lanes", Sql.LANE_STATE, "INTEGER PRIMARY KEY (rowid=?)", sample ->
                    new Object[] {sample.lane()}),
            trying("ready lanes", Sql.READY_LANES, "windrow_jobs_claim (lane>?)", sample ->
                    new Object[] {Long.MIN_VALUE}),
            new Operation(
                    "candidates of a claim",
                    ControlSql.CANDIDATES,
                    "windrow_jobs_claim (lane=?)",
                    sample -> sample.ready().stream()
                            .map(lane -> new Object[] {lane, PAGE})
                            .toList()),
            writing("claim", Sql.CLAIM, "windrow_jobs_claim (lane=?)"),
            writing("start", Sql.MARK_STARTED, "INTEGER PRIMARY KEY (rowid=?)"),
            writing("renewal", Sql.RENEW, "INTEGER PRIMARY KEY (rowid=?)"),
            writing("settlement", Sql.SETTLE_COMPLETED, "INTEGER PRIMARY KEY (rowid=?)"),
            writing("settlement: another attempt", Sql.SETTLE_SCHEDULED, "INTEGER PRIMARY KEY (rowid=?)"),
            writing("settlement: failed", Sql.SETTLE_FAILED, "INTEGER PRIMARY KEY (rowid=?)"),
            trying("release of children", WorkflowSql.OPEN_EDGES, "windrow_edges_parent (parent=?)", sample ->
                    new Object[] {"[" + sample.job() + "]", 1, MANY}),
            reading("next due time", Sql.NEXT_DUE, "windrow_jobs_due"),
            trying("promotion: what is due", Sql.DUE_JOBS, "windrow_jobs_due (scheduled_at<?)", sample ->
                    new Object[] {sample.now(), MANY}),
            writing("promotion", Sql.PROMOTE, "INTEGER PRIMARY KEY (rowid=?)"),
            trying("waits that run out of time", StepSql.DUE_WAITS, "windrow_jobs_wake (wake_at<?)", sample ->
                    new Object[] {sample.now(), MANY}),
            trying("schedules that are due", ScheduleSql.DUE_SCHEDULES, "windrow_schedules_next (next_at", sample ->
                    new Object[] {sample.now(), 0, 0, MANY}),
            reading("requests to cancel", Sql.CANCEL_REQUESTS, "windrow_jobs_cancel"),
            trying("expired leases", Sql.SUSPECTS, "windrow_jobs_lease", sample ->
                    new Object[] {sample.now(), sample.now() + LEASE.toMillis(), MANY, -1, -1}),
            trying("keys in line", KeySql.KEYS_IN_LINE, "windrow_turns_line (key>?)", sample ->
                    new Object[] {"", MANY, sample.now()}),
            trying("retention: failed jobs", RetentionSql.NEXT_FAILED, "windrow_jobs_failed (id>?)", sample ->
                    new Object[] {0, MANY}),
            trying("retention: cancelled jobs", RetentionSql.NEXT_CANCELLED, "windrow_jobs_cancelled (id>?)", sample ->
                    new Object[] {0, MANY}),
            trying(
                    "retention: jobs of a lane",
                    RetentionSql.NEXT_OF_LANE,
                    "windrow_jobs_lane (lane=? AND rowid>?)",
                    sample -> new Object[] {0, MANY, sample.lane()}),
            writing("retention: deletion", RetentionSql.EXPIRE, "INTEGER PRIMARY KEY (rowid=?)"));

    private OperationalQueries() {}

    /** The parameters of the only run. */
    private interface Value {
        Object[] of(Sample sample);
    }

    private static Operation writing(String name, String sql, String index) {
        return new Operation(name, sql, index, null);
    }

    private static Operation reading(String name, String sql, @Nullable String index) {
        return trying(name, sql, index, sample -> new Object[0]);
    }

    private static Operation trying(String name, String sql, @Nullable String index, Value value) {
        return new Operation(name, sql, index, sample -> List.<Object[]>of(value.of(sample)));
    }

    private static Operation ofJob(String name, String sql, String index) {
        return trying(name, sql, index, sample -> new Object[] {sample.job()});
    }

    /** The first page of a listing. */
    private static Operation page(String name, String sql, String index) {
        return trying(name, sql, index, sample -> new Object[] {Long.MAX_VALUE, PAGE});
    }

    private interface Key {
        Object of(Sample sample);
    }

    private static Operation page(String name, String sql, String index, Key key) {
        return trying(name, sql, index, sample -> new Object[] {Long.MAX_VALUE, PAGE, key.of(sample)});
    }

    /** Runs a query once for each of these, and reads all that it answers. */
    static void run(Statements statements, Operation operation, List<Object[]> runs) throws SQLException {
        Query query = statements.get(operation.sql());
        for (Object[] values : runs) {
            for (int i = 0; i < values.length; i++) {
                query.value(i + 1, values[i]);
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
}
