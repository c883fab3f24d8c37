package dev.windrow.sqlite;

/**
 * Every statement that the store runs on queue tables, each readable whole and pasteable into {@code sqlite3}. Each says what it does, from which
 * state to which, and by which index it finds its rows.
 */
final class Sql {
    private Sql() {}

    // ---- transactions -------------------------------------------------------------------------------------------

    /** Takes the write lock up front: a deferred transaction that upgrades later can only fail. */
    static final String BEGIN = "BEGIN IMMEDIATE";

    /** A read that sees one state of the database throughout. */
    static final String BEGIN_READ = "BEGIN";

    static final String COMMIT = "COMMIT";

    static final String ROLLBACK = "ROLLBACK";

    /** A verb inside a caller's transaction. */
    static final String SAVEPOINT = "SAVEPOINT windrow_verb";

    static final String RELEASE_SAVEPOINT = "RELEASE windrow_verb";

    static final String ROLLBACK_TO_SAVEPOINT = "ROLLBACK TO windrow_verb";

    /**
     * First statement of a write transaction: takes ?1 ids from ?3 on, advances the stamp of jobs that run now. By
     * primary key.
     */
    static final String TAKE_IDS = """
            UPDATE windrow_ids
               SET next = max(next, ?3) + ?1, last_stamp = max(last_stamp, ?2)
             WHERE one = 1
            RETURNING next - ?1, last_stamp
            """;

    // ---- names --------------------------------------------------------------------------------------------------

    static final String INSERT_ACTOR = """
            INSERT INTO windrow_actors (name) VALUES (?1) ON CONFLICT (name) DO NOTHING
            """;

    /** By the unique name. */
    static final String FIND_ACTOR = """
            SELECT id FROM windrow_actors WHERE name = ?1
            """;

    /** A new lane is paused and governed as its queue and its type are; see {@link #OBEY}. */
    static final String INSERT_LANE = """
            INSERT INTO windrow_lanes (queue, type) VALUES (?1, ?2) ON CONFLICT (queue, type) DO NOTHING
            """;

    /** By the unique (queue, type). */
    static final String FIND_LANE = """
            SELECT id FROM windrow_lanes WHERE queue = ?1 AND type = ?2
            """;

    /** The lanes that this process does not know yet; by primary key. */
    static final String NEW_LANES = """
            SELECT id, queue, type FROM windrow_lanes WHERE id > ?1 ORDER BY id
            """;

    // ---- enqueue ------------------------------------------------------------------------------------------------

    /** New job -> BLOCKED | SCHEDULED | PENDING. */
    static final String INSERT_JOB = """
            INSERT INTO windrow_jobs (id, lane, state, priority, scheduled_at, max_attempts, timeout_ms, open_parents,
                                      waiting_for, created_at, name, retry_policy, traceparent)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)
            """;

    /**
     * New job -> BLOCKED | SCHEDULED | PENDING, behind job ?14 in its chain, with the key that the whole chain holds. By primary key.
     */
    static final String INSERT_NEXT_JOB = """
            INSERT INTO windrow_jobs (id, lane, state, priority, scheduled_at, max_attempts, timeout_ms, open_parents,
                                      waiting_for, created_at, name, retry_policy, traceparent, chain_id, chain_index,
                                      workflow_id, dedupe_key, dedupe_scope, dedupe_type)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12,
                    coalesce(?13, (SELECT p.traceparent FROM windrow_jobs p WHERE p.id = ?14)),
                    (SELECT coalesce(p.chain_id, p.id) FROM windrow_jobs p WHERE p.id = ?14),
                    (SELECT p.chain_index + 1 FROM windrow_jobs p WHERE p.id = ?14),
                    (SELECT p.workflow_id FROM windrow_jobs p WHERE p.id = ?14),
                    (SELECT p.dedupe_key FROM windrow_jobs p WHERE p.id = ?14 AND p.dedupe_scope = 'UNFINISHED'),
                    (SELECT p.dedupe_scope FROM windrow_jobs p WHERE p.id = ?14 AND p.dedupe_scope = 'UNFINISHED'),
                    (SELECT coalesce(p.dedupe_type, l.type)
                       FROM windrow_jobs p CROSS JOIN windrow_lanes l ON l.id = p.lane
                      WHERE p.id = ?14 AND p.dedupe_scope = 'UNFINISHED'))
            """;

    /** New job -> RUNNING: enqueue and claim in one, for a worker that is there and finds no other job before it. */
    static final String INSERT_RUNNING = """
            INSERT INTO windrow_jobs (id, lane, state, priority, scheduled_at, max_attempts, timeout_ms, created_at, name,
                                      retry_policy, traceparent, token, worker, lease_until, claimed_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15)
            """;

    static final String INSERT_PAYLOAD = """
            INSERT INTO windrow_payloads (job_id, payload) VALUES (?1, ?2)
            """;

    static final String INSERT_TAG = """
            INSERT INTO windrow_tags (job_id, tag) VALUES (?1, ?2)
            """;

    static final String INSERT_EDGE = """
            INSERT INTO windrow_edges (child, position, parent, policy, satisfied, chain) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """;

    /** By primary key. */
    static final String ATTEMPT_HAS_ENDED = """
            SELECT 1 FROM windrow_attempts WHERE job_id = ?1 AND token = ?2
            """;

    /** Whoever waits for the end of the chain that goes on from ?1 with ?2 waits for that one now. By windrow_edges_parent. */
    static final String MOVE_CHAIN_EDGES = """
            UPDATE windrow_edges SET parent = ?2 WHERE parent = ?1 AND chain = 1 AND satisfied = 0
            """;

    /** Whether job ?1 waits for its own end, by whomever it waits for. By the primary key of the edges. */
    static final String WAITS_FOR_ITSELF = """
            WITH RECURSIVE up (id) AS (
              SELECT parent FROM windrow_edges WHERE child = ?1 AND satisfied = 0
               UNION
              SELECT e.parent FROM up CROSS JOIN windrow_edges e ON e.child = up.id WHERE e.satisfied = 0)
            SELECT 1 FROM up WHERE id = ?1 LIMIT 1
            """;

    /**
     * The last job of the chain in which job ?1 is; none if the first one is gone: then retention is about to delete the rest, and its last one may
     * be gone as well. By primary key and windrow_jobs_chain.
     */
    static final String LAST_OF_CHAIN = """
            SELECT coalesce((SELECT n.id FROM windrow_jobs n
                              WHERE n.chain_id = coalesce(j.chain_id, j.id) AND n.chain_index > 0
                              ORDER BY n.chain_index DESC LIMIT 1), j.id)
              FROM windrow_jobs j
             CROSS JOIN windrow_jobs f ON f.id = coalesce(j.chain_id, j.id)
             WHERE j.id = ?1
            """;

    /** The jobs of the chain in which job ?1 is, from the first one. By primary key and windrow_jobs_chain. */
    static final String READ_CHAIN = """
            SELECT id FROM (SELECT coalesce(chain_id, id) AS id FROM windrow_jobs WHERE id = ?1)
             UNION ALL
            SELECT id FROM (SELECT n.id FROM windrow_jobs n
                             WHERE n.chain_id = (SELECT coalesce(chain_id, id) FROM windrow_jobs WHERE id = ?1)
                               AND n.chain_index > 0
                             ORDER BY n.chain_index)
            """;

    /** The states of parents, ?1 a JSON array of ids; a missing one has a null state. By primary key. */
    static final String PARENT_STATES = """
            SELECT p.value, j.state FROM json_each(?1) p LEFT JOIN windrow_jobs j ON j.id = p.value
            """;

    static final String INSERT_EVENT = """
            INSERT INTO windrow_events (job_id, seq, at, event, actor, token, detail) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            """;

    // ---- dedupe keys: all by the primary key (type, key) ----------------------------------------------------------

    /** Who holds key ?2 of type ?1, and how that job stands. By the primary keys. */
    static final String KEY_HOLDER = """
            SELECT d.job_id, d.scope, d.expires_at, j.state, j.waiting_for, j.scheduled_at, j.claimed_at, j.lane, j.token,
                   j.concurrency_key, j.chain_index > 0
              FROM windrow_dedupe d
              LEFT JOIN windrow_jobs j ON j.id = d.job_id
             WHERE d.type = ?1 AND d.key = ?2
            """;

    /** Job ?3 takes a key that is free, or from ?6, which was seen to hold it no longer. By primary key. */
    static final String TAKE_KEY = """
            INSERT INTO windrow_dedupe (type, key, job_id, scope, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (type, key) DO UPDATE
               SET job_id = excluded.job_id, scope = excluded.scope, expires_at = excluded.expires_at
             WHERE job_id = ?6
            """;

    /** A new job remembers its key and the scope, for whoever ends or retries it. By primary key. */
    static final String KEEP_KEY = """
            UPDATE windrow_jobs SET dedupe_key = ?2, dedupe_scope = ?3 WHERE id = ?1
            """;

    /** A new job belongs to workflow ?2. By primary key. */
    static final String KEEP_WORKFLOW = """
            UPDATE windrow_jobs SET workflow_id = ?2 WHERE id = ?1
            """;

    /** A claim: what is held until the start is given up. By primary key. */
    static final String KEY_STARTED = """
            DELETE FROM windrow_dedupe WHERE type = ?1 AND key = ?2 AND job_id = ?3 AND scope = 'UNTIL_STARTED'
            """;

    /** The end of a job: what is held until then is given up. By primary key. */
    static final String KEY_ENDED = """
            DELETE FROM windrow_dedupe
             WHERE type = ?1 AND key = ?2 AND job_id = ?3 AND (scope = 'UNTIL_STARTED' OR scope = 'UNFINISHED')
            """;

    /** Job ?3 goes on with job ?4: what is held while the chain is unfinished moves along. By primary key. */
    static final String MOVE_KEY = """
            UPDATE windrow_dedupe SET job_id = ?4 WHERE type = ?1 AND key = ?2 AND job_id = ?3 AND scope = 'UNFINISHED'
            """;

    /** A job is gone, and gives up its key whatever the scope. By primary key. */
    static final String KEY_DISCARDED = """
            DELETE FROM windrow_dedupe WHERE type = ?1 AND key = ?2 AND job_id = ?3
            """;

    /**
     * BLOCKED stays, SCHEDULED | PENDING -> SCHEDULED | PENDING (?3): a later enqueue with its key says anew what is to be done. By
     * primary key, guarded by the state as read.
     */
    static final String REPLACE = """
            UPDATE windrow_jobs
               SET state = ?3, priority = ?4, scheduled_at = ?5, max_attempts = ?6, used = 0, timeout_ms = ?7, name = ?8,
                   retry_policy = ?9, traceparent = ?10
             WHERE id = ?1 AND state = ?2
            """;

    static final String REPLACE_PAYLOAD = """
            INSERT INTO windrow_payloads (job_id, payload) VALUES (?1, ?2)
            ON CONFLICT (job_id) DO UPDATE SET payload = excluded.payload
            """;

    /** By primary key. */
    static final String DELETE_PAYLOAD = """
            DELETE FROM windrow_payloads WHERE job_id = ?1
            """;

    /** By primary key. */
    static final String DELETE_TAGS = """
            DELETE FROM windrow_tags WHERE job_id = ?1
            """;

    // ---- claim --------------------------------------------------------------------------------------------------

    /** The due jobs, at most ?2. By windrow_jobs_due. */
    static final String DUE_JOBS = """
            SELECT id, lane, concurrency_key FROM windrow_jobs
             WHERE state = 'SCHEDULED' AND scheduled_at <= ?1
             ORDER BY scheduled_at LIMIT ?2
            """;

    /** SCHEDULED -> PENDING. By primary key. */
    static final String PROMOTE = """
            UPDATE windrow_jobs SET state = 'PENDING' WHERE id = ?1 AND state = 'SCHEDULED'
            """;

