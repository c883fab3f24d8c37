package dev.windrow.sqlite.monitor;

import static dev.windrow.store.sql.monitor.OperationalQuery.reading;
import static dev.windrow.store.sql.monitor.OperationalQuery.trying;
import static dev.windrow.store.sql.monitor.OperationalQuery.writing;

import dev.windrow.sqlite.job.DedupeSql;
import dev.windrow.sqlite.job.JobSql;
import dev.windrow.sqlite.limit.LimitSql;
import dev.windrow.sqlite.limit.PermitSql;
import dev.windrow.sqlite.processes.RegistrySql;
import dev.windrow.sqlite.query.ListSql;
import dev.windrow.sqlite.query.ReadSql;
import dev.windrow.sqlite.retention.RetentionSql;
import dev.windrow.sqlite.schedule.ScheduleSql;
import dev.windrow.sqlite.step.StepSql;
import dev.windrow.sqlite.workflow.WorkflowSql;
import dev.windrow.store.job.Claim;
import dev.windrow.store.sql.monitor.OperationalQuery;
import dev.windrow.store.sql.monitor.OperationalQuery.Sample;
import java.util.List;

/** The statements by which jobs move, are found and are counted, with the part of a query plan that each needs. */
final class OperationalQueries {
    private static final String BY_ID = "INTEGER PRIMARY KEY (rowid=?)";
    private static final String BY_MINUTE = "PRIMARY KEY (length=? AND minute>? AND minute<?)";
    private static final String OF_JOB = "PRIMARY KEY (job_id=?)";

