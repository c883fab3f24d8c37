package dev.windrow.sqlite.writer;

import dev.windrow.sqlite.job.JobSql;
import dev.windrow.sqlite.limit.LimitSql;
import dev.windrow.sqlite.limit.PermitSql;
import dev.windrow.sqlite.monitor.CheckSql;
import dev.windrow.sqlite.monitor.CounterSql;
import dev.windrow.sqlite.monitor.StatisticsSql;
import dev.windrow.sqlite.payload.BlobSql;
import dev.windrow.sqlite.payload.MetadataSql;
import dev.windrow.sqlite.processes.RegistrySql;
import dev.windrow.sqlite.query.ListSql;
import dev.windrow.sqlite.query.ReadSql;
import dev.windrow.sqlite.retention.RetentionSql;
import dev.windrow.sqlite.schedule.ScheduleSql;
import dev.windrow.sqlite.step.StepSql;
import dev.windrow.sqlite.workflow.WorkflowSql;
import dev.windrow.store.sql.connection.Statement;

/** The texts of the statements for the rules that both stores share. */
public final class SharedSql {
    private SharedSql() {}

    public static String text(Statement statement) {
        return switch (statement) {
            case INSERT_AUDIT -> CounterSql.INSERT_AUDIT;
            case INSERT_AUDIT_JOBS -> CounterSql.INSERT_AUDIT_JOBS;
            case INSERT_REVEALED_JOBS -> CounterSql.INSERT_REVEALED_JOBS;
            case READ_AUDIT_TIME -> CounterSql.READ_AUDIT_TIME;
            case READ_AUDIT -> CounterSql.READ_AUDIT;
            case READ_AUDIT_OF_ACTION -> CounterSql.READ_AUDIT_OF_ACTION;
            case READ_AUDIT_OF_ACTOR -> CounterSql.READ_AUDIT_OF_ACTOR;
            case READ_AUDIT_OF_JOB -> CounterSql.READ_AUDIT_OF_JOB;
            case READ_AUDIT_JOBS -> CounterSql.READ_AUDIT_JOBS;
            case FORBIDDING_PARENTS -> WorkflowSql.FORBIDDING_PARENTS;
            case CANCELLED_CHILDREN -> WorkflowSql.CANCELLED_CHILDREN;
            case NEXT_CANCELLED_CHILDREN -> WorkflowSql.NEXT_CANCELLED_CHILDREN;
            case READ_DETAILS -> ReadSql.READ_DETAILS;
            case READ_METADATA -> MetadataSql.READ_METADATA;
            case WRITE_METADATA -> MetadataSql.WRITE_METADATA;
            case DELETE_METADATA -> MetadataSql.DELETE_METADATA;
            case DELETE_METADATA_EVENT -> MetadataSql.DELETE_METADATA_EVENT;
            case LAST_EVENTS -> ReadSql.LAST_EVENTS;
            case READ_ATTEMPTS -> ReadSql.READ_ATTEMPTS;
            case ATTEMPTS_LEFT_OUT -> ReadSql.ATTEMPTS_LEFT_OUT;
            case READ_EVENTS -> ReadSql.READ_EVENTS;
            case READ_LOG -> ReadSql.READ_LOG;
            case READ_CHAIN -> WorkflowSql.READ_CHAIN;
            case CHAIN -> WorkflowSql.CHAIN;
            case LIST_CHAINS -> WorkflowSql.LIST_CHAINS;
            case LIST_WORKFLOWS -> WorkflowSql.LIST_WORKFLOWS;
            case WORKFLOW_STATES -> ReadSql.WORKFLOW_STATES;
            case READ_BATCH -> ReadSql.BATCH;
            case READ_OUTCOME -> ReadSql.READ_OUTCOME;
            case READ_PARENTS -> ReadSql.READ_PARENTS;
            case READ_LINKS -> ReadSql.READ_LINKS;
            case FIND_KEYED -> ReadSql.FIND_KEYED;
            case EXPLAIN -> ReadSql.EXPLAIN;
            case EXPLAIN_PARENTS -> ReadSql.EXPLAIN_PARENTS;
            case EXPLAIN_LIMITS -> ReadSql.EXPLAIN_LIMITS;
            case EXPLAIN_RUNNING -> LimitSql.COUNT_RUNNING;
            case EXPLAIN_HOLDERS -> ReadSql.EXPLAIN_HOLDERS;
            case EXPLAIN_BEFORE -> ReadSql.EXPLAIN_BEFORE;
            case LIST_ALL -> ListSql.LIST_ALL;
            case LIST_ALL_UP -> ListSql.LIST_ALL_UP;
            case LIST_PARENT -> ListSql.LIST_PARENT;
            case LIST_PARENT_UP -> ListSql.LIST_PARENT_UP;
            case LIST_CHAIN -> ListSql.LIST_CHAIN;
            case LIST_CHAIN_UP -> ListSql.LIST_CHAIN_UP;
            case LIST_DEDUPE_KEY -> ListSql.LIST_DEDUPE_KEY;
            case LIST_DEDUPE_KEY_UP -> ListSql.LIST_DEDUPE_KEY_UP;
            case LIST_WORKFLOW -> ListSql.LIST_WORKFLOW;
            case LIST_WORKFLOW_UP -> ListSql.LIST_WORKFLOW_UP;
            case LIST_TAG -> ListSql.LIST_TAG;
            case LIST_TAG_UP -> ListSql.LIST_TAG_UP;
            case LIST_FAILED_CODE -> ListSql.LIST_FAILED_CODE;
            case LIST_FAILED_CODE_UP -> ListSql.LIST_FAILED_CODE_UP;
            case FAILED_CODES -> ListSql.FAILED_CODES;
            case LIST_FAILED_CODES -> ListSql.LIST_FAILED_CODES;
            case LIST_FAILED_CODES_UP -> ListSql.LIST_FAILED_CODES_UP;
            case LIST_BLOCKED -> ListSql.LIST_BLOCKED;
            case LIST_BLOCKED_UP -> ListSql.LIST_BLOCKED_UP;
            case LIST_SCHEDULED -> ListSql.LIST_SCHEDULED;
            case LIST_SCHEDULED_UP -> ListSql.LIST_SCHEDULED_UP;
            case LIST_PENDING -> ListSql.LIST_PENDING;
            case LIST_PENDING_UP -> ListSql.LIST_PENDING_UP;
            case LIST_RUNNING -> ListSql.LIST_RUNNING;
            case LIST_RUNNING_UP -> ListSql.LIST_RUNNING_UP;
            case LIST_FAILED -> ListSql.LIST_FAILED;
            case LIST_FAILED_UP -> ListSql.LIST_FAILED_UP;
            case LIST_CANCELLED -> ListSql.LIST_CANCELLED;
            case LIST_CANCELLED_UP -> ListSql.LIST_CANCELLED_UP;
            case COUNT_SORTED -> ListSql.COUNT_SORTED;
            case LIST_LANES -> ListSql.LIST_LANES;
            case LIST_LANES_UP -> ListSql.LIST_LANES_UP;
            case LANES -> ListSql.LANES;
            case FIRST_AT -> ListSql.FIRST_AT;
            case SKIP -> ListSql.SKIP;
            case SKIP_UP -> ListSql.SKIP_UP;
            case MATCH -> ListSql.MATCH;
            case PAYLOADS -> ListSql.PAYLOADS;
            case METADATA -> ListSql.METADATA;
            case READ_COUNTERS -> CounterSql.COUNTERS;
            case READ_LANES -> CounterSql.COUNTED_LANES;
            case LANE_LAGS -> CounterSql.LANE_LAGS;
            case LOWEST_READY -> CounterSql.LOWEST_READY;
            case OLDEST_RUNNING -> CounterSql.OLDEST_RUNNING;
            case READ_RETRIES -> CounterSql.RETRIES;
            case LIVE_RETRIES -> CounterSql.LIVE_RETRIES;
            case LIVE_WORKERS -> RegistrySql.LIVE_WORKERS;
            case STUCK_SLOTS -> CounterSql.STUCK_SLOTS;
            case COUNT_WAITS -> StepSql.COUNT_WAITS;
            case COUNT_SCHEDULES -> ScheduleSql.COUNT_SCHEDULES;
            case READ_THROUGHPUT -> StatisticsSql.THROUGHPUT;
            case SUGGEST_TYPES -> ReadSql.SUGGEST_TYPES;
            case SUGGEST_QUEUES -> ReadSql.SUGGEST_QUEUES;
            case SUGGEST_TAGS -> ReadSql.SUGGEST_TAGS;
            case SUGGEST_CODES -> ReadSql.SUGGEST_CODES;
            case SUGGEST_WORKERS -> ReadSql.SUGGEST_WORKERS;
            case SUGGEST_SCHEDULES -> ReadSql.SUGGEST_SCHEDULES;
            case ORPHANS -> CheckSql.ORPHANS;
            case WRONG_BLOBS -> CheckSql.WRONG_BLOBS;
            case LIVING -> CheckSql.LIVING;
            case DOUBTFUL_LEASES -> CheckSql.DOUBTFUL_LEASES;
            case COUNT_JOBS -> CheckSql.COUNT_JOBS;
            case SAMPLE_TAG -> ReadSql.READ_TAGS;
            case WRONG_FAILURES -> StatisticsSql.WRONG_FAILURES;
            case WRONG_OPEN_PARENTS -> CheckSql.WRONG_OPEN_PARENTS;
            case WRONG_EDGES -> CheckSql.WRONG_EDGES;
            case WRONG_RELEASES -> CheckSql.WRONG_RELEASES;
            case WAITS -> CheckSql.WAITS;
            case CONTRADICTIONS -> CheckSql.CONTRADICTIONS;
            case LANES_TO_LIMIT -> CheckSql.LANES_TO_LIMIT;
            case WRONG_ATTEMPTS -> CheckSql.WRONG_ATTEMPTS;
            case UNLOGGED_FAILURES -> CheckSql.UNLOGGED_FAILURES;
            case WRONG_EVENTS -> CheckSql.WRONG_EVENTS;
            case WRONG_SUMS -> RetentionSql.WRONG_SUMS;
            case FAILED_WITH_CODE -> RetentionSql.FAILED_WITH_CODE;
            case FAILED_WITHOUT_CODE -> RetentionSql.FAILED_WITHOUT_CODE;
            case MARK_RECOUNT -> RetentionSql.MARK_RECOUNT;
            case ADD_FAILURES -> StatisticsSql.ADD_FAILURES;
            case READ_FAILURES -> StatisticsSql.FAILURES;
            case READ_FAILURE_TREND -> StatisticsSql.FAILURE_TREND;

            case READ_SCHEDULES -> ScheduleSql.READ_SCHEDULES;
            case READ_SCHEDULE -> ScheduleSql.READ_SCHEDULE;
            // The write lock is held.
            case LOCK_SCHEDULE -> ScheduleSql.READ_SCHEDULE;
            case DUE_SCHEDULES -> ScheduleSql.DUE_SCHEDULES;
            case AHEAD_SCHEDULES -> ScheduleSql.AHEAD_SCHEDULES;
            case NEXT_SCHEDULE -> ScheduleSql.NEXT_SCHEDULE;
            case INSERT_SCHEDULE -> ScheduleSql.INSERT_SCHEDULE;
            case UPDATE_SCHEDULE -> ScheduleSql.UPDATE_SCHEDULE;
            case PAUSE_SCHEDULE -> ScheduleSql.PAUSE_SCHEDULE;
            case RESUME_SCHEDULE -> ScheduleSql.RESUME_SCHEDULE;
            case REMOVE_SCHEDULE -> ScheduleSql.REMOVE_SCHEDULE;
            case RAN_SCHEDULE -> ScheduleSql.RAN_SCHEDULE;
            case READ_RUNS -> ScheduleSql.READ_RUNS;
            case PRUNE_RUNS -> ScheduleSql.PRUNE_RUNS;
            case COUNT_RUNS -> ScheduleSql.COUNT_RUNS;
            case DROP_MISSED_RUNS -> ScheduleSql.DROP_MISSED_RUNS;
            case CUT_MISSED_RUNS -> ScheduleSql.CUT_MISSED_RUNS;

            case WRITE_PROGRESS -> JobSql.WRITE_PROGRESS;
            case LAST_LOG_LINE -> JobSql.LAST_LOG_LINE;
            case INSERT_LOG_LINES -> JobSql.INSERT_LOG_LINE;
            case TRIM_LOG -> JobSql.TRIM_LOG;

            case INSERT_STEP -> StepSql.INSERT_STEP;
            case READ_STEP -> StepSql.READ_STEP;
            case READ_STEPS -> StepSql.READ_STEPS;
            case END_STEP -> StepSql.END_STEP;
            case ARRIVE -> StepSql.ARRIVE;
            case TIME_OUT_EVENTS -> StepSql.TIME_OUT_EVENTS;
            // The write lock is held.
            case READ_FOR_SIGNAL, READ_FREE_FOR_SIGNAL -> StepSql.READ_FOR_SIGNAL;
            case AWAIT -> StepSql.AWAIT;
            case WAKE -> StepSql.WAKE;

            case STAGE_PART -> BlobSql.STAGE_PART;
            case STAGE_WHOLE -> BlobSql.STAGE_WHOLE;
            case COUNT_STAGED -> BlobSql.COUNT_STAGED;
            case ADOPT_BLOB -> BlobSql.ADOPT_BLOB;
            case UNSTAGE -> BlobSql.UNSTAGE;
            case DROP_CHUNKS -> BlobSql.DROP_CHUNKS;
            case DROP_BLOB -> BlobSql.DROP_BLOB;
            case SWEEP_STAGED -> BlobSql.SWEEP_STAGED;
            case READ_CHUNK -> BlobSql.READ_CHUNK;
            case EXISTING_BLOBS -> BlobSql.EXISTING_BLOBS;

            case LIMIT_PAUSE -> LimitSql.LIMIT_PAUSE;
            case LIMIT_RESUME -> LimitSql.LIMIT_RESUME;
            case LIMIT_RUNNING -> LimitSql.LIMIT_RUNNING;
            case LIMIT_RATE -> LimitSql.LIMIT_RATE;
            case LIMIT_FORGET -> LimitSql.LIMIT_FORGET;
            case READ_LIMITS -> LimitSql.READ_LIMITS;
            case LIST_KEYS -> PermitSql.LIST_KEYS;
            case PERMIT_HOLDERS -> PermitSql.PERMIT_HOLDERS;

            case READ_RETENTION -> RetentionSql.READ_RETENTION;
            // The write lock is held.
            case LOCK_RETENTION -> RetentionSql.READ_RETENTION;
            case RETAIN -> RetentionSql.RETAIN;
            case FORGET_RETENTION -> RetentionSql.FORGET_RETENTION;

            case NEXT_FAILED -> RetentionSql.NEXT_FAILED;
            case NEXT_CANCELLED -> RetentionSql.NEXT_CANCELLED;
            case NEXT_OF_LANE -> RetentionSql.NEXT_OF_LANE;
            case CHAINS -> RetentionSql.CHAINS;
            case NEEDED -> RetentionSql.NEEDED;
            case CHILDREN -> RetentionSql.CHILDREN;
            case NEEDING_CHILD -> JobSql.NEEDING_CHILD;
            case CHAIN_MEMBERS -> WorkflowSql.CHAIN_MEMBERS;
            case REDACT_METADATA -> CounterSql.REDACT_METADATA;

            case LOCK_EXPIRING -> RetentionSql.READ_EXPIRING;
            case COUNT_EDGES -> RetentionSql.COUNT_EDGES;
            case EDGES_TO_CHILDREN -> RetentionSql.EDGES_TO_CHILDREN;
            case EDGES_TO_PARENTS -> RetentionSql.EDGES_TO_PARENTS;
            case FORGET_OPEN_EDGES -> RetentionSql.FORGET_OPEN_EDGE;
            case FORGET_EDGES -> RetentionSql.FORGET_EDGE;
            case FORGET_PARENTS -> RetentionSql.FORGET_PARENTS;
            case EXPIRE_KEYS -> RetentionSql.EXPIRE_KEY;
            case INSERT_PASS -> RetentionSql.INSERT_PASS;
            case GROW_PASS -> RetentionSql.GROW_PASS;

            case EXPIRE_THROUGHPUT -> RetentionSql.EXPIRE_THROUGHPUT;
            case EXPIRE_AUDIT -> RetentionSql.EXPIRE_AUDIT;
            case EXPIRE_WORKERS -> RetentionSql.EXPIRE_WORKERS;
            case FORGET_FAILURES -> StatisticsSql.FORGET_FAILURES;

            case READ_TASK -> RetentionSql.READ_TASK;
            case LEAD -> RetentionSql.LEAD;
            case RESIGN -> RetentionSql.RESIGN;
            case END_TASK -> RetentionSql.END_TASK;

            case REQUEST_CANCEL -> JobSql.REQUEST_CANCEL;

            case ANNOUNCE -> RegistrySql.ANNOUNCE;
            case WITHDRAW_EXPIRED -> RegistrySql.WITHDRAW_EXPIRED;
            case WITHDRAW -> RegistrySql.WITHDRAW;
            case WITHDRAW_PROCESS -> RegistrySql.WITHDRAW_PROCESS;
        };
    }
}