    /** When the next scheduled job is due, or the next one that the rate of its key keeps back. By windrow_jobs_due, windrow_controls_wake. */
    static final String NEXT_DUE = """
            SELECT min(at) FROM (SELECT min(scheduled_at) AS at FROM windrow_jobs WHERE state = 'SCHEDULED'
                                 UNION ALL
                                 SELECT min(wakes_at) FROM windrow_controls WHERE wakes_at IS NOT NULL)
            """;

    /** The lanes in ?1 (a JSON array) that are open, and whether jobs wait there. By windrow_jobs_claim, one step a lane. */
    static final String OPEN_LANES = """
            SELECT l.id,
                   EXISTS (SELECT 1 FROM windrow_jobs h WHERE h.lane = l.id AND h.state = 'PENDING' AND h.held = 0)
              FROM json_each(?1) w
             CROSS JOIN windrow_lanes l ON l.id = w.value
             WHERE l.paused_at IS NULL
            """;

    /** How many jobs are ready in those of the lanes in ?1 (a JSON array) that are not paused, as of the last commit. By primary keys. */
    static final String READY = """
            SELECT coalesce(sum(c.n), 0)
              FROM json_each(?1) w
             CROSS JOIN windrow_lanes l ON l.id = w.value
             CROSS JOIN windrow_counters c ON c.lane = l.id AND c.state = 'PENDING'
             WHERE l.paused_at IS NULL
            """;

    /**
     * PENDING -> RUNNING: the best ?5 jobs of those lanes in ?1 (a JSON array) that are neither paused nor governed by limits. Reads at most ?5
     * entries at the head of each lane by windrow_jobs_claim: the inner query is evaluated once a lane. RETURNING gives no
     * order; the caller sorts.
     */
    static final String CLAIM = """
            UPDATE windrow_jobs
               SET state = 'RUNNING', token = token + 1, worker = ?2, lease_until = ?3, claimed_at = ?4, started_at = NULL
             WHERE id IN (
                   SELECT j.id
                     FROM json_each(?1) w
                    CROSS JOIN windrow_lanes l ON l.id = w.value
                    CROSS JOIN windrow_jobs j
                    WHERE l.paused_at IS NULL AND l.governed = 0
                      AND j.id IN (SELECT h.id FROM windrow_jobs h
                                    WHERE h.lane = l.id AND h.state = 'PENDING' AND h.held = 0
                                    ORDER BY h.priority DESC, h.scheduled_at, h.id LIMIT ?5)
                    ORDER BY j.priority DESC, j.scheduled_at, j.id LIMIT ?5)
               AND state = 'PENDING'
            RETURNING id, token, lane, priority, scheduled_at, used, max_attempts, timeout_ms, name, retry_policy,
                      traceparent,
                      (SELECT payload FROM windrow_payloads p WHERE p.job_id = windrow_jobs.id), dedupe_key,
                      concurrency_key, dedupe_type
            """;

    // ---- claims where limits and rates concern them
    // ------------------------------------------------------------------

    /** The lanes that limits or rates concern: none, as a rule. By windrow_lanes_governed. */
    static final String GOVERNED_LANES = """
            SELECT id FROM windrow_lanes WHERE governed = 1
            """;

    /** The limits and rates: a scan of a table as small as there are queues and types of which something is said. */
    static final String READ_LIMITS = """
            SELECT kind, name, max_running, rate_count, rate_millis, rate_burst, next_start
              FROM windrow_controls
             WHERE kind <> 'KEY' AND (max_running IS NOT NULL OR rate_count IS NOT NULL)
            """;

    /** How many jobs lane ?1 had in state ?2 when this transaction began; by primary key. */
    static final String COUNTER = """
            SELECT n FROM windrow_counters WHERE lane = ?1 AND state = ?2
            """;

    /** The best ?2 ready jobs of lane ?1, in claim order. By windrow_jobs_claim. */
    static final String CANDIDATES = """
            SELECT id, priority, scheduled_at FROM windrow_jobs
             WHERE lane = ?1 AND state = 'PENDING' AND held = 0
             ORDER BY priority DESC, scheduled_at, id LIMIT ?2
            """;

    /** PENDING -> RUNNING: the jobs in ?1 (a JSON array). By primary key. */
    static final String CLAIM_THESE = """
            UPDATE windrow_jobs
               SET state = 'RUNNING', token = token + 1, worker = ?2, lease_until = ?3, claimed_at = ?4, started_at = NULL
             WHERE id IN (SELECT value FROM json_each(?1)) AND state = 'PENDING'
            RETURNING id, token, lane, priority, scheduled_at, used, max_attempts, timeout_ms, name, retry_policy,
                      traceparent,
                      (SELECT payload FROM windrow_payloads p WHERE p.job_id = windrow_jobs.id), dedupe_key,
                      concurrency_key, dedupe_type
            """;

    /** When the next start is due by a rate; by primary key. */
    static final String SET_NEXT_START = """
            UPDATE windrow_controls SET next_start = ?3 WHERE kind = ?1 AND name = ?2
            """;

    /** Whether a job waits in the lanes in ?1 (a JSON array) that are not paused. By windrow_jobs_claim, one step a lane. */
    static final String IS_WAITED_FOR = """
            SELECT EXISTS (SELECT 1
                             FROM json_each(?1) w
                            CROSS JOIN windrow_lanes l ON l.id = w.value
                            WHERE l.paused_at IS NULL
                              AND EXISTS (SELECT 1 FROM windrow_jobs h
                                           WHERE h.lane = l.id AND h.state = 'PENDING' AND h.held = 0))
            """;

    // ---- controls ---------------------------------------------------------------------------------------------------

    /** All that is said of queues and types; see {@link #READ_LIMITS}. */
    static final String READ_CONTROLS = """
            SELECT c.kind, c.name, c.paused_at, a.name, c.pause_reason, c.max_running, c.rate_count, c.rate_millis,
                   c.rate_burst
              FROM windrow_controls c
              LEFT JOIN windrow_actors a ON a.id = c.paused_by
             ORDER BY c.kind, c.name
            """;

    /** By primary key. */
    static final String PAUSE = """
            INSERT INTO windrow_controls (kind, name, paused_at, paused_by, pause_reason) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (kind, name) DO UPDATE
               SET paused_at = coalesce(paused_at, excluded.paused_at), paused_by = excluded.paused_by,
                   pause_reason = excluded.pause_reason
            """;

    /** By primary key. */
    static final String RESUME = """
            UPDATE windrow_controls SET paused_at = NULL, paused_by = NULL, pause_reason = NULL
             WHERE kind = ?1 AND name = ?2
            """;

    /** By primary key. */
    static final String LIMIT = """
            INSERT INTO windrow_controls (kind, name, max_running) VALUES (?1, ?2, ?3)
            ON CONFLICT (kind, name) DO UPDATE SET max_running = excluded.max_running
            """;

    /** What was due by another rate is no longer. By primary key. */
    static final String LIMIT_RATE = """
            INSERT INTO windrow_controls (kind, name, rate_count, rate_millis, rate_burst) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (kind, name) DO UPDATE
               SET rate_count = excluded.rate_count, rate_millis = excluded.rate_millis,
                   rate_burst = excluded.rate_burst, next_start = NULL
            """;

    /** Of which nothing is said any more; by primary key. */
    static final String FORGET_CONTROL = """
            DELETE FROM windrow_controls
             WHERE kind = ?1 AND name = ?2 AND paused_at IS NULL AND max_running IS NULL AND rate_count IS NULL
            """;

    /** The lanes repeat what is said of their queues and types: all of them, or lane ?1. A table as small as there are of these. */
    static final String OBEY = """
            UPDATE windrow_lanes
               SET (paused_at, paused_by, pause_reason) = (
                     SELECT c.paused_at, c.paused_by, c.pause_reason FROM windrow_controls c
                      WHERE c.paused_at IS NOT NULL
                        AND c.name = CASE c.kind WHEN 'QUEUE' THEN windrow_lanes.queue WHEN 'TYPE' THEN windrow_lanes.type END
                      ORDER BY c.kind LIMIT 1),
                   governed = EXISTS (
                     SELECT 1 FROM windrow_controls c
                      WHERE (c.max_running IS NOT NULL OR c.rate_count IS NOT NULL)
                        AND c.name = CASE c.kind WHEN 'QUEUE' THEN windrow_lanes.queue WHEN 'TYPE' THEN windrow_lanes.type END)
             WHERE ?1 IS NULL OR id = ?1
            """;

    // ---- turns: of jobs with concurrency keys
    // ----------------------------------------------------------------------

    /** A new job remembers its key, and how many of the key's jobs may run at once; 0: one after the other. By primary key. */
    static final String KEEP_CONCURRENCY_KEY = """
            UPDATE windrow_jobs SET concurrency_key = ?2, concurrency_most = ?3 WHERE id = ?1
            """;

    /** A job that has become ready joins the line of its key at ?2, unless it has kept its place. By primary keys. */
    static final String JOIN_LINE = """
            INSERT INTO windrow_turns (job_id, key, priority, turn, most)
            SELECT id, concurrency_key, priority, ?2, concurrency_most
              FROM windrow_jobs
             WHERE id = ?1 AND state = 'PENDING'
            ON CONFLICT (job_id) DO NOTHING
            """;

    /** PENDING, but not to be claimed. By primary key. */
    static final String HOLD = """
            UPDATE windrow_jobs SET held = 1 WHERE id = ?1 AND state = 'PENDING'
            """;

    /** To be claimed if it is PENDING. By primary key. */
    static final String UNHOLD = """
            UPDATE windrow_jobs SET held = 0 WHERE id = ?1 AND held = 1
            """;

    /** A job in line, or with a place, says another priority or number. By primary key. */
    static final String CHANGE_TURN = """
            UPDATE windrow_turns SET priority = ?2, most = ?3 WHERE job_id = ?1
            """;

    /** By primary key. */
    static final String LEAVE = """
            DELETE FROM windrow_turns WHERE job_id = ?1
            """;

    /** The same for a job that goes on later: in a sequence it keeps its place. By primary key. */
    static final String LEAVE_UNLESS_IN_SEQUENCE = """
            DELETE FROM windrow_turns WHERE job_id = ?1 AND coalesce(most, 1) > 0
            """;

    /** What is said of a key; by primary key. */
    static final String READ_KEY = """
            SELECT paused_at IS NOT NULL, max_running, rate_count, rate_millis, rate_burst, next_start, wakes_at
              FROM windrow_controls WHERE kind = 'KEY' AND name = ?1
            """;

    /** When the rate of a key is to be looked at again. By primary key. */
    static final String WAKE_KEY = """
            UPDATE windrow_controls SET wakes_at = ?2 WHERE kind = 'KEY' AND name = ?1
            """;

    /** The keys whose rates are to be looked at, at ?1. By windrow_controls_wake. */
    static final String DUE_KEYS = """
            SELECT name FROM windrow_controls WHERE wakes_at <= ?1
            """;

    /** How many jobs of key ?1 have a place; no more than ?2 are counted. By windrow_turns_places. */
    static final String COUNT_PLACES = """
            SELECT count(*) FROM (SELECT 1 FROM windrow_turns WHERE key = ?1 AND placed = 1 LIMIT ?2)
            """;

    /** The first ?2 in the line of key ?1. By windrow_turns_line. */
    static final String LINE = """
            SELECT t.job_id, t.most, j.lane
              FROM windrow_turns t
             CROSS JOIN windrow_jobs j ON j.id = t.job_id
             WHERE t.key = ?1 AND t.placed = 0
             ORDER BY t.priority DESC, t.turn LIMIT ?2
            """;

