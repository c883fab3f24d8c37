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
    /** The standing of job ?1: id, type, name, state, error code, result. */
    READ_OUTCOME,
    /** The same of the parents of job ?1, in declared order. */
    READ_PARENTS,
    /** The trace contexts that job ?1 and its first parents were settled with last: kind of origin, id, context or null. */
    READ_ORIGINS,
    /** The place and the state of job ?1: queue, type, state. */
    EXPLAIN,

    /** All jobs below ?1, newest first, at most ?2: id. */
    LIST_ALL,
    /** All jobs above ?1, oldest first, at most ?2: id. */
    LIST_ALL_UP,
    /** As {@link #LIST_ALL}, of the jobs that depend on ?3. */
    LIST_PARENT,
    /** The same above ?1, oldest first. */
    LIST_PARENT_UP,
    /** As {@link #LIST_ALL}, of job ?3 and those that go on from it. */
    LIST_CHAIN,
    /** The same above ?1, oldest first. */
    LIST_CHAIN_UP,
    /** As {@link #LIST_ALL}, of workflow ?3. */
    LIST_WORKFLOW,
    /** The same above ?1, oldest first. */
    LIST_WORKFLOW_UP,
    /** As {@link #LIST_ALL}, of tag ?3. */
    LIST_TAG,
    /** The same above ?1, oldest first. */
    LIST_TAG_UP,
    /** As {@link #LIST_ALL}, of the jobs that have failed with code ?3. */
    LIST_FAILED_CODE,
    /** The same above ?1, oldest first. */
    LIST_FAILED_CODE_UP,
    /** As {@link #LIST_ALL}, of blocked jobs. */
    LIST_BLOCKED,
    /** The same above ?1, oldest first. */
    LIST_BLOCKED_UP,
    /** As {@link #LIST_ALL}, of scheduled jobs. */
    LIST_SCHEDULED,
    /** The same above ?1, oldest first. */
    LIST_SCHEDULED_UP,
    /** As {@link #LIST_ALL}, of pending jobs. */
    LIST_PENDING,
    /** The same above ?1, oldest first. */
    LIST_PENDING_UP,
    /** As {@link #LIST_ALL}, of running jobs. */
    LIST_RUNNING,
    /** The same above ?1, oldest first. */
    LIST_RUNNING_UP,
    /** As {@link #LIST_ALL}, of failed jobs. */
    LIST_FAILED,
    /** The same above ?1, oldest first. */
    LIST_FAILED_UP,
    /** As {@link #LIST_ALL}, of cancelled jobs. */
    LIST_CANCELLED,
    /** The same above ?1, oldest first. */
    LIST_CANCELLED_UP,
    /** The number of jobs that are sorted by {@link #LIST_PENDING} and {@link #LIST_SCHEDULED}. */
    COUNT_SORTED,
    /** The first job from id ?1 on: id, creation. */
    FIRST_FROM,
    /**
     * Of the ?2 jobs below ?1: the last one, the first one that was enqueued from ?3 and before ?4 (null for any), the earliest time, their number.
     */
    PASS,
    /** The same above ?1, oldest first, with the latest time. */
    PASS_UP,
    /**
     * Of the jobs ?1 in any order: id, creation, whether it is in one of the states ?2, of type ?3, in queue ?4, with code ?5, name ?6, at worker
     * ?7, with dedupe key ?8, concurrency key ?9, of workflow ?10, chain ?11, depends on ?12, has priority ?13 and all tags ?14, was enqueued from
     * ?15 and before ?16, has ended from ?17 and before ?18, is due from ?19 and before ?20; each null for any (?2 and ?14: empty).
     */
    MATCH,

    /** Counts of each lane and state: lane, state, jobs. */
    READ_COUNTERS,
    /** All lanes: id, queue, type, whether it is paused. */
    READ_LANES,
    /** The oldest ready job of each of the lanes ?1: lane, when it was due; null, or no row, if it has none. */
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

    /** Things that belong to a job that is not there, and dedupe keys that no job gives up: kind, job, the job's state or null. */
    ORPHANS,
    /** Findings about blobs: text. */
    WRONG_BLOBS,
    /** The workers that live at ?1: number, longest lease of all, first start. */
    LIVING,
    /** Running jobs whose lease is past at ?1, ends after ?2, or whose worker does not live: job, worker, end, end of the worker's life. */
    DOUBTFUL_LEASES,
    /** Error codes whose sums are not what the jobs say: code, sum, number. */
    WRONG_FAILURES,
    /** Jobs whose number of open parents is wrong: job, state, number, open edges. */
    WRONG_OPEN_PARENTS,
    /** Edges that are open or satisfied and must not be: child, parent, the parent's state, policy, whether it is satisfied. */
    WRONG_EDGES,
    /** Parents of which children are left, and that have not ended so: job, state said, state. */
    WRONG_RELEASES,
    /** Blocked jobs that may be in a cycle: job, a blocked job that it waits for. */
    WAITS,
    /** Jobs whose columns contradict their state: job, state, finding. */
    CONTRADICTIONS,
    /** Lanes that do not do what is said of their queue and type: queue, type. */
    DISOBEDIENT_LANES,
    /** Attempts that are ahead of their jobs: job, token, the job's state, its token. */
    WRONG_ATTEMPTS,

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