    /** The queries. Queries for operators come first. */
    static final List<OperationalQuery> ALL = List.of(
            reading("statistics: counts", CounterSql.COUNTERS),
            trying("statistics: lag", Sample::readyLanes, CounterSql.LANE_LAGS, "windrow_jobs_claim (lane=?"),
            reading("statistics: oldest in progress", CounterSql.OLDEST_RUNNING, "windrow_jobs_lease"),
            trying("statistics: throughput per minute", Sample::minutes, StatisticsSql.THROUGHPUT, BY_MINUTE),
            trying("statistics: throughput per hour", Sample::hours, StatisticsSql.THROUGHPUT, BY_MINUTE),
            reading("statistics: retries", CounterSql.RETRIES),
            reading("statistics: live retries", CounterSql.LIVE_RETRIES, "windrow_jobs_retrying"),
            trying(
                    "statistics: failures",
                    Sample::codes,
                    StatisticsSql.FAILURES,
                    "windrow_jobs_failed_code (error_code=?)"),
            trying(
                    "statistics: failures by hour",
                    Sample::failedSince,
                    StatisticsSql.FAILURE_TREND,
                    "windrow_jobs_failed_at (finished_at>?)"),
            trying("statistics: live workers", Sample::time, RegistrySql.LIVE_WORKERS),
            reading("statistics: waits", StepSql.COUNT_WAITS, "windrow_jobs_wake"),
            reading("statistics: schedules", ScheduleSql.COUNT_SCHEDULES),
            trying("statistics: stuck slots", Sample::time, CounterSql.STUCK_SLOTS),
            reading("workers", RegistrySql.READ_WORKERS),
            trying("listing of all jobs", Sample::page, ListSql.LIST_ALL, "INTEGER PRIMARY KEY (rowid<?)"),
            trying(
                    "listing by lane",
                    sample -> new Object[] {Long.MAX_VALUE, OperationalQuery.PAGE, 0, new Long[] {sample.lane()}},
                    ListSql.LIST_LANES,
                    "windrow_jobs_lane (lane=?"),
            trying("listing by tag", sample -> sample.page(sample.tag()), ListSql.LIST_TAG, "windrow_tags_tag (tag=?"),
            trying(
                    "suggestion of tags",
                    sample -> new Object[] {sample.tag(), OperationalQuery.PAGE},
                    ReadSql.SUGGEST_TAGS,
                    "windrow_tags_tag (tag>?)"),
            trying(
                    "listing by dedupe key",
                    sample -> sample.page(""),
                    ListSql.LIST_DEDUPE_KEY,
                    "windrow_jobs_dedupe (dedupe_key=?"),
            trying(
                    "listing by workflow",
                    sample -> sample.page(sample.job()),
                    ListSql.LIST_WORKFLOW,
                    "windrow_jobs_workflow (workflow_id=?"),
            trying("listing of chains", Sample::page, WorkflowSql.LIST_CHAINS, "windrow_jobs_chain (chain_id<?)"),
            trying("listing of pending jobs", Sample::page, ListSql.LIST_PENDING, "windrow_jobs_claim"),
            trying("listing of running jobs", Sample::page, ListSql.LIST_RUNNING, "windrow_jobs_lease"),
            trying("listing of scheduled jobs", Sample::page, ListSql.LIST_SCHEDULED, "windrow_jobs_due"),
            trying("listing of blocked jobs", Sample::page, ListSql.LIST_BLOCKED, "windrow_jobs_blocked (id<?)"),
            trying("listing of failed jobs", Sample::page, ListSql.LIST_FAILED, "windrow_jobs_failed (id<?)"),
            trying(
                    "listing by error code",
                    sample -> sample.page(sample.code()),
                    ListSql.LIST_FAILED_CODE,
                    "windrow_jobs_failed_code (error_code=?"),
            trying(
                    "listing by category of error codes: codes",
                    sample -> new Object[] {sample.category(), OperationalQuery.PAGE},
                    ListSql.FAILED_CODES,
                    "windrow_jobs_failed_code (error_code>?)"),
            trying(
                    "listing by category of error codes: jobs",
                    sample -> sample.page(new String[] {sample.code()}),
                    ListSql.LIST_FAILED_CODES,
                    "windrow_jobs_failed_code (error_code=?"),
            trying("listing of cancelled jobs", Sample::page, ListSql.LIST_CANCELLED, "windrow_jobs_cancelled (id<?)"),
            trying("show: the job", Sample::ofJob, ReadSql.READ_JOB, BY_ID),
            trying("show: attempts", Sample::ofJob, ReadSql.READ_ATTEMPTS, OF_JOB),
            trying("show: events", Sample::ofJob, ReadSql.READ_EVENTS, OF_JOB),
            trying("explain", Sample::ofJob, ReadSql.EXPLAIN, BY_ID),
            trying("show: dependents", Sample::ofJob, ReadSql.READ_DEPENDENTS, "windrow_edges_parent (parent=?)"),
            trying(
                    "audit",
                    sample -> new Object[] {OperationalQuery.PAGE, 0L, sample.now()},
                    CounterSql.READ_AUDIT,
                    "windrow_audit_at (at>? AND at<?)"),
            trying(
                    "dedupe key",
                    sample -> new Object[] {sample.type(), ""},
                    DedupeSql.KEY_HOLDER,
                    "PRIMARY KEY (type=? AND key=?)"),
            trying(
                    "newest job of a dedupe key",
                    sample -> new Object[] {"", new String[] {sample.type()}},
                    ReadSql.FIND_KEYED,
                    "windrow_jobs_dedupe (dedupe_key=?"),
            trying("open lanes", sample -> new Object[] {sample.lane()}, JobSql.LANE_STATE, BY_ID),
            trying(
                    "ready lanes",
                    sample -> new Object[] {Long.MIN_VALUE},
                    JobSql.READY_LANES,
                    "windrow_jobs_claim (lane>?)"),
            new OperationalQuery(
                    "candidates of a claim",
                    LimitSql.CANDIDATES,
                    List.of("windrow_jobs_claim (lane=? AND priority>?)"),
                    sample -> sample.ready().stream()
                            .map(lane -> new Object[] {lane, OperationalQuery.PAGE, Claim.EVERY_PRIORITY})
                            .toList()),
            writing("claim", JobSql.NEXT_JOBS, "windrow_jobs_claim (lane=? AND priority>?)"),
            writing("claim: jobs that limits leave", LimitSql.CHOSEN_JOBS, BY_ID),
            writing("claim: the update", JobSql.CLAIM, BY_ID),
            writing("start", JobSql.MARK_STARTED, BY_ID),
            writing("renewal", JobSql.RENEW, BY_ID),
            writing("settlement", JobSql.SETTLE_COMPLETED, BY_ID),
            writing("settlement: equal attempts", JobSql.SETTLE_ALL_COMPLETED, BY_ID),
            writing("attempts that have lost their jobs", JobSql.NOT_HELD, BY_ID),
            writing("settlement: another attempt", JobSql.SETTLE_SCHEDULED, BY_ID),
            writing("settlement: failed", JobSql.SETTLE_FAILED, BY_ID),
            trying(
                    "release of children",
                    sample -> new Object[] {new Long[] {sample.job()}, 1, OperationalQuery.MANY},
                    WorkflowSql.OPEN_EDGES,
                    "windrow_edges_parent (parent=?)"),
            trying(
                    "children of a range of jobs",
                    sample -> new Object[] {sample.job(), sample.job()},
                    WorkflowSql.CHILDREN_BETWEEN,
                    "windrow_edges_parent (parent>? AND parent<?)"),
            reading("next due time", JobSql.NEXT_DUE, "windrow_jobs_due"),
            trying("promotion: due jobs", Sample::due, JobSql.DUE_JOBS, "windrow_jobs_due (scheduled_at<?)"),
            writing("promotion", JobSql.PROMOTE, BY_ID),
            trying("waits that time out", Sample::due, StepSql.DUE_WAITS, "windrow_jobs_wake (wake_at<?)"),
            trying(
                    "schedules that are due",
                    sample -> new Object[] {sample.now(), 0L, 0L, OperationalQuery.MANY},
                    ScheduleSql.DUE_SCHEDULES,
                    "windrow_schedules_next (next_at"),
            reading("requests to cancel", JobSql.CANCEL_REQUESTS, "windrow_jobs_cancel"),
            trying("expired leases", Sample::leases, JobSql.SUSPECTS, "windrow_jobs_lease"),
            trying(
                    "waiting keys",
                    sample -> new Object[] {"", OperationalQuery.MANY, sample.now()},
                    PermitSql.WAITING_KEYS,
                    "windrow_permits_waiting (key>?)"),
            trying(
                    "list of keys",
                    sample -> new Object[] {
                        OperationalQuery.PAGE, OperationalQuery.MANY, OperationalQuery.PAGE, OperationalQuery.MANY
                    },
                    PermitSql.LIST_KEYS,
                    "windrow_permits_waiting (key>?)",
                    "windrow_permits_granted (key=?)"),
            trying("retention: failed jobs", Sample::old, RetentionSql.NEXT_FAILED, "windrow_jobs_failed (id>?)"),
            trying(
                    "retention: cancelled jobs",
                    Sample::old,
                    RetentionSql.NEXT_CANCELLED,
                    "windrow_jobs_cancelled (id>?)"),
            trying(
                    "retention: jobs of a lane",
                    sample -> new Object[] {0L, OperationalQuery.MANY, sample.lane()},
                    RetentionSql.NEXT_OF_LANE,
                    "windrow_jobs_lane (lane=? AND rowid>?)"),
            writing("retention: deletion", RetentionSql.EXPIRE, BY_ID));

    private OperationalQueries() {}
}