    /** By primary key. */
    static final String GIVE_PLACE = """
            UPDATE windrow_turns SET placed = 1 WHERE job_id = ?1
            """;

    /** By primary key. */
    static final String TAKE_PLACE = """
            UPDATE windrow_turns SET placed = 0 WHERE job_id = ?1
            """;

    /** Jobs of key ?1 that have a place and are not claimed, at most ?2, the last ones in line first. By windrow_turns_places. */
    static final String PLACED_READY = """
            SELECT t.job_id
              FROM windrow_turns t
             CROSS JOIN windrow_jobs j ON j.id = t.job_id
             WHERE t.key = ?1 AND t.placed = 1 AND j.state = 'PENDING'
             ORDER BY t.priority, t.turn DESC LIMIT ?2
            """;

    /**
     * The first ?2 keys behind ?1 that jobs wait in line for, and whether each has room for the first one at ?3 and nobody waits for its
     * rate (or has since the clock was set back). One step through windrow_turns_line for
     * each key, and a look at its places.
     */
    static final String KEYS_IN_LINE = """
            WITH RECURSIVE keys (key) AS (
              SELECT min(key) FROM windrow_turns WHERE placed = 0 AND key > ?1
              UNION ALL
              SELECT (SELECT min(t.key) FROM windrow_turns t WHERE t.placed = 0 AND t.key > k.key)
                FROM keys k WHERE k.key IS NOT NULL
            )
            SELECT k.key,
                   c.paused_at IS NULL AND (c.wakes_at IS NULL OR c.wakes_at > ?3 + c.rate_millis / c.rate_count + 2000)
                   AND (SELECT count(*) FROM windrow_turns p WHERE p.key = k.key AND p.placed = 1)
                       < min(coalesce(c.max_running, 1000000),
                             (SELECT coalesce(max(h.most, 1), 1000000) FROM windrow_turns h
                               WHERE h.key = k.key AND h.placed = 0
                               ORDER BY h.priority DESC, h.turn LIMIT 1))
              FROM keys k
              LEFT JOIN windrow_controls c ON c.kind = 'KEY' AND c.name = k.key
             WHERE k.key IS NOT NULL
             LIMIT ?2
            """;

    // ---- report: under the write lock, after STILL_HELD has answered -----------------------------------------------

    /** Whether the holder still is one: the guard of all that it reports. By primary key. */
    static final String STILL_HELD = """
            SELECT 1 FROM windrow_jobs WHERE id = ?1 AND state = 'RUNNING' AND token = ?2
            """;

    /** The last progress of a job; by primary key. */
    static final String WRITE_PROGRESS = """
            INSERT INTO windrow_progress (job_id, token, at, fraction, message) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (job_id) DO UPDATE
               SET token = excluded.token, at = excluded.at, fraction = excluded.fraction, message = excluded.message
            """;

    /** The number of a job's last line; one step into the primary key. */
    static final String LAST_LOG_LINE = """
            SELECT max(seq) FROM windrow_log_lines WHERE job_id = ?1
            """;

    static final String INSERT_LOG_LINE = """
            INSERT INTO windrow_log_lines (job_id, seq, at, token, level, message) VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            """;

    /** Lines that are too old; by primary key. */
    static final String TRIM_LOG = """
            DELETE FROM windrow_log_lines WHERE job_id = ?1 AND seq <= ?2
            """;

    // ---- durable steps -------------------------------------------------------------------------------------------

    /** A step follows the last one of its job, unless there is one of its name, or ?11 are there. By windrow_steps_position. */
    static final String INSERT_STEP = """
            INSERT INTO windrow_steps (job_id, name, position, kind, state, result, until_at, token, started_at,
                                       finished_at, actor)
            SELECT ?1, ?2, coalesce(max(position), 0) + 1, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10
              FROM windrow_steps WHERE job_id = ?1
            HAVING coalesce(max(position), 0) < ?11
            ON CONFLICT (job_id, name) DO NOTHING
            """;

    /** The step of a name. By primary keys. */
    static final String READ_STEP = """
            SELECT s.name, s.kind, s.state, s.result, s.until_at, s.started_at, s.finished_at, a.name
              FROM windrow_steps s
              LEFT JOIN windrow_actors a ON a.id = s.actor
             WHERE s.job_id = ?1 AND s.name = ?2
            """;

    /** All steps of a job, in order. By windrow_steps_position. */
    static final String READ_STEPS = """
            SELECT s.name, s.kind, s.state, s.result, s.until_at, s.started_at, s.finished_at, a.name
              FROM windrow_steps s
              LEFT JOIN windrow_actors a ON a.id = s.actor
             WHERE s.job_id = ?1
             ORDER BY s.position
            """;

    /** WAITING -> DONE | TIMED_OUT (?3): its time is over, for good. By primary key. */
    static final String END_STEP = """
            UPDATE windrow_steps SET state = ?3, finished_at = ?4
             WHERE job_id = ?1 AND name = ?2 AND state = 'WAITING'
            """;

    /** An event, WAITING -> DONE: it has come. By primary key. */
    static final String ARRIVE = """
            UPDATE windrow_steps SET state = 'DONE', result = ?3, finished_at = ?4, actor = ?5
             WHERE job_id = ?1 AND name = ?2 AND kind = 'EVENT' AND state = 'WAITING' AND until_at > ?4
            """;

    /** The events of a job that have not come by ?2, WAITING -> TIMED_OUT. By primary key. */
    static final String TIME_OUT_EVENTS = """
            UPDATE windrow_steps SET state = 'TIMED_OUT', finished_at = ?2
             WHERE job_id = ?1 AND kind = 'EVENT' AND state = 'WAITING' AND until_at <= ?2
            """;

    /** A retry from the start. By primary key. */
    static final String FORGET_STEPS = """
            DELETE FROM windrow_steps WHERE job_id = ?1
            """;

    /** What a signal needs to know of a job; last, whether it awaits an event. By primary key. */
    static final String READ_FOR_SIGNAL = """
            SELECT state, lane, token, concurrency_key, state = 'BLOCKED' AND wake_state IS 'PENDING'
              FROM windrow_jobs WHERE id = ?1
            """;

    /** BLOCKED, just parked: awaits event ?2, if that has not come and is not over. By primary keys. */
    static final String AWAIT = """
            UPDATE windrow_jobs
               SET wake_at = (SELECT until_at FROM windrow_steps WHERE job_id = ?1 AND name = ?2), wake_state = 'PENDING'
             WHERE id = ?1 AND state = 'BLOCKED'
               AND EXISTS (SELECT 1 FROM windrow_steps
                            WHERE job_id = ?1 AND name = ?2 AND kind = 'EVENT' AND state = 'WAITING')
            RETURNING wake_at
            """;

    /** BLOCKED -> PENDING: the event that it awaited has come, or its time is over. By primary key. */
    static final String WAKE = """
            UPDATE windrow_jobs
               SET state = 'PENDING', scheduled_at = ?2, waiting_for = NULL, wake_at = NULL, wake_state = NULL
             WHERE id = ?1 AND state = 'BLOCKED' AND waiting_for = 'EVENT'
            """;

    // ---- settle: all by primary key, guarded by (id, RUNNING, token) ----------------------------------------------

    /** RUNNING, still this token: the handler was called. */
    static final String MARK_STARTED = """
            UPDATE windrow_jobs SET started_at = ?3 WHERE id = ?1 AND state = 'RUNNING' AND token = ?2
            """;

    /** RUNNING -> COMPLETED. */
    static final String SETTLE_COMPLETED = """
            UPDATE windrow_jobs
               SET state = 'COMPLETED', used = used + ?3, started_at = ?4, finished_at = ?5, worker = NULL,
                   lease_until = NULL, error_code = NULL, error_detail = NULL, cancel_requested = 0
             WHERE id = ?1 AND state = 'RUNNING' AND token = ?2
            """;

    /** RUNNING -> FAILED. */
    static final String SETTLE_FAILED = """
            UPDATE windrow_jobs
               SET state = 'FAILED', used = used + ?3, started_at = ?4, finished_at = ?5, worker = NULL,
                   lease_until = NULL, error_code = ?6, error_detail = ?7, cancel_requested = 0
             WHERE id = ?1 AND state = 'RUNNING' AND token = ?2
            """;

    /** RUNNING -> CANCELLED. */
    static final String SETTLE_CANCELLED = """
            UPDATE windrow_jobs
               SET state = 'CANCELLED', used = used + ?3, started_at = ?4, finished_at = ?5, worker = NULL,
                   lease_until = NULL, error_code = coalesce(?6, error_code), error_detail = coalesce(?7, error_detail),
                   cancel_requested = 0
             WHERE id = ?1 AND state = 'RUNNING' AND token = ?2
            """;

    /** RUNNING -> SCHEDULED: a retry (?3 = 1) or a snooze (?3 = 0), due at ?8. Not if somebody wants it cancelled. */
    static final String SETTLE_SCHEDULED = """
            UPDATE windrow_jobs
               SET state = 'SCHEDULED', used = used + ?3, started_at = ?4, finished_at = NULL, worker = NULL,
                   lease_until = NULL, error_code = coalesce(?6, error_code), error_detail = coalesce(?7, error_detail),
                   scheduled_at = ?8
             WHERE id = ?1 AND state = 'RUNNING' AND token = ?2 AND cancel_requested = 0
            """;

    /** RUNNING -> PENDING: handed back, at its old place in the order. Not if somebody wants it cancelled. */
    static final String SETTLE_PENDING = """
            UPDATE windrow_jobs
               SET state = 'PENDING', used = used + ?3, started_at = ?4, finished_at = NULL, worker = NULL,
                   lease_until = NULL
             WHERE id = ?1 AND state = 'RUNNING' AND token = ?2 AND cancel_requested = 0
            """;

    /** RUNNING -> BLOCKED: parked until an event or ?8. Not if somebody wants it cancelled. */
    static final String SETTLE_BLOCKED = """
            UPDATE windrow_jobs
               SET state = 'BLOCKED', used = used + ?3, started_at = ?4, finished_at = NULL, worker = NULL,
                   lease_until = NULL, waiting_for = 'EVENT', wake_at = ?8,
                   wake_state = CASE WHEN ?8 IS NOT NULL THEN 'FAILED' END
             WHERE id = ?1 AND state = 'RUNNING' AND token = ?2 AND cancel_requested = 0
            """;

    static final String INSERT_ATTEMPT = """
            INSERT INTO windrow_attempts (job_id, token, attempt, worker, started_at, finished_at, outcome, error_code,
                                          error_detail)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
            """;

    static final String INSERT_ATTEMPT_TEXT = """
            INSERT INTO windrow_attempt_texts (job_id, token, kind, text) VALUES (?1, ?2, ?3, ?4)
            """;

    // ---- trim: of job ?1, the attempts with tokens from ?2 to ?3; those that were LOST are counted, and stay
    // ----------

    /** How many events go, the place of the first one, and its time. By primary keys. */
    static final String TRIMMED_EVENTS = """
            SELECT count(*), min(e.seq), min(e.at) FROM windrow_events e
             WHERE e.job_id = ?1 AND e.token BETWEEN ?2 AND ?3
               AND NOT EXISTS (SELECT 1 FROM windrow_attempts t
                                WHERE t.job_id = e.job_id AND t.token = e.token AND t.outcome = 'LOST')
            """;

    /** The same events go. By primary keys. */
    static final String TRIM_EVENTS = """
            DELETE FROM windrow_events
             WHERE job_id = ?1 AND token BETWEEN ?2 AND ?3
               AND NOT EXISTS (SELECT 1 FROM windrow_attempts t
                                WHERE t.job_id = windrow_events.job_id AND t.token = windrow_events.token AND t.outcome = 'LOST')
            """;

