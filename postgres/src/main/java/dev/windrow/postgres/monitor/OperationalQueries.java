package dev.windrow.postgres.monitor;

import static dev.windrow.store.sql.monitor.OperationalQuery.reading;
import static dev.windrow.store.sql.monitor.OperationalQuery.trying;
import static dev.windrow.store.sql.monitor.OperationalQuery.writing;

import dev.windrow.postgres.connection.Readers;
import dev.windrow.postgres.job.DedupeSql;
import dev.windrow.postgres.job.JobSql;
import dev.windrow.postgres.limit.PermitSql;
import dev.windrow.postgres.processes.RegistrySql;
import dev.windrow.postgres.query.ListSql;
import dev.windrow.postgres.query.ReadSql;
import dev.windrow.postgres.retention.RetentionSql;
import dev.windrow.postgres.schedule.ScheduleSql;
import dev.windrow.postgres.step.StepSql;
import dev.windrow.postgres.workflow.WorkflowSql;
import dev.windrow.postgres.writer.TransactionSql;
import dev.windrow.store.sql.monitor.OperationalQuery;
import dev.windrow.store.sql.monitor.OperationalQuery.Sample;
import java.util.List;
import java.util.stream.Stream;

/** The statements that move, find and count jobs, with the index that each needs. */
final class OperationalQueries {
    /** Statements of operators' reads, under the settings of {@link Readers}. */
    private static final List<OperationalQuery> READING = List.of(
            reading("statistics: counts", CounterSql.COUNTERS),
            trying("statistics: lag", Sample::readyLanes, CounterSql.LANE_LAGS, "jobs_claim"),
            reading("statistics: oldest in progress", CounterSql.OLDEST_RUNNING, "jobs_running"),
            trying("statistics: throughput per minute", Sample::minutes, StatisticsSql.THROUGHPUT, "throughput_pkey"),
            trying("statistics: throughput per hour", Sample::hours, StatisticsSql.THROUGHPUT, "throughput_pkey"),
            reading("statistics: retries", CounterSql.RETRIES),
            reading("statistics: live retries", CounterSql.LIVE_RETRIES, "jobs_retrying"),
            // While few jobs are FAILED, the server may sort them, from whichever of their indexes is the smallest.
            trying(
                    "statistics: failures",
                    Sample::codes,
                    StatisticsSql.FAILURES,
                    "jobs_failed",
                    "jobs_failed_id",
                    "jobs_failed_at"),
            trying("statistics: failures by hour", Sample::failedSince, StatisticsSql.FAILURE_TREND),
            trying("statistics: live workers", Sample::time, RegistrySql.LIVE_WORKERS),
            reading("statistics: waits", StepSql.COUNT_WAITS, "jobs_wake"),
            reading("statistics: schedules", ScheduleSql.COUNT_SCHEDULES),
            trying("statistics: stuck slots", Sample::time, CounterSql.STUCK_SLOTS),
            reading("workers", RegistrySql.READ_WORKERS),
            trying("listing of all jobs", Sample::page, ListSql.LIST_ALL),
            trying(
                    "listing by lane",
                    sample -> new Object[] {Long.MAX_VALUE, OperationalQuery.PAGE, 0L, new Long[] {sample.lane()}},
                    ListSql.LIST_LANES),
            trying("listing by tag", sample -> sample.page(sample.tag()), ListSql.LIST_TAG),
            trying(
                    "suggestion of tags",
                    sample -> new Object[] {sample.tag(), OperationalQuery.PAGE},
                    ReadSql.SUGGEST_TAGS),
            trying("listing by dedupe key", sample -> sample.page(""), ListSql.LIST_DEDUPE_KEY),
            trying(
                    "newest job of a dedupe key",
                    sample -> new Object[] {"", new String[] {sample.type()}},
                    ReadSql.FIND_KEYED),
            trying("listing by workflow", sample -> sample.page(sample.job()), ListSql.LIST_WORKFLOW),
            trying("listing of chains", Sample::page, WorkflowSql.LIST_CHAINS),
            trying("listing of pending jobs", Sample::page, ListSql.LIST_PENDING),
            trying("listing of running jobs", Sample::page, ListSql.LIST_RUNNING),
            trying("listing of scheduled jobs", Sample::page, ListSql.LIST_SCHEDULED),
            trying("listing of blocked jobs", Sample::page, ListSql.LIST_BLOCKED),
            trying("listing of failed jobs", Sample::page, ListSql.LIST_FAILED),
            trying("listing by error code", sample -> sample.page(sample.code()), ListSql.LIST_FAILED_CODE),
            trying(
                    "listing by category of error codes: codes",
                    sample -> new Object[] {sample.category(), OperationalQuery.PAGE},
                    ListSql.FAILED_CODES),
            trying(
                    "listing by category of error codes: jobs",
                    sample -> sample.page(new String[] {sample.code()}),
                    ListSql.LIST_FAILED_CODES),
            trying("listing of cancelled jobs", Sample::page, ListSql.LIST_CANCELLED),
            trying("show: the job", sample -> new Object[] {new Long[] {sample.job()}}, ReadSql.READ_JOBS),
            trying("show: attempts", Sample::ofJob, ReadSql.READ_ATTEMPTS),
            trying("show: events", Sample::ofJob, ReadSql.READ_EVENTS),
            trying("explain", Sample::ofJob, ReadSql.EXPLAIN),
            trying(
                    "audit",
                    sample -> new Object[] {OperationalQuery.PAGE, 0L, sample.now(), sample.now(), Long.MAX_VALUE},
                    CounterSql.READ_AUDIT),
            trying("expired leases", Sample::leases, JobSql.SUSPECTS, "jobs_running"),
            trying(
                    "schedules that are due",
                    sample -> new Object[] {sample.now(), 0L, 0L, OperationalQuery.MANY},
                    ScheduleSql.DUE_SCHEDULES),
            trying(
                    "waiting keys",
                    sample -> new Object[] {"", OperationalQuery.MANY, sample.now()},
                    PermitSql.WAITING_KEYS),
            trying(
                    "list of keys",
                    sample -> new Object[] {
                        OperationalQuery.PAGE, OperationalQuery.MANY, OperationalQuery.PAGE, OperationalQuery.MANY
                    },
                    PermitSql.LIST_KEYS),
            trying("retention: failed jobs", Sample::old, RetentionSql.NEXT_FAILED),
            trying("retention: cancelled jobs", Sample::old, RetentionSql.NEXT_CANCELLED),
            trying(
                    "retention: jobs of a lane",
                    sample -> new Object[] {0L, OperationalQuery.MANY, sample.lane()},
                    RetentionSql.NEXT_OF_LANE));

