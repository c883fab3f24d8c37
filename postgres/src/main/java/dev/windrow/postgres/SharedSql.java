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
            case WRONG_SUMS -> RetentionSql.WRONG_SUMS;
            case FAILED_WITH_CODE -> RetentionSql.FAILED_WITH_CODE;
            case FAILED_WITHOUT_CODE -> RetentionSql.FAILED_WITHOUT_CODE;
            case MARK_RECOUNT -> RetentionSql.MARK_RECOUNT;
            case ADD_FAILURES -> StatisticsSql.ADD_FAILURES;
            case READ_FAILURES -> StatisticsSql.FAILURES;
        };
    }
}