    /** Their texts go with them. By primary key. */
    static final String TRIM_ATTEMPTS = """
            DELETE FROM windrow_attempts WHERE job_id = ?1 AND token BETWEEN ?2 AND ?3 AND outcome <> 'LOST'
            """;

    /** The note of what has gone grows by ?2 attempts and ?3 events. By primary key. */
    static final String GROW_TRIMMED = """
            UPDATE windrow_events
               SET detail = json_object('attempts', json_extract(detail, '$.attempts') + ?2,
                                        'events', json_extract(detail, '$.events') + ?3)
             WHERE job_id = ?1 AND event = 'TRIMMED'
            """;

    /** A job has at most one result; one completed again from outside replaces nothing, because COMPLETED is final. */
    static final String INSERT_RESULT = """
            INSERT INTO windrow_results (job_id, result) VALUES (?1, ?2)
            """;

    /** RUNNING, still this token: the lease goes on. */
    static final String RENEW = """
            UPDATE windrow_jobs SET lease_until = ?3 WHERE id = ?1 AND state = 'RUNNING' AND token = ?2
            """;

    // ---- dependencies -------------------------------------------------------------------------------------------

    /**
     * At most ?3 of the open edges below ended parents in ?1 (a JSON array) that their end concerns; ?2 = 1 if they completed. By
     * windrow_edges_parent.
     */
    static final String OPEN_EDGES = """
            SELECT e.parent, e.child, e.position, ?2 = 1 OR e.policy = 'RUN'
              FROM json_each(?1) p
             CROSS JOIN windrow_edges e ON e.parent = p.value
             WHERE e.satisfied = 0 AND (?2 = 1 OR (e.policy <> 'WAIT' AND e.cancelled = 0))
             LIMIT ?3
            """;

    /** The same below one parent ?1, in the order of the children, from child ?4 on. By windrow_edges_parent. */
    static final String NEXT_OPEN_EDGES = """
            SELECT e.parent, e.child, e.position, ?2 = 1 OR e.policy = 'RUN'
              FROM windrow_edges e
             WHERE e.parent = ?1 AND e.child >= ?4 AND e.satisfied = 0 AND (?2 = 1 OR (e.policy <> 'WAIT' AND e.cancelled = 0))
             ORDER BY e.child LIMIT ?3
            """;

    /** An edge is satisfied once and for all. By primary key. */
    static final String SATISFY_EDGE = """
            UPDATE windrow_edges SET satisfied = 1, cancelled = 0 WHERE child = ?1 AND position = ?2 AND satisfied = 0
            """;

    /** Subtracts exactly the edges that were satisfied. By primary key. */
    static final String SUBTRACT_PARENTS = """
            UPDATE windrow_jobs SET open_parents = open_parents - ?2 WHERE id = ?1
            RETURNING open_parents, state, lane, scheduled_at, token, concurrency_key, wait_ms
            """;

    /** BLOCKED -> PENDING | SCHEDULED (?2): no parent is open any more. By primary key. */
    static final String RELEASE = """
            UPDATE windrow_jobs SET state = ?2, waiting_for = NULL, scheduled_at = ?3
             WHERE id = ?1 AND state = 'BLOCKED' AND open_parents = 0
            """;

    /** BLOCKED -> CANCELLED: it was not to wait for a parent that ends so. By primary key. */
    static final String CANCEL_CHILD = """
            UPDATE windrow_jobs SET state = 'CANCELLED', finished_at = ?2, waiting_for = NULL
             WHERE id = ?1 AND state = 'BLOCKED' AND waiting_for = 'PARENTS'
            RETURNING lane, token, dedupe_key, concurrency_key, dedupe_type
            """;

    /**
     * Marks an edge whose parent's end has cancelled the child (?3 = 1), or would have if another parent's end had not. By
     * primary key.
     */
    static final String MARK_EDGE = """
            UPDATE windrow_edges SET cancelled = 1
             WHERE child = ?1 AND position = ?2 AND satisfied = 0
               AND (?3 = 1 OR EXISTS (SELECT 1 FROM windrow_edges o WHERE o.child = ?1 AND o.cancelled = 1))
            """;

    /** A job that was cancelled waits again, or runs. By primary key. */
    static final String UNMARK_EDGES = """
            UPDATE windrow_edges SET cancelled = 0 WHERE child = ?1 AND cancelled = 1
            """;

    /**
     * The end of ?1 as ?2 concerns more children than this transaction deals with, if there is one left. Where some were left before, it is
     * gone on from the first one. By windrow_edges_parent.
     */
    static final String LEAVE_CHILDREN = """
            INSERT INTO windrow_releases (parent, state)
            SELECT e.parent, ?2 FROM windrow_edges e
             WHERE e.parent = ?1 AND e.satisfied = 0 AND (?2 = 'COMPLETED' OR (e.policy <> 'WAIT' AND e.cancelled = 0))
             LIMIT 1
                ON CONFLICT (parent) DO UPDATE SET after = 0
            """;

    /** How a parent ended some of whose children are left, and where to go on. By primary key. */
    static final String READ_RELEASE = """
            SELECT state, after FROM windrow_releases WHERE parent = ?1
            """;

    /** The children below ?2 are done. By primary key. */
    static final String MOVE_RELEASE = """
            UPDATE windrow_releases SET after = ?2 WHERE parent = ?1
            """;

    /** All children are done. By primary key. */
    static final String END_RELEASE = """
            DELETE FROM windrow_releases WHERE parent = ?1
            """;

    /** Some of the parents of which children are left. In the order of the primary key. */
    static final String RELEASES = """
            SELECT parent FROM windrow_releases ORDER BY parent LIMIT ?1
            """;

    /** Which of the jobs in ?1 (a JSON array) are parents of which children are left. By primary key. */
    static final String RELEASES_OF = """
            SELECT r.parent FROM json_each(?1) w CROSS JOIN windrow_releases r ON r.parent = w.value
            """;

    /** The jobs that were cancelled because one of those in ?1 (a JSON array) ended without success. By windrow_edges_parent. */
    static final String CANCELLED_CHILDREN = """
            SELECT DISTINCT e.child
              FROM json_each(?1) w
             CROSS JOIN windrow_edges e ON e.parent = w.value
             WHERE e.cancelled = 1
             ORDER BY e.child
            """;

    /** The parents of the jobs in ?1 (a JSON array) that have ended so that these must not wait for them. By primary keys. */
    static final String FORBIDDING_PARENTS = """
            SELECT e.child, e.parent, p.state
              FROM json_each(?1) w
             CROSS JOIN windrow_edges e ON e.child = w.value
             CROSS JOIN windrow_jobs p ON p.id = e.parent
             WHERE e.policy = 'CANCEL' AND e.satisfied = 0 AND p.state IN ('FAILED', 'CANCELLED')
            """;

    // ---- changes from outside: by primary key, guarded by (id, state as read) --------------------------------------

    /** What a change needs to know of a job. */
    static final String READ_FOR_CHANGE = """
            SELECT j.id, j.state, j.lane, j.token, j.used, j.max_attempts, j.open_parents, j.worker, j.started_at,
                   j.cancel_requested, j.error_code, j.finished_at, j.dedupe_key, j.dedupe_scope, j.concurrency_key,
                   j.wait_ms, CASE j.wake_state WHEN 'FAILED' THEN j.wake_at END, j.dedupe_type
              FROM json_each(?1) w
              LEFT JOIN windrow_jobs j ON j.id = w.value
             ORDER BY w.key
            """;

    /** BLOCKED | SCHEDULED | PENDING -> CANCELLED. */
    static final String CANCEL = """
            UPDATE windrow_jobs SET state = 'CANCELLED', finished_at = ?3, waiting_for = NULL, wake_at = NULL, wake_state = NULL, held = 0
             WHERE id = ?1 AND state = ?2
            """;

    /** RUNNING, still this token: ?3 wants it cancelled. No state changes, and the first one who asks stands. */
    static final String REQUEST_CANCEL = """
            UPDATE windrow_jobs SET cancel_requested = ?3
             WHERE id = ?1 AND state = 'RUNNING' AND token = ?2 AND cancel_requested = 0
            """;

    /** FAILED | CANCELLED -> PENDING | BLOCKED (?3), with a full budget; token and history stay. */
    static final String RETRY = """
            UPDATE windrow_jobs
               SET state = ?3, used = 0, max_attempts = coalesce(?4, max_attempts), scheduled_at = ?5,
                   finished_at = NULL, started_at = NULL, waiting_for = ?6, cancel_requested = 0
             WHERE id = ?1 AND state = ?2
            """;

    /** Any unfinished state -> COMPLETED | FAILED (?3); token + 1 fences a running attempt off. */
    static final String FINISH_OUTSIDE = """
            UPDATE windrow_jobs
               SET state = ?3, token = token + 1, finished_at = ?4, error_code = ?5, error_detail = ?6, worker = NULL,
                   lease_until = NULL, waiting_for = NULL, wake_at = NULL, wake_state = NULL, held = 0,
                   cancel_requested = 0
             WHERE id = ?1 AND state = ?2
            """;

    /** SCHEDULED -> PENDING before its time: as if it were due now. */
    static final String TRIGGER = """
            UPDATE windrow_jobs SET state = 'PENDING', scheduled_at = min(scheduled_at, ?2)
             WHERE id = ?1 AND state = 'SCHEDULED'
            """;

    /** A completed child no longer counts a parent that is discarded. By windrow_edges_parent. */
    static final String FORGET_PARENT = """
            UPDATE windrow_jobs SET open_parents = open_parents - 1
             WHERE id IN (SELECT child FROM windrow_edges WHERE parent = ?1 AND satisfied = 0)
            """;

    /** The blobs of job ?1, which goes, that have more than 4 MiB in parts -> of no job, not whole, the first to be swept. By windrow_blobs_job. */
    static final String LEAVE_LONG_BLOBS = """
            UPDATE windrow_blobs SET job_id = NULL, kind = NULL, bytes = NULL, sha256 = NULL, created_at = 0
             WHERE job_id = ?1 AND file IS NULL AND bytes > 4194304
            """;

    /** FAILED | CANCELLED -> gone, with all that belongs to it (ON DELETE CASCADE). */
    static final String DISCARD = """
            DELETE FROM windrow_jobs WHERE id = ?1 AND state = ?2
            """;

    /**
     * Whether a job outside of ?2 (a JSON array) depends on ?1 and has not ended, or would wait for it again after a
     * retry. By windrow_edges_parent.
     */
    static final String DEPENDING_CHILD = """
            SELECT e.child FROM windrow_edges e JOIN windrow_jobs c ON c.id = e.child
             WHERE e.parent = ?1
               AND (c.state NOT IN ('COMPLETED', 'FAILED', 'CANCELLED') OR (e.satisfied = 0 AND c.state <> 'COMPLETED'))
               AND e.child NOT IN (SELECT value FROM json_each(?2))
             LIMIT 1
            """;

    /** What was done to many jobs at once, or to jobs that are gone. */
    static final String INSERT_AUDIT = """
            INSERT INTO windrow_audit (at, actor, action, jobs, detail) VALUES (?1, ?2, ?3, ?4, ?5)
            """;

    // ---- schedules ------------------------------------------------------------------------------------------------

    /** All schedules, with who has paused them. By windrow_schedules' unique index of names, in their order. */
    static final String READ_SCHEDULES = """
            SELECT s.*, a.name AS pauser FROM windrow_schedules s LEFT JOIN windrow_actors a ON a.id = s.paused_by
             ORDER BY s.name
            """;

    /** The schedule named ?1. By its unique index of names. */
    static final String READ_SCHEDULE = """
            SELECT s.*, a.name AS pauser FROM windrow_schedules s LEFT JOIN windrow_actors a ON a.id = s.paused_by
             WHERE s.name = ?1
            """;

