package dev.windrow.postgres;

import dev.windrow.store.sql.Statement;

/** The texts of the statements that rules use which both stores share. */
final class SharedSql {
    private SharedSql() {}

    static String text(Statement statement) {
        return switch (statement) {
            case INSERT_AUDIT -> Sql.INSERT_AUDIT;
            case READ_AUDIT -> ReadSql.READ_AUDIT;
            case FORBIDDING_PARENTS -> WorkflowSql.FORBIDDING_PARENTS;
            case CANCELLED_CHILDREN -> WorkflowSql.CANCELLED_CHILDREN;
            case NEXT_CANCELLED_CHILDREN -> WorkflowSql.NEXT_CANCELLED_CHILDREN;
            case READ_PAYLOAD_AND_RESULT -> ReadSql.READ_PAYLOAD_AND_RESULT;
            case READ_ATTEMPTS -> ReadSql.READ_ATTEMPTS;
            case ATTEMPTS_LEFT_OUT -> ReadSql.ATTEMPTS_LEFT_OUT;
            case READ_EVENTS -> ReadSql.READ_EVENTS;
            case READ_LOG -> ReadSql.READ_LOG;
            case READ_CHAIN -> ReadSql.READ_CHAIN;
            case WORKFLOW_STATES -> ReadSql.WORKFLOW_STATES;
            case READ_BATCH -> ReadSql.BATCH;
            case READ_OUTCOME -> ReadSql.READ_OUTCOME;
            case READ_PARENTS -> ReadSql.READ_PARENTS;
            case READ_ORIGINS -> ReadSql.READ_ORIGINS;
            case EXPLAIN -> ReadSql.EXPLAIN;
            case LIST_ALL -> ListSql.LIST_ALL;
            case LIST_ALL_UP -> ListSql.LIST_ALL_UP;
            case LIST_PARENT -> ListSql.LIST_PARENT;
            case LIST_PARENT_UP -> ListSql.LIST_PARENT_UP;
            case LIST_CHAIN -> ListSql.LIST_CHAIN;
            case LIST_CHAIN_UP -> ListSql.LIST_CHAIN_UP;
            case LIST_WORKFLOW -> ListSql.LIST_WORKFLOW;
            case LIST_WORKFLOW_UP -> ListSql.LIST_WORKFLOW_UP;
            case LIST_TAG -> ListSql.LIST_TAG;
            case LIST_TAG_UP -> ListSql.LIST_TAG_UP;
            case LIST_FAILED_CODE -> ListSql.LIST_FAILED_CODE;
            case LIST_FAILED_CODE_UP -> ListSql.LIST_FAILED_CODE_UP;
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
            case FIRST_FROM -> ListSql.FIRST_FROM;
            case PASS -> ListSql.PASS;
            case PASS_UP -> ListSql.PASS_UP;
            case MATCH -> ListSql.MATCH;
            case READ_COUNTERS -> ReadSql.COUNTERS;
            case READ_LANES -> ReadSql.COUNTED_LANES;
            case LANE_LAGS -> ReadSql.LANE_LAGS;
            case OLDEST_RUNNING -> ReadSql.OLDEST_RUNNING;
            case READ_RETRIES -> ReadSql.RETRIES;
            case LIVE_WORKERS -> ReadSql.LIVE_WORKERS;
            case STUCK_SLOTS -> ReadSql.STUCK_SLOTS;
            case COUNT_WAITS -> ReadSql.COUNT_WAITS;
            case COUNT_SCHEDULES -> ReadSql.COUNT_SCHEDULES;
            case READ_MINUTES -> StatisticsSql.MINUTES;
            case READ_ENDED -> StatisticsSql.ENDED;
            case ORPHANS -> CheckSql.ORPHANS;
            case WRONG_BLOBS -> CheckSql.WRONG_BLOBS;
            case LIVING -> CheckSql.LIVING;
            case DOUBTFUL_LEASES -> CheckSql.DOUBTFUL_LEASES;
            case WRONG_FAILURES -> StatisticsSql.WRONG_FAILURES;
            case WRONG_OPEN_PARENTS -> CheckSql.WRONG_OPEN_PARENTS;
            case WRONG_EDGES -> CheckSql.WRONG_EDGES;
            case WRONG_RELEASES -> CheckSql.WRONG_RELEASES;
            case WAITS -> CheckSql.WAITS;
            case CONTRADICTIONS -> CheckSql.CONTRADICTIONS;
            case DISOBEDIENT_LANES -> CheckSql.DISOBEDIENT_LANES;
            case WRONG_ATTEMPTS -> CheckSql.WRONG_ATTEMPTS;
            case WRONG_SUMS -> RetentionSql.WRONG_SUMS;
            case FAILED_WITH_CODE -> RetentionSql.FAILED_WITH_CODE;
            case FAILED_WITHOUT_CODE -> RetentionSql.FAILED_WITHOUT_CODE;
            case MARK_RECOUNT -> RetentionSql.MARK_RECOUNT;
            case ADD_FAILURES -> StatisticsSql.ADD_FAILURES;
            case READ_FAILURES -> StatisticsSql.FAILURES;
        };
    }
}
