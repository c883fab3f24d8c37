package dev.windrow.store.sql.connection;

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
    READ_LINKS,
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
    /** As {@link #LIST_ALL}, of the lanes ?4, no lower than ?3. */
    LIST_LANES,
    /** The same above ?1, no higher than ?3, oldest first. */
    LIST_LANES_UP,
    /** The first ?3 lanes of queue ?1 and type ?2, null for any: id. */
    LANES,
    /** The smallest id from which on jobs were enqueued at ?1 or later, as far as ids grow with time. */
    FIRST_AT,
    /** The first job below ?1 and no lower than ?2 that was enqueued from ?3 and before ?4 (null for any), or else the first one below ?2: id or null. */
    SKIP,
    /** The same above ?1 and no higher than ?2, oldest first. */
    SKIP_UP,
    /**
     * Those of the jobs ?1, in any order, that are in one of the states ?2, of type ?3, in queue ?4, with code ?5, name ?6, at worker ?7, with
     * dedupe key ?8, concurrency key ?9, of workflow ?10, chain ?11, depend on ?12, have priority ?13 and all tags ?14, were enqueued from ?15 and
     * before ?16, have ended from ?17 and before ?18, are due from ?19 and before ?20; each null for any (?2 and ?14: empty): id.
     */
    MATCH,
    /** The payload of each of the jobs ?1, in their order, or null; a server leaves out those that have a mebibyte before them. */
    PAYLOADS,

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
    /** The number of attempts that have ended from minute ?1 to ?2 in slots of ?3 minutes: type, slot, succeeded, failed. */
    READ_ENDED,

    /** Things that belong to a job that is not there, and dedupe keys that no job gives up: kind, job, the job's state or null. */
    ORPHANS,
    /** Findings about blobs: text. */
    WRONG_BLOBS,
    /** The workers that live at ?1: number, longest lease of all, first start. */
    LIVING,
    /** Running jobs whose lease is past at ?1, ends after ?2, or whose worker does not live: job, worker, end, end of the worker's life. */
    DOUBTFUL_LEASES,
    /** The number of jobs by lane: lane, then those of each state, in the order of {@link dev.windrow.JobState}. */
    COUNT_JOBS,
    /** A tag of job ?1, or no row: tag. */
    SAMPLE_TAG,
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
    /** Lanes that do not agree with the pauses and limits of their queue and type: queue, type. */
    LANES_TO_LIMIT,
    /** Attempts that are ahead of their jobs: job, token, the job's state, its token. */
    WRONG_ATTEMPTS,

    /** The error codes whose sums are not what the jobs say: code, how many are missing, when sums were last put right by the task ?1. */
    WRONG_SUMS,
    /** Of the newest ?2 FAILED jobs with the code ?1: when the first and the last has failed. */
    FAILED_WITH_CODE,
    /** The same of jobs without a code, of the newest ?1. */
    FAILED_WITHOUT_CODE,
    /** Notes that the task ?1 was done at ?2, if it was last done at ?3. */
    MARK_RECOUNT,
    /** Adds to the sums of failures, for each code: 1 code, 2 jobs, 3 first and 4 last time. */
    ADD_FAILURES,
    /** The sums of failures: code, jobs, first and last time, a job. */
    READ_FAILURES,

    /** All schedules, by name: the columns of schedules, the name of who has paused it as pauser. */
    READ_SCHEDULES,
    /** The schedule named ?1, the same. */
    READ_SCHEDULE,
    /** The same, which no other transaction changes from now on. */
    LOCK_SCHEDULE,
    /** The schedules that are due at ?1, behind the time ?2 and the id ?3, at most ?4: the columns of schedules, no pauser. */
    DUE_SCHEDULES,
    /** The same of those that were seen to by a clock that was beyond ?1, at most ?2. */
    AHEAD_SCHEDULES,
    /** The time at which the next schedule is due after ?1. */
    NEXT_SCHEDULE,
    /**
     * Writes a schedule: 1 id, 2 name, 3 queue, 4 type, 5 payload, 6 name of its jobs, 7 priority, 8 attempts, 9 timeout, 10 retry policy, 11 tags as
     * JSON, 12 concurrency key, 13 its number, 14 cron, 15 zone, 16 interval, 17 its start, 18 misfire, 19 overlap, 20 when it is due, 21 now, 22
     * actor. Nothing if there is one of this name.
     */
    INSERT_SCHEDULE,
    /** The same of one that is there; 22 by which clock it was last seen to. */
    UPDATE_SCHEDULE,
    /** Pauses the schedule ?1: 2 now, 3 actor, 4 reason. */
    PAUSE_SCHEDULE,
    /** Resumes the schedule ?1: 2 now, 3 when it is due. */
    RESUME_SCHEDULE,
    /** Deletes the schedule ?1 and its runs. */
    REMOVE_SCHEDULE,
    /** Notes that ?2 is the last job of the schedule ?1. */
    RAN_SCHEDULE,
    /** The newest runs of the schedule named ?1, at most ?2: first and last due time, number, time of the account, outcome, job. */
    READ_RUNS,
    /** Deletes all but the newest ?2 runs of the schedule ?1. */
    PRUNE_RUNS,
    /** The number of runs of the schedule ?1 that are kept, and the first due time. */
    COUNT_RUNS,
    /** Deletes the runs of the schedule ?1 after ?2 for which no job was made. */
    DROP_MISSED_RUNS,
    /** Ends at ?2 those of them that begin before. */
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
     * Writes a step behind the others of the job ?1: 2 name, 3 kind, 4 state, 5 result, 6 until when it waits, 7 token, 8 start, 9 end, 10 actor.
     * Nothing if there is one of its name, or ?11 are there.
     */
    INSERT_STEP,
    /** The step of the job ?1 named ?2: name, kind, state, result, until when it waits, start, end, the actor's name. */
    READ_STEP,
    /** The same of all steps of the job ?1, in order. */
    READ_STEPS,
    /** Ends the step of the job ?1 named ?2, if it waits: 3 state, 4 now. */
    END_STEP,
    /** Writes an event of the job ?1 named ?2, if it is waited for: 3 payload, 4 now, 5 actor. */
    ARRIVE,
    /** Ends the steps of the job ?1 that have waited for events until ?2. */
    TIME_OUT_EVENTS,
    /** The job ?1, which no other transaction changes from now on: state, lane, token, concurrency key, until when it awaits an event. */
    READ_FOR_SIGNAL,
    /** The same, but no row if another transaction has locked it. */
    READ_FREE_FOR_SIGNAL,
    /** Lets the job ?1 await the event ?2, unless that has come or is over: until when. */
    AWAIT,
    /** Makes the job ?1, which awaits an event, ready since ?2: its priority. */
    WAKE,

    /** Adds to the staged blob ?1 a part: 2 position, 3 content. */
    STAGE_PART,
    /** Completes the staged blob ?1: 2 length, 3 hash, 4 file. */
    STAGE_WHOLE,
    /** The number of those of the blobs ?1 that are staged, and whole. */
    COUNT_STAGED,
    /** Makes the staged blob ?1 that of the job ?2, if it is whole: 3 kind. */
    ADOPT_BLOB,
    /** Lets no job adopt the blob ?1 any more, unless one has. */
    UNSTAGE,
    /** Deletes the first ?2 parts of the blob ?1. */
    DROP_CHUNKS,
    /** Deletes the blob ?1, unless a job has adopted it. */
    DROP_BLOB,
    /** The blobs that were staged before ?1, the oldest first, at most ?2. */
    SWEEP_STAGED,
    /** The content of the blob ?1 at the position ?2. */
    READ_CHUNK,
    /** Those of the blobs ?1 that there are. */
    EXISTING_BLOBS,

    /** Pauses the scope of kind ?1 and name ?2: 3 now, 4 actor, 5 reason. */
    LIMIT_PAUSE,
    /** Resumes it. */
    LIMIT_RESUME,
    /** Limits how many of its jobs run to ?3; null: no limit. */
    LIMIT_RUNNING,
    /** Limits how many of its jobs start: 3 number, 4 milliseconds, 5 burst; null: no limit. */
    LIMIT_RATE,
    /** Deletes its row if that says nothing any more. */
    LIMIT_FORGET,
    /** All that is said, or the pause and limits of kind ?1 and name ?2: kind, name, pause, its actor's name, its reason, most running, number, milliseconds and burst of the rate. */
    READ_LIMITS,

    /** The rules of retention: state, type or an empty text, for how long. */
    READ_RETENTION,
    /** The same, which no other transaction changes from now on. */
    LOCK_RETENTION,
    /** Writes the rule for the state ?1 and the type ?2: 3 for how long; null: for ever. */
    RETAIN,
    /** Deletes the rule for the state ?1 and the type ?2. */
    FORGET_RETENTION,

    /** The next FAILED jobs behind ?1, at most ?2: id, lane, state, end, creation, chain. */
    NEXT_FAILED,
    /** The same of CANCELLED jobs. */
    NEXT_CANCELLED,
    /** The same of the jobs of the lane ?3, in whatever state. */
    NEXT_OF_LANE,
    /** The jobs of the chains that begin with the jobs ?1 and have gone on: first job, id, lane, state, end, place. */
    CHAINS,
    /** Those of the jobs ?1 that others need, which are not among them. */
    NEEDED,

    /** The jobs ?1, which no other transaction changes from now on: id, lane, state, end, dedupe key, its type or null for the lane's, error code. */
    LOCK_EXPIRING,
    /** The edges of the jobs ?1, counted up to ?2: job, to children, to parents. */
    COUNT_EDGES,
    /** Edges of the job ?1 to children that are not among ?3, at most ?2: child, position, true if satisfied, the child's state. */
    EDGES_TO_CHILDREN,
    /** Edges of the COMPLETED job ?1 to parents, at most ?2: the same. */
    EDGES_TO_PARENTS,
    /** Takes an open parent from jobs, for each: 1 job. */
    FORGET_OPEN_EDGES,
    /** Deletes edges, for each: 1 child, 2 position. */
    FORGET_EDGES,
    /** Takes the jobs ?1 from their children as open parents. */
    FORGET_PARENTS,
    /** Deletes the windows of jobs that are gone, and that are over at ?1, for each: 2 type, 3 key, 4 job. */
    EXPIRE_KEYS,
    /** Writes the entry of a pass in the audit: 1 time, 2 actor, 3 number of jobs, 4 detail. Its id. */
    INSERT_PASS,
    /** Adds to the entry ?1: 2 number of jobs, 3 detail. */
    GROW_PASS,

    /** Deletes sums of minutes before ?1, at most ?2. */
    EXPIRE_MINUTES,
    /** Deletes entries of the audit from before ?1, at most ?2. */
    EXPIRE_AUDIT,
    /** Deletes workers that were alive until ?1 at the latest. */
    EXPIRE_WORKERS,
    /** Deletes sums of failures of which no job is left, and of which none has failed since ?1. */
    FORGET_FAILURES,

    /** The task ?1: holder, until when, when it was last done, detail. */
    READ_TASK,
    /**
     * Makes the task ?1 that of ?2 from ?3 until ?4: unless another one has it, by a lease that ends behind ?3 and not behind ?5; and unless it was
     * done since ?6.
     */
    LEAD,
    /** Frees the task ?1, which is that of ?2. */
    RESIGN,
    /** Notes that the task ?1, which is that of ?2, is done: 3 now, 4 detail. */
    END_TASK,

    /** Notes that the job ?1, which runs under the token ?2, is to be cancelled, unless that was noted before: 3 actor. */
    REQUEST_CANCEL,

    /**
     * Writes the entry of the worker ?1, or renews it: 2 name, 3 host, 4 process number, 5 process, 6 version, 7 queues, 8 types, 9 slots, 10 stuck
     * ones, 11 now, 12 until when.
     */
    ANNOUNCE,
    /** Deletes entries that ended before ?1, and before ?2 those of workers named ?3. */
    WITHDRAW_EXPIRED,
    /** Deletes the entry of the worker ?1. */
    WITHDRAW,
    /** Deletes the entries of the process ?1. */
    WITHDRAW_PROCESS,
}
