package dev.windrow.store.sql.connection;

/**
 * The statements of the rules that both stores share, with their parameters and columns. Every store has a text for each of them, in the SQL of its
 * database.
 */
public enum Statement {
    /** Writes an entry of the audit: 1 time, 2 actor, 3 verb, 4 number of jobs, 5 detail, 6 reason. Its id. */
    INSERT_AUDIT,
    /** Writes the jobs of the entry ?1, for each: 2 job, 3 state before, 4 state after. */
    INSERT_AUDIT_JOBS,
    /** Writes the jobs ?2 of the entry ?1, with their present state before and after. Leaves out jobs that do not exist. */
    INSERT_REVEALED_JOBS,
    /** The time of the entry ?1 of the audit; no row if it does not exist. */
    READ_AUDIT_TIME,
    /**
     * The newest entries of the audit from ?2 and before ?3, after the entry ?5 of the time ?4, at most ?1: id, time, verb, actor, number of jobs,
     * detail, reason.
     */
    READ_AUDIT,
    /** The same, of the verb ?6. */
    READ_AUDIT_OF_ACTION,
    /** The same, of the actor ?7, and of the verb ?6 if it is not null. */
    READ_AUDIT_OF_ACTOR,
    /** The same, about the job ?8, and of the verb ?6 and the actor ?7 if they are not null. */
    READ_AUDIT_OF_JOB,
    /** The jobs of the entries ?1, in order: entry, job, state before, state after. */
    READ_AUDIT_JOBS,

    /** The parents of the jobs ?1 that prevent a retry of these jobs: job, parent, the parent's state. */
    FORBIDDING_PARENTS,
    /** The jobs that were cancelled because one of ?1 ended without success, once for each edge, at most ?2: job. */
    CANCELLED_CHILDREN,
    /** The same for the one parent ?1, from the child ?2 on, at most ?3: job. */
    NEXT_CANCELLED_CHILDREN,

    /** The payload and the result of job ?1, either of them null if there is none. */
    READ_DETAILS,
    /** The metadata of job ?1; null or no row if it has none. */
    READ_METADATA,
    /** Writes the metadata of job ?1: 2 JSON text. */
    WRITE_METADATA,
    /** Deletes the metadata of job ?1. */
    DELETE_METADATA,
    /** Deletes the event of job ?1 about a change of its metadata in the attempt ?2 by the actor ?3. */
    DELETE_METADATA_EVENT,
    /** The number of the last stored event of each of the jobs ?1, or null: job, number. */
    LAST_EVENTS,
    /** The attempts of job ?1 that have ended, by token: number, token, worker, outcome, error code and detail, start, end, output, stack trace, run. */
    READ_ATTEMPTS,
    /** The number of attempts of job ?1 that were removed from its history; null or no row for none. */
    ATTEMPTS_LEFT_OUT,
    /** The events of job ?1, first the ones that rows of the job and its attempts tell: time, kind, actor, detail, token, number (null if told). */
    READ_EVENTS,
    /** The lines of the log of job ?1: number from 1 on, time, level, message. */
    READ_LOG,
    /** The jobs of the chain of job ?1, from the first one: id. */
    READ_CHAIN,
    /** The chain of job ?1: its id, the first job's type and creation (null if that is deleted), the last job's id, type, state, index and end. */
    CHAIN,
    /** The same for the chains with more than one job and the declared ones with ids below ?1, newest first, at most ?2. */
    LIST_CHAINS,
    /**
     * The workflows with ids below ?1, newest first, at most ?2: id, the first job's type, name and creation, the states of the newest ?3 jobs with the
     * number of each, as a text.
     */
    LIST_WORKFLOWS,
    /** The jobs of workflow ?1: state, number. */
    WORKFLOW_STATES,
    /** The parents of job ?1: the job's state, the number of parents, the number whose wait is over, the number that failed or were cancelled. */
    READ_BATCH,
    /** The outcome of job ?1: id, type, name, state, error code, result. */
    READ_OUTCOME,
    /** The same for the parents of job ?1, in declared order. */
    READ_PARENTS,
    /** The trace contexts with which job ?1 and its first parents were settled last: kind of link, id, context or null. */
    READ_LINKS,
    /** The newest job with dedupe key ?1 of the types ?2; of a chain that holds the key, the type of its first job counts: id. */
    FIND_KEYED,
    /**
     * The job ?1: queue, type, state, priority, when it is due, attempts used and at most, concurrency key and its number, whether it waits for a
     * permit, the kind of its wait, the end of the wait, error code, end, worker, claim, start, end of the lease, heartbeat, whether its handler is
     * stuck, the outcome of its last attempt, the event for which it waits, number of open parents.
     */
    EXPLAIN,
    /** The first ?2 open parents of job ?1: parent, its state, policy. */
    EXPLAIN_PARENTS,
    /** The pauses and limits of queue ?1, type ?2 and key ?3: the columns of {@link #READ_LIMITS}, when the next start is due by the rate. */
    EXPLAIN_LIMITS,
    /** The number of running jobs of the queue ?1 or the type ?2, one of which is null. */
    EXPLAIN_RUNNING,
    /** The first ?2 jobs with a permit of key ?1: job, its state. */
    EXPLAIN_HOLDERS,
    /** The number of ready jobs of queue ?1 that are claimed before the one with priority ?2, due time ?3 and id ?4, counted up to ?5. */
    EXPLAIN_BEFORE,