    /** Those that are due at ?1, behind (?2, ?3). By windrow_schedules_next. */
    static final String DUE_SCHEDULES = """
            SELECT s.*, NULL AS pauser FROM windrow_schedules s
             WHERE s.paused_at IS NULL AND s.next_at <= ?1 AND (s.next_at, s.id) > (?2, ?3)
             ORDER BY s.next_at, s.id LIMIT ?4
            """;

    /** Those that were seen to by a clock that was beyond ?1. By windrow_schedules_fired. */
    static final String AHEAD_SCHEDULES = """
            SELECT s.*, NULL AS pauser FROM windrow_schedules s
             WHERE s.paused_at IS NULL AND s.fired_at > ?1
             ORDER BY s.fired_at LIMIT ?2
            """;

    /** When the next one is due after ?1. By windrow_schedules_next. */
    static final String NEXT_SCHEDULE = """
            SELECT min(next_at) FROM windrow_schedules WHERE paused_at IS NULL AND next_at > ?1
            """;

    /** How many there are, how many are paused, and when the first one that is not was or is due; walks the table. */
    static final String COUNT_SCHEDULES = """
            SELECT count(*), count(paused_at), min(CASE WHEN paused_at IS NULL THEN next_at END) FROM windrow_schedules
            """;

    /** A new schedule. */
    static final String INSERT_SCHEDULE = """
            INSERT INTO windrow_schedules (
                   id, name, queue, type, payload, job_name, priority, max_attempts, timeout_ms, retry_policy, tags, concurrency_key,
                   concurrency_most, cron, zone, every_ms, starts_at, misfire, overlap, next_at, revision, changed_at, created_at, fired_at, created_by)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, 1, ?21, ?21, ?21, ?22)
            """;

    /** It is to do something else. By primary key. */
    static final String UPDATE_SCHEDULE = """
            UPDATE windrow_schedules
               SET queue = ?3, type = ?4, payload = ?5, job_name = ?6, priority = ?7, max_attempts = ?8, timeout_ms = ?9, retry_policy = ?10,
                   tags = ?11, concurrency_key = ?12, concurrency_most = ?13, cron = ?14, zone = ?15, every_ms = ?16, starts_at = ?17,
                   misfire = ?18, overlap = ?19, next_at = ?20, fired_at = ?22, revision = revision + 1, changed_at = ?21
             WHERE id = ?1 AND name = ?2
            """;

    /** By primary key. */
    static final String PAUSE_SCHEDULE = """
            UPDATE windrow_schedules
               SET paused_at = coalesce(paused_at, ?2), paused_by = ?3, pause_reason = ?4, next_at = NULL, revision = revision + 1,
                   changed_at = ?2
             WHERE id = ?1
            """;

    /** By primary key. */
    static final String RESUME_SCHEDULE = """
            UPDATE windrow_schedules
               SET paused_at = NULL, paused_by = NULL, pause_reason = NULL, next_at = ?3, fired_at = ?2, revision = revision + 1,
                   changed_at = ?2
             WHERE id = ?1
            """;

    /** With its runs, which the foreign key deletes. By primary key. */
    static final String REMOVE_SCHEDULE = """
            DELETE FROM windrow_schedules WHERE id = ?1
            """;

    /** It has made a job out of turn. By primary key. */
    static final String RAN_SCHEDULE = """
            UPDATE windrow_schedules SET last_job = ?2, revision = revision + 1 WHERE id = ?1
            """;

    /** Whether a schedule is as it was read. By primary key. */
    static final String IS_SCHEDULE_AS_READ = """
            SELECT 1 FROM windrow_schedules WHERE id = ?1 AND revision = ?2 AND paused_at IS NULL
            """;

    /** It was seen to. By primary key. */
    static final String FIRED_SCHEDULE = """
            UPDATE windrow_schedules SET next_at = ?3, last_at = ?4, fired_at = ?5, last_job = ?6, revision = revision + 1
             WHERE id = ?1 AND revision = ?2
            """;

    /** Whether the chain in which job ?1 is goes on. By primary key and windrow_jobs_chain. */
    static final String GOES_ON = """
            SELECT 1 FROM windrow_jobs l
             WHERE l.id = (SELECT coalesce((SELECT n.id FROM windrow_jobs n
                                             WHERE n.chain_id = coalesce(j.chain_id, j.id) AND n.chain_index > 0
                                             ORDER BY n.chain_index DESC LIMIT 1), j.id)
                             FROM windrow_jobs j WHERE j.id = ?1)
               AND l.state <> 'COMPLETED' AND l.state <> 'FAILED' AND l.state <> 'CANCELLED'
            """;

    /** The due times from ?2 to ?3 for which schedule ?1 has made jobs. By primary key. */
    static final String MADE_RUNS = """
            SELECT due_at FROM windrow_schedule_runs
             WHERE schedule_id = ?1 AND due_at BETWEEN ?2 AND ?3 AND outcome = 'ENQUEUED'
            """;

    /** What became of a due time; not in the place of one for which a job was made. By primary key. */
    static final String INSERT_RUN = """
            INSERT INTO windrow_schedule_runs (schedule_id, due_at, until_at, runs, fired_at, outcome, job_id)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)
            ON CONFLICT (schedule_id, due_at) DO UPDATE
               SET until_at = excluded.until_at, runs = excluded.runs, fired_at = excluded.fired_at, outcome = excluded.outcome,
                   job_id = excluded.job_id
             WHERE outcome <> 'ENQUEUED'
            """;

    /** All but the newest ?2 of schedule ?1. By primary key. */
    static final String PRUNE_RUNS = """
            DELETE FROM windrow_schedule_runs
             WHERE schedule_id = ?1
               AND due_at < (SELECT due_at FROM windrow_schedule_runs WHERE schedule_id = ?1
                              ORDER BY due_at DESC LIMIT 1 OFFSET ?2 - 1)
            """;

    /** The clock was set back to ?2: what was missed behind that is to come again. By primary key. */
    static final String DROP_MISSED_RUNS = """
            DELETE FROM windrow_schedule_runs WHERE schedule_id = ?1 AND due_at > ?2 AND outcome <> 'ENQUEUED'
            """;

    /** The same of due times in a row, some of which are behind ?2. By primary key. */
    static final String CUT_MISSED_RUNS = """
            UPDATE windrow_schedule_runs SET until_at = ?2, runs = NULL
             WHERE schedule_id = ?1 AND due_at <= ?2 AND until_at > ?2 AND outcome <> 'ENQUEUED'
            """;

    /** How many runs of schedule ?1 are kept, and the first one. By primary key. */
    static final String COUNT_RUNS = """
            SELECT count(*), min(due_at) FROM windrow_schedule_runs WHERE schedule_id = ?1
            """;

    /** The newest runs of the schedule named ?1. By its unique index of names and primary key. */
    static final String READ_RUNS = """
            SELECT r.due_at, r.until_at, r.runs, r.fired_at, r.outcome, r.job_id
              FROM windrow_schedules s CROSS JOIN windrow_schedule_runs r ON r.schedule_id = s.id
             WHERE s.name = ?1 ORDER BY r.due_at DESC LIMIT ?2
            """;

    // ---- blobs: by primary key unless said otherwise; chunks go with their blob ------------------------------------

    /** A new blob, staged; with length and hash if its first part is all of it. */
    static final String INSERT_BLOB = """
            INSERT INTO windrow_blobs (id, bytes, sha256, created_at) VALUES (?1, ?2, ?3, ?4)
            """;

    static final String INSERT_CHUNK = """
            INSERT INTO windrow_blob_chunks (blob_id, position, content) VALUES (?1, ?2, ?3)
            """;

    /** All of a staged blob is written, and nothing of it is dropped yet. */
    static final String COMPLETE_BLOB = """
            UPDATE windrow_blobs SET bytes = ?2, sha256 = ?3, file = ?4 WHERE id = ?1 AND job_id IS NULL AND created_at > 0
            """;

    /** How many of these blobs are staged, and whole. */
    static final String COUNT_STAGED = """
            SELECT count(*) FROM json_each(?1) w CROSS JOIN windrow_blobs b ON b.id = w.value
             WHERE b.job_id IS NULL AND b.sha256 IS NOT NULL
            """;

    /** Staged -> the payload or the result of job ?2: guarded, because it has one owner only. */
    static final String ADOPT_BLOB = """
            UPDATE windrow_blobs SET job_id = ?2, kind = ?3 WHERE id = ?1 AND job_id IS NULL AND sha256 IS NOT NULL
            """;

    /** What a job that gets another payload had before. By windrow_blobs_job. */
    static final String DELETE_PAYLOAD_BLOB = """
            DELETE FROM windrow_blobs WHERE job_id = ?1 AND kind = 'PAYLOAD'
            """;

    /** A blob that nobody will adopt: it is not whole, nothing is added to it, and it is the first to be swept. */
    static final String UNSTAGE = """
            UPDATE windrow_blobs SET bytes = NULL, sha256 = NULL, created_at = 0 WHERE id = ?1 AND job_id IS NULL
            """;

    /** The first ?2 parts that are left of a blob that nobody will adopt. By sqlite_autoindex_windrow_blob_chunks_1. */
    static final String DROP_CHUNKS = """
            DELETE FROM windrow_blob_chunks
             WHERE blob_id = ?1
               AND position <= (SELECT max(position)
                                  FROM (SELECT position FROM windrow_blob_chunks WHERE blob_id = ?1 ORDER BY position LIMIT ?2))
            """;

    /** A blob that nobody will adopt, when its parts are gone. */
    static final String DROP_BLOB = """
            DELETE FROM windrow_blobs WHERE id = ?1 AND job_id IS NULL
            """;

    /** Blobs that were staged before ?1, the oldest first, at most ?2; those of which something is dropped come before all others. By windrow_blobs_job. */
    static final String OLD_STAGED = """
            SELECT id FROM windrow_blobs WHERE job_id IS NULL AND created_at < ?1 ORDER BY created_at LIMIT ?2
            """;

    /** Which of these blobs there are. */
    static final String EXISTING_BLOBS = """
            SELECT b.id FROM json_each(?1) w CROSS JOIN windrow_blobs b ON b.id = w.value
            """;

    /** By sqlite_autoindex_windrow_blob_chunks_1. */
    static final String READ_CHUNK = """
            SELECT content FROM windrow_blob_chunks WHERE blob_id = ?1 AND position = ?2
            """;

    // ---- waits for somebody outside ----------------------------------------------------------------------------

    /** A new job says how long it waits for outside, once its parents have ended. By primary key. */
    static final String KEEP_WAIT = """
            UPDATE windrow_jobs SET wait_ms = ?2 WHERE id = ?1
            """;

    /** BLOCKED, by no parent any more: waits until ?2 for somebody outside. By primary key. */
    static final String BEGIN_WAIT = """
            UPDATE windrow_jobs SET waiting_for = 'EVENT', wake_at = ?2, wake_state = 'FAILED'
             WHERE id = ?1 AND state = 'BLOCKED' AND open_parents = 0
            """;

    /** The waits that have run out of time at ?1, the first ones first, at most ?2; and whether for an event. By windrow_jobs_wake. */
    static final String DUE_WAITS = """
            SELECT id, wake_state = 'PENDING' FROM windrow_jobs
             WHERE state = 'BLOCKED' AND wake_at <= ?1 AND wake_state IN ('FAILED', 'PENDING')
             ORDER BY wake_at LIMIT ?2
            """;

    /** When the next wait runs out of time. By windrow_jobs_wake. */
    static final String NEXT_WAIT = """
            SELECT min(wake_at) FROM windrow_jobs WHERE state = 'BLOCKED' AND wake_at IS NOT NULL
            """;

