package dev.windrow.store.sql;

/**
 * The statements that rules use which both stores share: what each takes and gives. Every store has a text for each of them, in its database's
 * SQL.
 */
public enum Statement {
    /** Writes an entry of the audit: 1 time, 2 actor, 3 verb, 4 number of jobs, 5 detail. */
    INSERT_AUDIT,
    /** The newest entries of the audit, at most ?1: id, time, actor, verb, number of jobs, detail. */
    READ_AUDIT,

    /** The parents of the jobs ?1 that keep them from coming back: job, parent, the parent's state. */
    FORBIDDING_PARENTS,
    /** The jobs that were cancelled because one of ?1 ended without success, once for each edge, at most ?2: job. */
    CANCELLED_CHILDREN,
    /** The same of the one parent ?1, from the child ?2 on, at most ?3: job. */
    NEXT_CANCELLED_CHILDREN,

    /** The payload and the result of job ?1, either of them null if there is none. */
    READ_PAYLOAD_AND_RESULT,
    /** The attempts of job ?1 that have ended: number, token, worker, outcome, error code and detail, start, end, output, stack trace. */
    READ_ATTEMPTS,
    /** The number of attempts of job ?1 that have gone; null or no row for none. */
    ATTEMPTS_LEFT_OUT,
    /** The events of job ?1: time, kind, actor, detail. */
    READ_EVENTS,
    /** The lines of the log of job ?1: number from 1 on, time, level, message. */
    READ_LOG,
    /** The jobs of the chain in which job ?1 is, from the first one: id. */
    READ_CHAIN,
    /** The jobs of workflow ?1: state, number. */
    WORKFLOW_STATES,
    /** The parents of job ?1: the job's state, number of parents, of those that it waits for no longer, of those that have not ended well. */
    READ_BATCH,
    /** How job ?1 stands: id, type, name, state, error code, result. */
    READ_OUTCOME,
    /** The same of the parents of job ?1, in declared order. */
    READ_PARENTS,
    /** The trace contexts that job ?1 and its first parents were settled with last: kind of origin, id, context or null. */
    READ_ORIGINS,
    /** Where job ?1 is: queue, type, state. */
    EXPLAIN,

    /** Counts of each lane and state: lane, state, jobs. */
    READ_COUNTERS,
    /** All lanes: id, queue, type, whether it is paused. */
    READ_LANES,
    /** Since when the oldest ready job of each of the lanes ?1 has been due: lane, time; null, or no row, if it has none. */
    LANE_LAGS,
    /** The running jobs that were claimed first: job, type, worker, start or else claim, the worker's last sign of life or null, claim. */
    OLDEST_RUNNING,
    /** Retries: type, attempt, number. */
    READ_RETRIES,
    /** The queues and types of the workers that live at ?1: queues, types. */
    LIVE_WORKERS,
    /** Handlers of the workers that live at ?1 which do not end: worker, number. */
    STUCK_SLOTS,
    /** The jobs that wait until a time: number, the first time or null. */
    COUNT_WAITS,
    /** The schedules: number, how many are paused, when the first that is not is due or null. */
    COUNT_SCHEDULES,
    /** The minutes from ?1 to ?2 by type: type, minute, both sums of run times with their numbers and bins. */
    READ_MINUTES,
    /** How many attempts have ended from minute ?1 to ?2 in slots of ?3 minutes: type, slot, succeeded, failed. */
    READ_ENDED,

    /** The error codes whose sums are not what the jobs say: code, how many are missing, when sums were last put right by the duty ?1. */
    WRONG_SUMS,
    /** Of the newest ?2 FAILED jobs with the code ?1: when the first and the last has failed. */
    FAILED_WITH_CODE,
    /** The same of jobs without a code, of the newest ?1. */
    FAILED_WITHOUT_CODE,
    /** Notes that the duty ?1 was done at ?2, if it was last done at ?3. */
    MARK_RECOUNT,
    /** Adds to the sums of failures, for each code: 1 code, 2 jobs, 3 first and 4 last time. */
    ADD_FAILURES,
    /** The sums of failures: code, jobs, first and last time, a job. */
    READ_FAILURES,
}