    /** All jobs below ?1, newest first, at most ?2: id. */
    LIST_ALL,
    /** All jobs above ?1, oldest first, at most ?2: id. */
    LIST_ALL_UP,
    /** The same as {@link #LIST_ALL}, for the jobs that depend on ?3. */
    LIST_PARENT,
    /** The same above ?1, oldest first. */
    LIST_PARENT_UP,
    /** The same as {@link #LIST_ALL}, for job ?3 and the jobs that continue its chain. */
    LIST_CHAIN,
    /** The same above ?1, oldest first. */
    LIST_CHAIN_UP,
    /** The same as {@link #LIST_ALL}, for dedupe key ?3. */
    LIST_DEDUPE_KEY,
    /** The same above ?1, oldest first. */
    LIST_DEDUPE_KEY_UP,
    /** The same as {@link #LIST_ALL}, for workflow ?3. */
    LIST_WORKFLOW,
    /** The same above ?1, oldest first. */
    LIST_WORKFLOW_UP,
    /** The same as {@link #LIST_ALL}, for tag ?3. */
    LIST_TAG,
    /** The same above ?1, oldest first. */
    LIST_TAG_UP,
    /** The same as {@link #LIST_ALL}, for the jobs that have failed with code ?3. */
    LIST_FAILED_CODE,
    /** The same above ?1, oldest first. */
    LIST_FAILED_CODE_UP,
    /** The first ?2 codes of FAILED jobs that begin with ?1. */
    FAILED_CODES,
    /** For each of the codes ?3 the newest ?2 jobs below ?1 that have failed with it, newest first: place of the code from 0, id. */
    LIST_FAILED_CODES,
    /** The same above ?1, oldest first. */
    LIST_FAILED_CODES_UP,
    /** The same as {@link #LIST_ALL}, for blocked jobs. */
    LIST_BLOCKED,
    /** The same above ?1, oldest first. */
    LIST_BLOCKED_UP,
    /** The same as {@link #LIST_ALL}, for scheduled jobs. */
    LIST_SCHEDULED,
    /** The same above ?1, oldest first. */
    LIST_SCHEDULED_UP,
    /** The same as {@link #LIST_ALL}, for pending jobs. */
    LIST_PENDING,
    /** The same above ?1, oldest first. */
    LIST_PENDING_UP,
    /** The same as {@link #LIST_ALL}, for running jobs. */
    LIST_RUNNING,
    /** The same above ?1, oldest first. */
    LIST_RUNNING_UP,
    /** The same as {@link #LIST_ALL}, for failed jobs. */
    LIST_FAILED,
    /** The same above ?1, oldest first. */
    LIST_FAILED_UP,
    /** The same as {@link #LIST_ALL}, for cancelled jobs. */
    LIST_CANCELLED,
    /** The same above ?1, oldest first. */
    LIST_CANCELLED_UP,
    /** The number of jobs that are sorted by {@link #LIST_PENDING} and {@link #LIST_SCHEDULED}. */
    COUNT_SORTED,
    /** The same as {@link #LIST_ALL}, for the lanes ?4, no lower than ?3. */
    LIST_LANES,
    /** The same above ?1, no higher than ?3, oldest first. */
    LIST_LANES_UP,
    /** The first ?3 lanes of queue ?1 and type ?2, null for any: id. */
    LANES,
    /** The smallest id from which on jobs were enqueued at ?1 or later, as far as ids grow with time. */
    FIRST_AT,
    /**
     * The first job below ?1 and no lower than ?2 that was enqueued from ?3 and before ?4 (null for any). Without such a job the first one below ?2:
     * id or null.
     */
    SKIP,
    /** The same above ?1 and no higher than ?2, oldest first. */
    SKIP_UP,
    /**
     * The jobs among ?1, in any order, that match all conditions: id. The conditions are: one of the states ?2, type ?3, queue ?4, error code ?5,
     * name ?6, worker ?7, dedupe key ?8, concurrency key ?9, workflow ?10, chain ?11, a child of ?12, priority ?13, all tags ?14, enqueued from ?15
     * and before ?16, ended from ?17 and before ?18, due from ?19 and before ?20, an error code that begins with ?21. A null means any, for ?2 and ?14
     * an empty array.
     */
    MATCH,
    /** The payload of each of the jobs ?1, in their order, or null. A server leaves out payloads after the first mebibyte. */
    PAYLOADS,
    /** The same for metadata. */
    METADATA,