    /** How many jobs wait until a time, and when the first one is over; walks windrow_jobs_wake. */
    static final String COUNT_WAITS = """
            SELECT count(*), min(wake_at) FROM windrow_jobs WHERE state = 'BLOCKED' AND wake_at IS NOT NULL
            """;

    /** A running job was ended by somebody who did not hold it. By primary key. */
    static final String COUNT_SUPERSEDED = """
            UPDATE windrow_ids SET superseded = superseded + 1 WHERE one = 1
            """;

    /** By primary key. */
    static final String SUPERSEDED = """
            SELECT superseded FROM windrow_ids WHERE one = 1
            """;

    // ---- leases -------------------------------------------------------------------------------------------------

    /**
     * Leases that ran out before ?1 or end after ?2 (further ahead than one lease: the clock stepped back), and further
     * ahead than their own worker's leases; beyond (?4, ?5), at most ?3. By windrow_jobs_lease.
     */
    static final String SUSPECTS = """
            SELECT j.id, j.token, j.lease_until, j.used, j.max_attempts, j.cancel_requested, j.retry_policy, a.name,
                   EXISTS (SELECT 1 FROM windrow_events e
                            WHERE e.job_id = j.id AND e.token = j.token AND e.event = 'STARTED'),
                   (SELECT count(*) FROM windrow_attempts t WHERE t.job_id = j.id AND t.outcome = 'LOST'),
                   w.expires_at - w.heartbeat_at, l.type
              FROM windrow_jobs j INDEXED BY windrow_jobs_lease
              JOIN windrow_lanes l ON l.id = j.lane
              JOIN windrow_actors a ON a.id = j.worker
              LEFT JOIN windrow_workers w ON w.name = a.name
             WHERE j.state = 'RUNNING' AND (j.lease_until, j.id) > (?4, ?5)
               AND (j.lease_until < ?1 OR j.lease_until > ?2)
               AND (j.lease_until < ?1 OR j.lease_until > ?1 + coalesce(w.expires_at - w.heartbeat_at, 0))
             ORDER BY j.lease_until, j.id LIMIT ?3
            """;

    /** What the workers of process ?1 hold, at most ?2; reads as many entries of windrow_jobs_lease as are running. */
    static final String HELD_BY = """
            SELECT j.id, j.token, j.lease_until, j.used, j.max_attempts, j.cancel_requested, j.retry_policy, a.name,
                   EXISTS (SELECT 1 FROM windrow_events e
                            WHERE e.job_id = j.id AND e.token = j.token AND e.event = 'STARTED'),
                   (SELECT count(*) FROM windrow_attempts t WHERE t.job_id = j.id AND t.outcome = 'LOST'),
                   w.expires_at - w.heartbeat_at, l.type
              FROM windrow_jobs j INDEXED BY windrow_jobs_lease
              JOIN windrow_lanes l ON l.id = j.lane
              JOIN windrow_actors a ON a.id = j.worker
              JOIN windrow_workers w ON w.name = a.name
             WHERE j.state = 'RUNNING' AND w.process = ?1
             ORDER BY j.lease_until LIMIT ?2
            """;

    /**
     * Whether a suspect is still as it was seen: what becomes of it was decided by all of this. By primary key.
     */
    static final String STILL_SUSPECT = """
            SELECT lane, started_at, worker, cancel_requested, dedupe_key, concurrency_key, dedupe_type FROM windrow_jobs
             WHERE id = ?1 AND state = 'RUNNING' AND token = ?2 AND lease_until = ?3
               AND (started_at IS NOT NULL) = ?4
            """;

    // ---- what others have committed -----------------------------------------------------------------------------

    /** Changes with each commit of any other connection. */
    static final String DATA_VERSION = "PRAGMA data_version";

    /** The oldest version of the code that may use the file, and the file's own; by primary key. */
    static final String MIN_COMPATIBLE = """
            SELECT min_compatible, version FROM windrow_schema WHERE version = (SELECT max(version) FROM windrow_schema)
            """;

    /** The same with its name, and which copy has filled the file last, if one has; by primary key. */
    static final String STANDING = """
            SELECT min_compatible, version, name, (SELECT name FROM windrow_schema WHERE version = 0)
              FROM windrow_schema WHERE version = (SELECT max(version) FROM windrow_schema)
            """;

    /** The open lanes with ready jobs: one step into windrow_jobs_claim for each lane. */
    static final String READY_LANES = """
            SELECT l.id FROM windrow_lanes l
             WHERE l.paused_at IS NULL
               AND EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.lane = l.id AND j.state = 'PENDING' AND j.held = 0)
            """;

    /** The running jobs that somebody wants cancelled, at most as many as run. By windrow_jobs_cancel. */
    static final String CANCEL_REQUESTS = """
            SELECT id, token FROM windrow_jobs WHERE state = 'RUNNING' AND cancel_requested <> 0
            """;

    // ---- counters, registry -------------------------------------------------------------------------------------

    static final String ADD_COUNTER = """
            INSERT INTO windrow_counters (lane, state, n) VALUES (?1, ?2, ?3)
            ON CONFLICT (lane, state) DO UPDATE SET n = n + excluded.n
            """;

    static final String ADD_RETRY_COUNTER = """
            INSERT INTO windrow_retry_counters (lane, attempt, n) VALUES (?1, ?2, ?3)
            ON CONFLICT (lane, attempt) DO UPDATE SET n = n + excluded.n
            """;

    static final String READ_MINUTE = """
            SELECT succeeded, failed, wait_ms, run_ms, wait_bins, run_bins FROM windrow_minutes
             WHERE minute = ?1 AND lane = ?2
            """;

    static final String WRITE_MINUTE = """
            INSERT INTO windrow_minutes (minute, lane, succeeded, failed, wait_ms, run_ms, wait_bins, run_bins)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)
            ON CONFLICT (minute, lane) DO UPDATE
               SET succeeded = excluded.succeeded, failed = excluded.failed, wait_ms = excluded.wait_ms,
                   run_ms = excluded.run_ms, wait_bins = excluded.wait_bins, run_bins = excluded.run_bins
            """;

    /** A worker that comes back under its old name is another one: all of the entry is new but the time it began. */
    static final String ANNOUNCE = """
            INSERT INTO windrow_workers (name, host, pid, process, version, queues, types, slots, stuck, started_at,
                                         heartbeat_at, expires_at)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?11)
            ON CONFLICT (name) DO UPDATE
               SET started_at = CASE WHEN pid = excluded.pid THEN started_at ELSE excluded.started_at END,
                   host = excluded.host, pid = excluded.pid, process = excluded.process, version = excluded.version,
                   queues = excluded.queues, types = excluded.types, slots = excluded.slots, stuck = excluded.stuck,
                   heartbeat_at = excluded.heartbeat_at, expires_at = excluded.expires_at
            """;

    /** Entries that nobody has renewed for long; a scan of a table as small as there are workers. */
    static final String WITHDRAW_EXPIRED = """
            DELETE FROM windrow_workers WHERE expires_at < ?1
            """;

    static final String WITHDRAW = """
            DELETE FROM windrow_workers WHERE name = ?1
            """;

    /** A scan of a table as small as there are workers. */
    static final String WITHDRAW_PROCESS = """
            DELETE FROM windrow_workers WHERE process = ?1
            """;

    /** A scan of a table as small as there are workers. */
    static final String READ_WORKERS = """
            SELECT w.name, w.host, w.pid, w.process, w.version, w.queues, w.types, w.slots, w.started_at,
                   w.heartbeat_at, w.expires_at
              FROM windrow_workers w
             ORDER BY w.started_at, w.name
            """;

    /** Who holds what; reads as many entries of windrow_jobs_lease as are running. */
    static final String READ_HELD = """
            SELECT a.name, j.id FROM windrow_jobs j INDEXED BY windrow_jobs_lease
              JOIN windrow_actors a ON a.id = j.worker
             WHERE j.state = 'RUNNING'
            """;

    // ---- reads --------------------------------------------------------------------------------------------------

    /** The columns of a snapshot, with the progress of its last attempt; by primary key. */
    static final String READ_JOB = """
            SELECT j.id, l.type, l.queue, j.name, j.state, j.priority, j.used, j.max_attempts, j.error_code,
                   j.error_detail, j.created_at, j.scheduled_at, j.started_at, j.finished_at, a.name, j.chain_id,
                   j.chain_index, j.traceparent, j.token, p.at, p.fraction, p.message, j.dedupe_key,
                   j.concurrency_key, j.held, j.workflow_id, j.waiting_for, j.wake_at
              FROM windrow_jobs j
              JOIN windrow_lanes l ON l.id = j.lane
              LEFT JOIN windrow_actors a ON a.id = j.worker
              LEFT JOIN windrow_progress p ON p.job_id = j.id AND p.token = j.token
             WHERE j.id = ?1
            """;

    static final String READ_PAYLOAD = """
            SELECT payload FROM windrow_payloads WHERE job_id = ?1
            """;

    static final String READ_RESULT = """
            SELECT result FROM windrow_results WHERE job_id = ?1
            """;

    static final String READ_TAGS = """
            SELECT tag FROM windrow_tags WHERE job_id = ?1 ORDER BY tag
            """;

    /** In declared order; by primary key. */
    static final String READ_DEPENDS_ON = """
            SELECT e.parent, p.state, e.policy FROM windrow_edges e JOIN windrow_jobs p ON p.id = e.parent
             WHERE e.child = ?1 ORDER BY e.position
            """;

    /** In order of their ids; by windrow_edges_parent and primary key. */
    static final String READ_DEPENDENTS = """
            SELECT e.child, c.state, e.policy FROM windrow_edges e CROSS JOIN windrow_jobs c ON c.id = e.child
             WHERE e.parent = ?1 ORDER BY e.child LIMIT 1000
            """;

    /** How many jobs of workflow ?1 are in which state; by windrow_jobs_workflow. */
    static final String WORKFLOW_STATES = """
            SELECT state, count(*) FROM windrow_jobs WHERE workflow_id = ?1 GROUP BY state
            """;

    /** The state of job ?1, how many parents it has, how many of them it waits for no longer, and how many have not ended well. By primary keys. */
    static final String BATCH = """
            SELECT j.state, count(e.child), total(e.satisfied), total(p.state = 'FAILED' OR p.state = 'CANCELLED')
              FROM windrow_jobs j
              LEFT JOIN windrow_edges e ON e.child = j.id
              LEFT JOIN windrow_jobs p ON p.id = e.parent
             WHERE j.id = ?1
             GROUP BY j.id
            """;

    /** In order of the fence; by primary key. */
    static final String READ_ATTEMPTS = """
            SELECT t.attempt, t.token, a.name, t.outcome, t.error_code, t.error_detail, t.started_at, t.finished_at,
                   (SELECT text FROM windrow_attempt_texts x
                     WHERE x.job_id = t.job_id AND x.token = t.token AND x.kind = 'OUTPUT'),
                   (SELECT text FROM windrow_attempt_texts x
                     WHERE x.job_id = t.job_id AND x.token = t.token AND x.kind = 'STACK_TRACE')
              FROM windrow_attempts t
              JOIN windrow_actors a ON a.id = t.worker
             WHERE t.job_id = ?1 ORDER BY t.token
            """;

    /** In order of their numbers; by primary key. */
    static final String READ_EVENTS = """
            SELECT e.at, e.event, a.name, e.detail FROM windrow_events e JOIN windrow_actors a ON a.id = e.actor
             WHERE e.job_id = ?1 ORDER BY e.seq
            """;

    /** How many attempts of a job have gone; by primary key. */
    static final String ATTEMPTS_LEFT_OUT = """
            SELECT json_extract(detail, '$.attempts') FROM windrow_events WHERE job_id = ?1 AND event = 'TRIMMED'
            """;