    /** Statements of workers, under the settings of {@link TransactionSql#BEGIN_WORK}. */
    private static final List<OperationalQuery> WORKING = List.of(
            trying(
                    "dedupe key",
                    sample -> new Object[] {new String[] {sample.type()}, new String[] {""}},
                    DedupeSql.KEY_HOLDERS,
                    "dedupe_pkey"),
            reading("ready lanes", JobSql.READY_LANES),
            trying(
                    "open lanes",
                    sample -> new Object[] {
                        new Long[] {sample.lane()},
                        new Long[] {sample.lane()},
                        new Long[] {(long) Integer.MIN_VALUE},
                        new Long[] {-1L},
                        new Long[] {-1L},
                        new Long[] {sample.lane()}
                    },
                    JobSql.WAITING_LANES,
                    "jobs_claim"),
            trying(
                    "outcome of an enqueue",
                    sample -> new Object[] {sample.job(), 0L},
                    JobSql.IS_ENQUEUED,
                    "inputs_pkey",
                    // From PostgreSQL 18 on it may skip through the lanes, if they are few.
                    "inputs_lane"),
            writing("claim", JobSql.CLAIM, "jobs_claim"),
            writing("claim from several lanes", JobSql.CLAIM_OF_SEVERAL, "jobs_claim"),
            writing("start", JobSql.MARK_STARTED, "jobs_pkey", "jobs_running"),
            writing("renewal", JobSql.RENEW, "jobs_pkey", "jobs_running"),
            writing("settlement", JobSql.SETTLE_COMPLETED, "jobs_pkey", "jobs_running"),
            writing("settlement with results", JobSql.SETTLE_WITH_RESULTS, "jobs_pkey", "jobs_running"),
            trying(
                    "children to release",
                    sample -> new Object[] {new Long[] {sample.job()}},
                    WorkflowSql.HAVE_CHILDREN,
                    "edges_parent"),
            writing("settlement: another attempt", JobSql.SETTLE_SCHEDULED, "jobs_pkey", "jobs_running"),
            writing("settlement: failed", JobSql.SETTLE_FAILED, "jobs_pkey", "jobs_running"),
            trying(
                    "waiting children",
                    sample -> new Object[] {new Long[] {sample.job()}, OperationalQuery.MANY},
                    JobSql.WAITING_CHILDREN,
                    "edges_parent"),
            writing("release of children", WorkflowSql.SATISFY_EDGES, "edges_parent"),
            trying("next due time", sample -> new Object[] {0L}, JobSql.NEXT_DUE, "jobs_due"),
            writing("promotion", JobSql.PROMOTE, "jobs_due"),
            trying("waits that time out", Sample::due, StepSql.DUE_WAITS, "jobs_wake"),
            reading("requests to cancel", JobSql.CANCEL_REQUESTS, "jobs_running"),
            writing("retention: deletion", RetentionSql.EXPIRE, "jobs_pkey"));

    /** All statements: the reads of operators first, then the statements of workers. */
    static final List<OperationalQuery> ALL =
            Stream.concat(READING.stream(), WORKING.stream()).toList();

    private OperationalQueries() {}

    /** True if the statement is planned under the settings of {@link TransactionSql#BEGIN_WORK}. */
    static boolean works(OperationalQuery query) {
        return WORKING.contains(query);
    }
}