    /** The counts of each lane and state: lane, state, jobs. */
    READ_COUNTERS,
    /** All lanes: id, queue, type, whether it is paused. */
    READ_LANES,
    /** The oldest ready job of each of the lanes ?1: lane, when it was due; null, or no row, if it has none. */
    LANE_LAGS,
    /** The lowest priority of the ready jobs of lane ?1; null, or no row, if it has none. */
    LOWEST_READY,
    /** The 20 running jobs with the oldest heartbeats: job, type, worker, start or else claim, heartbeat, the earliest start of all running jobs. */
    OLDEST_RUNNING,
    /** The retries: type, attempt, number. */
    READ_RETRIES,
    /** The unfinished jobs with failed attempts: type, attempt, number. */
    LIVE_RETRIES,
    /** The work of the workers that live at ?1: queues, types, minimum priority. */
    LIVE_WORKERS,
    /** The stuck handlers of the workers that live at ?1: worker, number. */
    STUCK_SLOTS,
    /** The jobs that wait until a time: number, the first time or null. */
    COUNT_WAITS,
    /** The schedules: number, how many are paused, when the first of the others is due or null. */
    COUNT_SCHEDULES,
    /**
     * The attempts that have ended in the periods of ?1 minutes (1 or 60) that begin from minute ?2 to ?3, of the type ?4 and the queue ?5; a null
     * means any. For each type and period: type, its first minute, succeeded, failed, then for waiting and for running times: their sum, the longest,
     * and the arrays of bins as one text.
     */
    READ_THROUGHPUT,
    /** The names of types that begin with the text ?1, in order, at most ?2. */
    SUGGEST_TYPES,
    /** The same for queues. */
    SUGGEST_QUEUES,
    /** The same for tags. */
    SUGGEST_TAGS,
    /** The same for the error codes of FAILED jobs. */
    SUGGEST_CODES,
    /** The same for workers in the registry. */
    SUGGEST_WORKERS,
    /** The same for schedules. */
    SUGGEST_SCHEDULES,