    /** In order of their numbers, which begin at 1; by primary key. */
    static final String READ_LOG = """
            SELECT seq, at, level, message FROM windrow_log_lines WHERE job_id = ?1 ORDER BY seq
            """;

    /** How one job stands. By primary key. */
    static final String READ_OUTCOME = """
            SELECT j.id, l.type, j.name, j.state, j.error_code, r.result
              FROM windrow_jobs j
              JOIN windrow_lanes l ON l.id = j.lane
              LEFT JOIN windrow_results r ON r.job_id = j.id
             WHERE j.id = ?1
            """;

    /** How the parents of ?1 stand, in declared order. By the primary keys. */
    static final String READ_PARENTS = """
            SELECT j.id, l.type, j.name, j.state, j.error_code, r.result
              FROM windrow_edges e
              JOIN windrow_jobs j ON j.id = e.parent
              JOIN windrow_lanes l ON l.id = j.lane
              LEFT JOIN windrow_results r ON r.job_id = j.id
             WHERE e.child = ?1 ORDER BY e.position
            """;

    /**
     * The trace contexts that job ?1 and its first 100 parents were settled with last; null: none. By the keys of edges and of
     * attempts' texts.
     */
    static final String READ_ORIGINS = """
            SELECT 'ATTEMPT', ?1,
                   (SELECT x.text FROM windrow_attempt_texts x
                     WHERE x.job_id = ?1 AND x.kind = 'TRACE' ORDER BY x.token DESC LIMIT 1)
             UNION ALL
            SELECT 'PARENT', e.parent,
                   (SELECT x.text FROM windrow_attempt_texts x
                     WHERE x.job_id = e.parent AND x.kind = 'TRACE' ORDER BY x.token DESC LIMIT 1)
              FROM windrow_edges e
             WHERE e.child = ?1 AND e.position < 100
            """;

    /** The newest ?1 entries; from the end of the primary key. */
    static final String READ_AUDIT = """
            SELECT u.id, u.at, u.action, a.name, u.jobs, u.detail
              FROM windrow_audit u JOIN windrow_actors a ON a.id = u.actor
             ORDER BY u.id DESC LIMIT ?1
            """;

    // ---- listings: ids below ?1, newest first, at most ?2; one statement for each way in --------------------------

    /** All jobs; by primary key. */
    static final String LIST_ALL = """
            SELECT id FROM windrow_jobs WHERE id < ?1 ORDER BY id DESC LIMIT ?2
            """;

    /** One lane; by windrow_jobs_lane. */
    static final String LIST_LANE = """
            SELECT id FROM windrow_jobs WHERE lane = ?3 AND id < ?1 ORDER BY id DESC LIMIT ?2
            """;

    /** One tag; by windrow_tags_tag. */
    static final String LIST_TAG = """
            SELECT job_id FROM windrow_tags WHERE tag = ?3 AND job_id < ?1 ORDER BY job_id DESC LIMIT ?2
            """;

    /** One workflow; by windrow_jobs_workflow. */
    static final String LIST_WORKFLOW = """
            SELECT id FROM windrow_jobs WHERE workflow_id = ?3 AND id < ?1 ORDER BY id DESC LIMIT ?2
            """;

    /** By windrow_jobs_failed. */
    static final String LIST_FAILED = """
            SELECT id FROM windrow_jobs WHERE state = 'FAILED' AND id < ?1 ORDER BY id DESC LIMIT ?2
            """;

    /** One error code of failed jobs; by windrow_jobs_failed_code. */
    static final String LIST_FAILED_CODE = """
            SELECT id FROM windrow_jobs WHERE state = 'FAILED' AND error_code = ?3 AND id < ?1
             ORDER BY id DESC LIMIT ?2
            """;

    /** By windrow_jobs_cancelled. */
    static final String LIST_CANCELLED = """
            SELECT id FROM windrow_jobs WHERE state = 'CANCELLED' AND id < ?1 ORDER BY id DESC LIMIT ?2
            """;

    /** By windrow_jobs_blocked. */
    static final String LIST_BLOCKED = """
            SELECT id FROM windrow_jobs WHERE state = 'BLOCKED' AND id < ?1 ORDER BY id DESC LIMIT ?2
            """;

    /** Sorts the entries of windrow_jobs_due, which covers the query. */
    static final String LIST_SCHEDULED = """
            SELECT id FROM windrow_jobs INDEXED BY windrow_jobs_due WHERE state = 'SCHEDULED' AND id < ?1
             ORDER BY id DESC LIMIT ?2
            """;

    /** Sorts the entries of windrow_jobs_claim and windrow_turns_line, which cover the query. */
    static final String LIST_PENDING = """
            SELECT id FROM windrow_jobs INDEXED BY windrow_jobs_claim WHERE state = 'PENDING' AND held = 0 AND id < ?1
             UNION ALL
            SELECT job_id FROM windrow_turns INDEXED BY windrow_turns_line WHERE placed = 0 AND job_id < ?1
             ORDER BY 1 DESC LIMIT ?2
            """;

    /** Sorts the entries of windrow_jobs_lease: as many as are running. */
    static final String LIST_RUNNING = """
            SELECT id FROM windrow_jobs INDEXED BY windrow_jobs_lease WHERE state = 'RUNNING' AND id < ?1
             ORDER BY id DESC LIMIT ?2
            """;

    // ---- statistics ---------------------------------------------------------------------------------------------

    /** Counts of each lane and state: a scan of a table as small as there are lanes. */
    static final String COUNTERS = """
            SELECT l.id, l.queue, l.type, l.paused_at IS NOT NULL, c.state, c.n
              FROM windrow_lanes l
              LEFT JOIN windrow_counters c ON c.lane = l.id
             ORDER BY l.queue, l.type
            """;

    /** The oldest ready job of a lane: one step through windrow_jobs_claim for each priority that is in use. */
    static final String LANE_LAG = """
            WITH RECURSIVE head (priority) AS (
              SELECT max(priority) FROM windrow_jobs WHERE lane = ?1 AND state = 'PENDING' AND held = 0
              UNION ALL
              SELECT (SELECT max(j.priority) FROM windrow_jobs j
                       WHERE j.lane = ?1 AND j.state = 'PENDING' AND j.held = 0 AND j.priority < head.priority)
                FROM head WHERE head.priority IS NOT NULL
            )
            SELECT min((SELECT min(j.scheduled_at) FROM windrow_jobs j
                         WHERE j.lane = ?1 AND j.state = 'PENDING' AND j.held = 0 AND j.priority = head.priority))
              FROM head WHERE head.priority IS NOT NULL
            """;

    /** The running jobs that were claimed first; reads as many entries of windrow_jobs_lease as are running. */
    static final String OLDEST_RUNNING = """
            SELECT j.id, l.type, a.name, coalesce(j.started_at, j.claimed_at), w.heartbeat_at, j.claimed_at
              FROM windrow_jobs j
              JOIN windrow_lanes l ON l.id = j.lane
              JOIN windrow_actors a ON a.id = j.worker
              LEFT JOIN windrow_workers w ON w.name = a.name
             WHERE j.state = 'RUNNING'
             ORDER BY j.claimed_at LIMIT 10
            """;

    /** Retries of each type and attempt: a scan of a table as small as there are lanes and attempts. */
    static final String RETRIES = """
            SELECT l.type, c.attempt, sum(c.n) FROM windrow_retry_counters c CROSS JOIN windrow_lanes l ON l.id = c.lane
             GROUP BY l.type, c.attempt ORDER BY l.type, c.attempt
            """;

    /** The types that live workers handle, at ?1, as JSON arrays. */
    static final String LIVE_TYPES = """
            SELECT types FROM windrow_workers WHERE expires_at > ?1
            """;

    /** The live workers, at ?1, with handlers that do not end: a scan of a table as small as there are workers. */
    static final String STUCK_SLOTS = """
            SELECT name, stuck FROM windrow_workers WHERE expires_at > ?1 AND stuck > 0 ORDER BY name
            """;

    /**
     * Jobs that keep a worker busy: ready ones in the open lanes of ?1, running ones in the lanes of ?2 (JSON arrays). Without those that wait
     * for a key that is paused, or whose places all belong to jobs that do not run and that this worker does not take. By the primary key of the counters; walks what waits for keys.
     */
    static final String UNFINISHED = """
            SELECT coalesce((SELECT sum(c.n) FROM json_each(?1) w
                               CROSS JOIN windrow_lanes l ON l.id = w.value AND l.paused_at IS NULL
                               CROSS JOIN windrow_counters c ON c.lane = l.id AND c.state = 'PENDING'), 0)
                 - (SELECT count(*)
                      FROM windrow_turns t
                     CROSS JOIN windrow_jobs j ON j.id = t.job_id
                     CROSS JOIN windrow_lanes l ON l.id = j.lane AND l.paused_at IS NULL
                     WHERE t.placed = 0 AND l.id IN (SELECT value FROM json_each(?1))
                       AND (EXISTS (SELECT 1 FROM windrow_controls c
                                     WHERE c.kind = 'KEY' AND c.name = t.key AND c.paused_at IS NOT NULL)
                            OR (EXISTS (SELECT 1 FROM windrow_turns p WHERE p.key = t.key AND p.placed = 1)
                                AND NOT EXISTS (SELECT 1 FROM windrow_turns p
                                                 CROSS JOIN windrow_jobs q ON q.id = p.job_id
                                                 CROSS JOIN windrow_lanes m ON m.id = q.lane
                                                 WHERE p.key = t.key AND p.placed = 1
                                                   AND (q.state = 'RUNNING'
                                                        OR (q.state = 'PENDING' AND m.paused_at IS NULL
                                                            AND m.id IN (SELECT value FROM json_each(?1))))))))
                 + coalesce((SELECT sum(c.n) FROM json_each(?2) w
                               CROSS JOIN windrow_counters c ON c.lane = w.value AND c.state = 'RUNNING'), 0)
            """;

    /** Whether a job of the lanes in ?1 is scheduled for a retry; scans windrow_jobs_due until it finds one. */
    static final String RETRY_SCHEDULED = """
            SELECT 1 FROM windrow_jobs INDEXED BY windrow_jobs_due
             WHERE state = 'SCHEDULED' AND used > 0 AND lane IN (SELECT value FROM json_each(?1)) LIMIT 1
            """;

    // ---- diagnosis: each reads all that there is of what it checks, a scan by purpose, and answers what is wrong ----

    /** Whether the pages, the rows and the indexes of the whole file are as SQLite left them; at most 100 findings. */
    static final String CHECK_INTEGRITY = "PRAGMA integrity_check(100)";

    /** The same without comparing each index with its table. */
    static final String CHECK_INTEGRITY_QUICKLY = "PRAGMA quick_check(100)";

    /** Rows that refer to a row that is not there. */
    static final String CHECK_FOREIGN_KEYS = "PRAGMA foreign_key_check";

    static final String JOURNAL_MODE = "PRAGMA journal_mode";

    static final String AUTO_VACUUM = "PRAGMA auto_vacuum";

    static final String PAGE_SIZE = "PRAGMA page_size";