    /** The rows whose job does not exist, and dedupe keys whose job should have released them: kind, job, the job's state or null. */
    ORPHANS,
    /** The findings about blobs: text. */
    WRONG_BLOBS,
    /** The workers that live at ?1: number, longest lease of all, first start. */
    LIVING,
    /**
     * The running jobs whose lease is past at ?1 or ends after ?2, or whose worker is not live: job, worker, end of the lease, expiry of the worker's
     * entry.
     */
    DOUBTFUL_LEASES,
    /** The number of jobs by lane: lane, then the number in each state, in the order of {@link dev.windrow.JobState}. */
    COUNT_JOBS,
    /** A tag of job ?1, or no row: tag. */
    SAMPLE_TAG,
    /** The error codes whose sums differ from the jobs: code, sum, number. */
    WRONG_FAILURES,
    /** The jobs whose number of open parents is wrong: job, state, number, open edges. */
    WRONG_OPEN_PARENTS,
    /** The edges that are open or satisfied and must not be: child, parent, the parent's state, policy, whether it is satisfied. */
    WRONG_EDGES,
    /** The rows of releases whose parent has another state than the row: job, state of the row, state of the job. */
    WRONG_RELEASES,
    /** The blocked jobs that may be in a cycle: job, a blocked job for which it waits. */
    WAITS,
    /** The jobs whose columns contradict their state: job, state, finding. */
    CONTRADICTIONS,
    /** The stored events that rows tell, or that contradict the state of their job: job, state, event. */
    WRONG_EVENTS,
    /** The lanes that do not agree with the pauses and limits of their queue and type: queue, type. */
    LANES_TO_LIMIT,
    /** The attempts that contradict their jobs: job, token, the job's state, its token, run, the job's run, outcome. */
    WRONG_ATTEMPTS,
    /** The failed attempts whose end is not in the log: job, token, outcome. */
    UNLOGGED_FAILURES,

    /** The error codes whose sums differ from the jobs: code, how many are missing, when the task ?1 last corrected sums. */
    WRONG_SUMS,
    /** The first and the last failure of the newest ?2 FAILED jobs with the code ?1: two times. */
    FAILED_WITH_CODE,
    /** The same for jobs without a code, of the newest ?1. */
    FAILED_WITHOUT_CODE,
    /** Records that the task ?1 was done at ?2, if it was last done at ?3. */
    MARK_RECOUNT,
    /** Adds to the sums of failures, for each code: 1 code, 2 jobs, 3 first and 4 last time. */
    ADD_FAILURES,
    /** The sums of failures with the most jobs, and those of the codes ?1: code, jobs, first and last time, a job. */
    READ_FAILURES,
    /** The newest ?2 jobs that failed at ?1 or later and are FAILED: code or '', hour from ?1 on, jobs, first time. */
    READ_FAILURE_TREND,

    /** All schedules, by name: the columns of schedules, the name of the actor that has paused it as pauser. */
    READ_SCHEDULES,
    /** The schedule named ?1: the same columns. */
    READ_SCHEDULE,
    /** The same, and locks the row against other transactions. */
    LOCK_SCHEDULE,
    /** The schedules that are due at ?1, after the time ?2 and the id ?3, at most ?4: the columns of schedules, no pauser. */
    DUE_SCHEDULES,
    /** The same for schedules that were last handled by a clock beyond ?1, at most ?2. */
    AHEAD_SCHEDULES,
    /** The time at which the next schedule is due after ?1. */
    NEXT_SCHEDULE,
    /**
     * Writes a schedule: 1 id, 2 name, 3 queue, 4 type, 5 payload, 6 name of its jobs, 7 priority, 8 attempts, 9 timeout, 10 retry policy, 11 tags as
     * JSON, 12 concurrency key, 13 its number, 14 cron, 15 zone, 16 interval, 17 its start, 18 misfire, 19 overlap, 20 when it is due, 21 now, 22
     * actor. Writes nothing if a schedule with this name exists.
     */
    INSERT_SCHEDULE,
    /** Updates an existing schedule: the same parameters, except 22 the clock by which it was last handled. */
    UPDATE_SCHEDULE,
    /** Pauses the schedule ?1: 2 now, 3 actor, 4 reason. */
    PAUSE_SCHEDULE,
    /** Resumes the schedule ?1: 2 now, 3 when it is due. */
    RESUME_SCHEDULE,
    /** Deletes the schedule ?1 and its runs. */
    REMOVE_SCHEDULE,
    /** Records that ?2 is the last job of the schedule ?1. */
    RAN_SCHEDULE,
    /** The newest runs of the schedule named ?1, at most ?2: first and last due time, number, time of the decision, outcome, job. */
    READ_RUNS,
    /** Deletes all but the newest ?2 runs of the schedule ?1. */
    PRUNE_RUNS,
    /** The number of recorded runs of the schedule ?1, and the first due time. */
    COUNT_RUNS,
    /** Deletes the runs of the schedule ?1 after ?2 for which no job was made. */
    DROP_MISSED_RUNS,
    /** Cuts the sequences of such runs that begin at ?2 or before and end later: they end at ?2. */
    CUT_MISSED_RUNS,

    /** Writes the progress of the job ?1 under the token ?2: 3 time, 4 fraction, 5 message. */
    WRITE_PROGRESS,
    /** The number of the last line in the log of the job ?1. */
    LAST_LOG_LINE,
    /** Writes lines of the log of the job ?1 under the token ?2, for each: 3 number, 4 time, 5 level, 6 message. */
    INSERT_LOG_LINES,
    /** Deletes the lines of the job ?1 up to the number ?2. */
    TRIM_LOG,

    /**
     * Writes a step after the others of the job ?1: 2 name, 3 kind, 4 state, 5 result, 6 until when it waits, 7 token, 8 start, 9 end, 10 actor.
     * Writes nothing if a step with its name exists, or the job has ?11 steps.
     */
    INSERT_STEP,
    /** The step of the job ?1 named ?2: name, kind, state, result, until when it waits, start, end, the actor's name. */
    READ_STEP,
    /** The same for all steps of the job ?1, in order. */
    READ_STEPS,
    /** Ends the step of the job ?1 named ?2, if it waits: 3 state, 4 now. */
    END_STEP,
    /** Writes an event of the job ?1 named ?2, if the job waits for it: 3 payload, 4 now, 5 actor. */
    ARRIVE,
    /** Ends the steps of the job ?1 that have waited for events until ?2. */
    TIME_OUT_EVENTS,
    /** The job ?1: state, lane, token, concurrency key, until when it awaits an event. Locks the row against other transactions. */
    READ_FOR_SIGNAL,
    /** The same, but no row if another transaction has locked it. */
    READ_FREE_FOR_SIGNAL,
    /** Makes the job ?1 await the event ?2, unless the event has come or its time is over: until when. */
    AWAIT,
    /** Makes the job ?1, which awaits an event, ready since ?2: its priority. */
    WAKE,

    /** Adds a part to the staged blob ?1: 2 position, 3 content. */
    STAGE_PART,
    /** Completes the staged blob ?1: 2 length, 3 hash, 4 file. */
    STAGE_WHOLE,
    /** The number of the blobs among ?1 that are staged and complete. */
    COUNT_STAGED,
    /** Makes the staged blob ?1 the blob of the job ?2, if it is complete: 3 kind. */
    ADOPT_BLOB,
    /** Prevents the adoption of the blob ?1, unless a job has adopted it. */
    UNSTAGE,
    /** Deletes the first ?2 parts of the blob ?1. */
    DROP_CHUNKS,
    /** Deletes the blob ?1, unless a job has adopted it. */
    DROP_BLOB,
    /** The blobs that were staged before ?1, the oldest first, at most ?2. */
    SWEEP_STAGED,
    /** The content of the blob ?1 at the position ?2. */
    READ_CHUNK,
    /** The blobs among ?1 that exist. */
    EXISTING_BLOBS,

    /** Pauses the target of kind ?1 and name ?2: 3 now, 4 actor, 5 reason. */
    LIMIT_PAUSE,
    /** Resumes it. */
    LIMIT_RESUME,
    /** Limits the number of its running jobs to ?3; null: no limit. */
    LIMIT_RUNNING,
    /** Limits the rate of its starts: 3 number, 4 milliseconds, 5 burst; null: no limit. */
    LIMIT_RATE,
    /** Deletes its row if the row has no pause and no limit. */
    LIMIT_FORGET,
    /**
     * All pauses and limits, or the ones of kind ?1 and name ?2: kind, name, pause, its actor's name, its reason, most running, number, milliseconds
     * and burst of the rate.
     */
    READ_LIMITS,
    /**
     * The first ?1 of the keys with waiting jobs, a pause or a limit, the ones with the most waiting jobs first. Of each kind at most ?2 are looked at,
     * and their waiting jobs counted up to ?3. The columns of {@link #READ_LIMITS}, waiting jobs and permits, both counted up to ?4, most permits by
     * the first job (0: any number, null: no job), the number of such keys, whether there may be more.
     */
    LIST_KEYS,
    /** The first ?2 jobs with a permit of each of the keys ?1: key, job, its state, its start. */
    PERMIT_HOLDERS,