    /**
     * What belongs to a job that is not there, and dedupe keys that nobody gives up any more: those that were held until the
     * start or the end of a job that has started, has ended or is gone. Scans the tables, each job by primary key.
     */
    static final String ORPHANS = """
            SELECT 'payload' AS kind, p.job_id, NULL AS state FROM windrow_payloads p
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = p.job_id)
            UNION ALL
            SELECT 'result', r.job_id, NULL FROM windrow_results r
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = r.job_id)
            UNION ALL
            SELECT 'tag', t.job_id, NULL FROM windrow_tags t
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = t.job_id)
            UNION ALL
            SELECT 'attempt', a.job_id, NULL FROM windrow_attempts a
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = a.job_id)
            UNION ALL
            SELECT 'text of an attempt', x.job_id, NULL FROM windrow_attempt_texts x NOT INDEXED
             WHERE NOT EXISTS (SELECT 1 FROM windrow_attempts a WHERE a.job_id = x.job_id AND a.token = x.token)
            UNION ALL
            SELECT 'event', e.job_id, NULL FROM windrow_events e
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = e.job_id)
            UNION ALL
            SELECT 'edge', d.child, NULL FROM windrow_edges d
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = d.child)
            UNION ALL
            SELECT 'edge to a parent', d.parent, NULL FROM windrow_edges d
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = d.parent)
            UNION ALL
            SELECT 'progress', g.job_id, NULL FROM windrow_progress g
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = g.job_id)
            UNION ALL
            SELECT 'log line', o.job_id, NULL FROM windrow_log_lines o
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = o.job_id)
            UNION ALL
            SELECT 'step', s.job_id, NULL FROM windrow_steps s
             WHERE NOT EXISTS (SELECT 1 FROM windrow_jobs j WHERE j.id = s.job_id)
            UNION ALL
            SELECT 'dedupe key', k.job_id, j.state FROM windrow_dedupe k LEFT JOIN windrow_jobs j ON j.id = k.job_id
             WHERE k.scope IN ('UNTIL_STARTED', 'UNFINISHED')
               AND (coalesce(j.state, 'COMPLETED') IN ('COMPLETED', 'FAILED', 'CANCELLED')
                    OR (k.scope = 'UNTIL_STARTED' AND j.state = 'RUNNING'))
            """;

    /**
     * Blobs that no payload and no result names, or that are not as they say; chunks of no blob; and payloads and results that
     * name a blob that is not there. Staged ones belong to nobody yet. Scans the tables.
     */
    static final String WRONG_BLOBS = """
            SELECT 'blob ' || b.id || ' is the ' || lower(b.kind) || ' of job ' || b.job_id || ', which does not name it'
              FROM windrow_blobs b
             WHERE b.job_id IS NOT NULL
               AND NOT EXISTS (SELECT 1 FROM windrow_payloads p
                                WHERE p.job_id = b.job_id AND b.kind = 'PAYLOAD'
                                  AND p.payload LIKE '{"windrow:blob":' || b.id || ',%')
               AND NOT EXISTS (SELECT 1 FROM windrow_results r
                                WHERE r.job_id = b.job_id AND b.kind = 'RESULT'
                                  AND r.result LIKE '{"windrow:blob":' || b.id || ',%')
            UNION ALL
            SELECT 'blob ' || b.id || ' of job ' || b.job_id || ' has ' || b.held || ' bytes and should have ' || b.bytes
              FROM (SELECT id, job_id, bytes,
                           (SELECT coalesce(sum(length(c.content)), 0) FROM windrow_blob_chunks c WHERE c.blob_id = w.id) AS held
                      FROM windrow_blobs w WHERE w.job_id IS NOT NULL AND w.file IS NULL) b
             WHERE b.held <> b.bytes
            UNION ALL
            SELECT 'chunk ' || c.position || ' is of blob ' || c.blob_id || ', which is not there' FROM windrow_blob_chunks c
             WHERE NOT EXISTS (SELECT 1 FROM windrow_blobs b WHERE b.id = c.blob_id)
            UNION ALL
            SELECT 'the payload of job ' || p.job_id || ' is in a blob, which is not there' FROM windrow_payloads p
             WHERE p.payload LIKE '{"windrow:blob":%'
               AND NOT EXISTS (SELECT 1 FROM windrow_blobs b WHERE b.job_id = p.job_id AND b.kind = 'PAYLOAD')
            UNION ALL
            SELECT 'the result of job ' || r.job_id || ' is in a blob, which is not there' FROM windrow_results r
             WHERE r.result LIKE '{"windrow:blob":%'
               AND NOT EXISTS (SELECT 1 FROM windrow_blobs b WHERE b.job_id = r.job_id AND b.kind = 'RESULT')
            """;

    /**
     * The running jobs whose lease is past at ?1 or ends after ?2, or whose worker has no entry that counts as alive at
     * ?1. Reads as many entries of windrow_jobs_lease as are running.
     */
    static final String DOUBTFUL_LEASES = """
            SELECT j.id, a.name, j.lease_until, w.expires_at
              FROM windrow_jobs j INDEXED BY windrow_jobs_lease
              LEFT JOIN windrow_actors a ON a.id = j.worker
              LEFT JOIN windrow_workers w ON w.name = a.name
             WHERE j.state = 'RUNNING'
               AND (j.lease_until < ?1 OR j.lease_until > ?2 OR coalesce(w.expires_at, 0) <= ?1)
             ORDER BY j.lease_until
            """;

    /** How many workers are alive at ?1, and the longest lease of them and of those whose entries have run out. */
    static final String LIVING = """
            SELECT total(expires_at > ?1), max(expires_at - heartbeat_at) FROM windrow_workers
            """;

    /** How many jobs each lane has in each state. In the order of windrow_jobs_lane, so that nothing is sorted. */
    static final String COUNT_JOBS = """
            SELECT lane, sum(state = 'BLOCKED'), sum(state = 'SCHEDULED'), sum(state = 'PENDING'),
                   sum(state = 'RUNNING'), sum(state = 'COMPLETED'), sum(state = 'FAILED'), sum(state = 'CANCELLED')
              FROM windrow_jobs INDEXED BY windrow_jobs_lane
             GROUP BY lane
            """;

    /**
     * The jobs whose number of open parents is not that of their open edges, or does not fit their state. An ended job
     * keeps its number, so that a retry knows what is open.
     */
    static final String WRONG_OPEN_PARENTS = """
            SELECT * FROM (
                   SELECT j.id, j.state, j.waiting_for, j.open_parents,
                          (SELECT count(*) FROM windrow_edges e WHERE e.child = j.id AND e.satisfied = 0) AS open_edges
                     FROM windrow_jobs j)
             WHERE open_parents <> open_edges
                OR (state = 'BLOCKED' AND waiting_for = 'PARENTS' AND open_parents = 0)
                OR (state IN ('SCHEDULED', 'PENDING', 'RUNNING') AND open_parents <> 0)
            """;

    /**
     * The edges that the end of their parent should have satisfied, those that wait for a success and were satisfied without
     * one, and those over which it should have cancelled a job that waits. (One that runs anyway stays satisfied when its parent is
     * retried.) Not of parents whose children are being dealt with.
     */
    static final String WRONG_EDGES = """
            SELECT e.child, e.parent, p.state, e.policy, e.satisfied
              FROM windrow_edges e
             CROSS JOIN windrow_jobs p ON p.id = e.parent
             WHERE CASE e.satisfied
                   WHEN 0 THEN (p.state = 'COMPLETED' OR (e.policy = 'RUN' AND p.state IN ('FAILED', 'CANCELLED'))
                                OR (e.policy = 'CANCEL' AND p.state IN ('FAILED', 'CANCELLED')
                                    AND EXISTS (SELECT 1 FROM windrow_jobs c WHERE c.id = e.child AND c.state = 'BLOCKED')))
                               AND NOT EXISTS (SELECT 1 FROM windrow_releases r WHERE r.parent = e.parent)
                   ELSE e.policy <> 'RUN' AND p.state <> 'COMPLETED' END
            """;

    /** The parents of which children are left, and that have not ended as it says there. */
    static final String WRONG_RELEASES = """
            SELECT r.parent, r.state, p.state
              FROM windrow_releases r
             CROSS JOIN windrow_jobs p ON p.id = r.parent
             WHERE p.state <> r.state
            """;

    /** The jobs whose state says one thing and whose columns say another. */
    static final String CONTRADICTIONS = """
            SELECT * FROM (
                   SELECT id, state,
                          CASE WHEN state = 'RUNNING' AND worker IS NULL THEN 'has no worker'
                               WHEN state = 'RUNNING' AND lease_until IS NULL THEN 'has no lease'
                               WHEN state = 'RUNNING' AND (token = 0 OR claimed_at IS NULL) THEN 'was never claimed'
                               WHEN state <> 'RUNNING' AND worker IS NOT NULL THEN 'has a worker'
                               WHEN state <> 'RUNNING' AND lease_until IS NOT NULL THEN 'has a lease'
                               WHEN state IN ('COMPLETED', 'FAILED', 'CANCELLED') AND finished_at IS NULL
                               THEN 'has no time of its end'
                               WHEN state NOT IN ('COMPLETED', 'FAILED', 'CANCELLED') AND finished_at IS NOT NULL
                               THEN 'has a time of its end'
                               WHEN state = 'BLOCKED' AND waiting_for IS NULL THEN 'waits for nothing'
                               WHEN state <> 'BLOCKED' AND waiting_for IS NOT NULL THEN 'waits for ' || waiting_for
                               WHEN wake_at IS NOT NULL AND coalesce(waiting_for, '') <> 'EVENT'
                               THEN 'has a time-out and waits for no event'
                               WHEN state = 'BLOCKED' AND wake_state = 'PENDING'
                                    AND NOT EXISTS (SELECT 1 FROM windrow_steps s
                                                     WHERE s.job_id = windrow_jobs.id AND s.kind = 'EVENT' AND s.state = 'WAITING')
                               THEN 'awaits no event that has not come'
                               WHEN used > max_attempts THEN 'has burned more attempts than it has'
                               WHEN dedupe_scope = 'UNFINISHED' AND finished_at IS NULL
                                    AND NOT EXISTS (SELECT 1 FROM windrow_lanes l CROSS JOIN windrow_dedupe k
                                                     WHERE l.id = lane AND k.type = coalesce(dedupe_type, l.type) AND k.key = dedupe_key
                                                       AND k.job_id = windrow_jobs.id)
                               THEN 'does not hold its dedupe key'
                               WHEN held <> EXISTS (SELECT 1 FROM windrow_turns t
                                                     WHERE t.job_id = windrow_jobs.id AND t.placed = 0)
                               THEN 'is held and not in line, or in line and not held'
                               WHEN concurrency_key IS NOT NULL
                                    AND CASE WHEN EXISTS (SELECT 1 FROM windrow_turns t WHERE t.job_id = windrow_jobs.id)
                                             THEN finished_at IS NOT NULL OR (state NOT IN ('PENDING', 'RUNNING') AND concurrency_most IS NOT 0)
                                             ELSE state IN ('PENDING', 'RUNNING') END
                               THEN 'has a place of its concurrency key that it must not have, or has none'
                          END AS finding
                     FROM windrow_jobs)
             WHERE finding IS NOT NULL
            """;

    /** The lanes that do not repeat what is said of their queues and types. */
    static final String DISOBEDIENT_LANES = """
            SELECT l.queue, l.type FROM windrow_lanes l
             WHERE (l.paused_at IS NOT NULL)
                   <> EXISTS (SELECT 1 FROM windrow_controls c
                               WHERE c.paused_at IS NOT NULL
                                 AND c.name = CASE c.kind WHEN 'QUEUE' THEN l.queue WHEN 'TYPE' THEN l.type END)
                OR l.governed
                   <> EXISTS (SELECT 1 FROM windrow_controls c
                               WHERE (c.max_running IS NOT NULL OR c.rate_count IS NOT NULL)
                                 AND c.name = CASE c.kind WHEN 'QUEUE' THEN l.queue WHEN 'TYPE' THEN l.type END)
             ORDER BY l.queue, l.type
            """;

    /** The attempts that ended under a token that their job has not reached, or under which it still runs. */
    static final String WRONG_ATTEMPTS = """
            SELECT t.job_id, t.token, j.state, j.token
              FROM windrow_attempts t CROSS JOIN windrow_jobs j ON j.id = t.job_id
             WHERE t.token > j.token OR (t.token = j.token AND j.state = 'RUNNING')
            """;
}