    /** The rules of retention: state, type or an empty text, duration. */
    READ_RETENTION,
    /** The same, and locks the rows against other transactions. */
    LOCK_RETENTION,
    /** Writes the rule for the state ?1 and the type ?2: 3 duration; null: forever. */
    RETAIN,
    /** Deletes the rule for the state ?1 and the type ?2. */
    FORGET_RETENTION,

    /** The next FAILED jobs after ?1, at most ?2: id, lane, state, end, creation, chain. */
    NEXT_FAILED,
    /** The same for CANCELLED jobs. */
    NEXT_CANCELLED,
    /** The same for the jobs of the lane ?3, in any state. */
    NEXT_OF_LANE,
    /** The jobs of the chains that begin with the jobs ?1 and have a continuation: first job, id, lane, state, end, index in the chain. */
    CHAINS,
    /** The jobs among ?1 that are needed by jobs that are neither among them nor among ?2. */
    NEEDED,
    /** The children of the jobs ?1: id. */
    CHILDREN,
    /** A child of job ?1 that is not {@code COMPLETED} and not among ?2: id. */
    NEEDING_CHILD,
    /** The jobs of the chains of the jobs ?1, themselves included: first job of the chain, id. */
    CHAIN_MEMBERS,
    /** Removes the patches of the metadata of the jobs ?1 from the audit. */
    REDACT_METADATA,

    /** The jobs ?1: id, lane, state, end, dedupe key, its type or null for the lane's, error code. Locks the rows against other transactions. */
    LOCK_EXPIRING,
    /** The number of edges of the jobs ?1, counted up to ?2: job, edges to children, edges to parents. */
    COUNT_EDGES,
    /** The edges of the job ?1 to children that are not among ?3, at most ?2: child, position, true if satisfied, the child's state. */
    EDGES_TO_CHILDREN,
    /** The edges of the COMPLETED job ?1 to parents, at most ?2: the same columns. */
    EDGES_TO_PARENTS,
    /** Subtracts one open parent from jobs, for each: 1 job. */
    FORGET_OPEN_EDGES,
    /** Deletes edges, for each: 1 child, 2 position. */
    FORGET_EDGES,
    /** Subtracts the jobs ?1 from the open parents of their children. */
    FORGET_PARENTS,
    /** Deletes the windows of deleted jobs that are over at ?1, for each: 2 type, 3 key, 4 job. */
    EXPIRE_KEYS,
    /** Writes the entry of a pass in the audit: 1 time, 2 actor, 3 number of jobs, 4 detail, 5 reason. Its id. */
    INSERT_PASS,
    /** Adds to the entry ?1: 2 number of jobs, 3 detail. */
    GROW_PASS,

    /** Deletes sums of minutes and hours that begin before minute ?1, at most ?2. */
    EXPIRE_THROUGHPUT,
    /** Deletes entries of the audit from before ?1, at most ?2. */
    EXPIRE_AUDIT,
    /** Deletes workers that were alive until ?1 at the latest. */
    EXPIRE_WORKERS,
    /** Deletes sums of failures without a job, if the last failure was before ?1. */
    FORGET_FAILURES,

    /** The task ?1: holder, until when, when it was last done, detail. */
    READ_TASK,
    /**
     * Gives the task ?1 to ?2 from ?3 until ?4. It does not if another process has it, by a lease that ends after ?3 and not after ?5. It does not if
     * the task was done since ?6.
     */
    LEAD,
    /** Frees the task ?1, which ?2 holds. */
    RESIGN,
    /** Records that the task ?1, which ?2 holds, is done: 3 now, 4 detail. */
    END_TASK,

    /** Records a request to cancel the job ?1, which runs under the token ?2, unless there is one: 3 actor. */
    REQUEST_CANCEL,

    /**
     * Writes the entry of the worker ?1, or renews it: 2 name, 3 host, 4 process number, 5 process, 6 version, 7 queues, 8 types, 9 slots, 10 stuck
     * ones, 11 now, 12 until when.
     */
    ANNOUNCE,
    /** Deletes entries that expired before ?1, and entries of workers named ?3 that expired before ?2. */
    WITHDRAW_EXPIRED,
    /** Deletes the entry of the worker ?1. */
    WITHDRAW,
    /** Deletes the entries of the process ?1. */
    WITHDRAW_PROCESS,
}
