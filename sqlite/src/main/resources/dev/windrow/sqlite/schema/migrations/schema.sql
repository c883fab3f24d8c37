-- Times are milliseconds since 1970-01-01 UTC by the clock of the process that wrote them, unless the column's comment names another unit.
-- The views at the end show them readable: SELECT * FROM windrow_job_view;
-- Checks are written with OR: for IN with three values and more, SQLite builds a table of the values each time a
-- statement runs, with which the insert of a job took 1.6 times as long.

-- One row: the allocator of job ids and event numbers, and the last stamp given to a job that runs now.
-- Advanced by the first statement of each write transaction; ids are never reused, gaps are normal.
CREATE TABLE windrow_ids (
  one           INTEGER PRIMARY KEY CHECK (one = 1),
  next          INTEGER NOT NULL,
  last_stamp    INTEGER NOT NULL,
  lanes_deleted INTEGER NOT NULL DEFAULT 0,       -- their number; when it changes, processes read all lanes again
  superseded    INTEGER NOT NULL DEFAULT 0        -- running jobs that were ended externally; when it changes, holders in other processes check if they still hold their jobs
) STRICT;
INSERT INTO windrow_ids (one, next, last_stamp) VALUES (1, 1, 0);

-- Names of workers and operators, so that attempts and events hold a number. Never deleted.
CREATE TABLE windrow_actors (
  id       INTEGER PRIMARY KEY,
  name     TEXT NOT NULL,
  instance TEXT NOT NULL DEFAULT '',              -- distinguishes workers of one name; '': a label
  UNIQUE (name, instance)
) STRICT;

-- A lane is a pair (queue, type). Claims read it. It has a copy of the pause of its queue or its type, and a flag (limited)
-- if a limit or a rate concerns it: then claims read windrow_limits. Retention deletes a lane when nothing uses it, but never
-- the newest one, so that numbers are not used again.
CREATE TABLE windrow_lanes (
  id           INTEGER PRIMARY KEY,
  queue        TEXT NOT NULL,
  type         TEXT NOT NULL,
  paused_at    INTEGER,                           -- NULL: open
  paused_by    INTEGER REFERENCES windrow_actors (id),
  pause_reason TEXT,
  limited     INTEGER NOT NULL DEFAULT 0,
  UNIQUE (queue, type)
) STRICT;
CREATE INDEX windrow_lanes_type ON windrow_lanes (type);

-- A job. Narrow, because it is written at every step of its life; payload, result and history are in other tables.
CREATE TABLE windrow_jobs (
  id                INTEGER PRIMARY KEY,
  lane              INTEGER NOT NULL REFERENCES windrow_lanes (id),
  state             TEXT NOT NULL
                   CHECK (state = 'PENDING' OR state = 'RUNNING' OR state = 'COMPLETED' OR state = 'SCHEDULED'
                       OR state = 'BLOCKED' OR state = 'FAILED' OR state = 'CANCELLED'),
  waits_for_permit  INTEGER NOT NULL DEFAULT 0,   -- 1: is ready, but its key has no free permit
  priority          INTEGER NOT NULL DEFAULT 0,   -- higher first
  scheduled_at      INTEGER NOT NULL,
  token             INTEGER NOT NULL DEFAULT 0,   -- the fence: +1 at every claim and outside settlement, never reset
  used              INTEGER NOT NULL DEFAULT 0,   -- attempts of this run that count
  run               INTEGER NOT NULL DEFAULT 1,   -- +1 at each retry by an operator, which sets used to 0
  max_attempts      INTEGER NOT NULL,
  timeout_ms        INTEGER,                      -- limit of an attempt; NULL: the worker's default
  worker            INTEGER REFERENCES windrow_actors (id), -- while RUNNING the holder; of a COMPLETED job the worker that completed it
  lease_until       INTEGER,                      -- while RUNNING
  claimed_at        INTEGER,                      -- last claim
  started_at        INTEGER,                      -- last start of the handler
  cancel_requested  INTEGER NOT NULL DEFAULT 0,   -- the actor that requested cancellation of a running job; 0: none
  open_parents      INTEGER NOT NULL DEFAULT 0,   -- edges not satisfied
  waiting_for       TEXT CHECK (waiting_for IN ('PARENTS', 'EVENT')), -- while BLOCKED
  wake_at           INTEGER,                      -- time-out of a wait
  wake_state        TEXT,                         -- the state after that: FAILED, or PENDING if it awaits an event
  wait_ms           INTEGER,                      -- of a job that never runs: the length of its wait after the end of its parents
  created_at        INTEGER NOT NULL,
  created_by        INTEGER NOT NULL,             -- an actor, without a foreign key: it would cost each insert a lookup
  finished_at       INTEGER,
  error_code        TEXT,                         -- of the last failed attempt; NULL once COMPLETED
  error_detail      TEXT,
  name              TEXT,
  retry_policy      TEXT,                         -- NULL: the type's
  traceparent       TEXT,
  chain_id          INTEGER,                      -- the first job; NULL: the job itself, unless it begins a declared chain
  chain_index       INTEGER NOT NULL DEFAULT 0,
  workflow_id       INTEGER,                      -- NULL: none; numbered like jobs
  dedupe_key        TEXT,                         -- key and scope as in windrow_dedupe, for statements that end or retry the job
  dedupe_scope      TEXT,
  dedupe_type       TEXT,                         -- NULL: its own; a chain holds its key within the type of its first job
  concurrency_key   TEXT,                         -- jobs that share it do not all run at once
  concurrency_limit INTEGER                       -- how many jobs of the key may run at once; NULL: any number; 0: one after the other, each keeps its permit until it has ended
) STRICT;

-- Claim order. A job enters when PENDING and leaves at the claim, so ended jobs are not in it.
CREATE INDEX windrow_jobs_claim ON windrow_jobs (lane, priority DESC, scheduled_at) WHERE state = 'PENDING' AND waits_for_permit = 0;
-- Promotion of due jobs.
CREATE INDEX windrow_jobs_due ON windrow_jobs (scheduled_at) WHERE state = 'SCHEDULED';
-- Leases that ran out.
CREATE INDEX windrow_jobs_lease ON windrow_jobs (lease_until) WHERE state = 'RUNNING';
-- Unfinished jobs with failed attempts, as a covering index: it has the column of its condition, too.
CREATE INDEX windrow_jobs_retrying ON windrow_jobs (used, lane, finished_at) WHERE used > 0 AND finished_at IS NULL;
-- Rare states, by id for listings and by code for dead letters.
CREATE INDEX windrow_jobs_blocked ON windrow_jobs (id) WHERE state = 'BLOCKED';
CREATE INDEX windrow_jobs_failed ON windrow_jobs (id) WHERE state = 'FAILED';
CREATE INDEX windrow_jobs_failed_code ON windrow_jobs (error_code) WHERE state = 'FAILED';
-- The failures of the last hours by code, as a covering index.
CREATE INDEX windrow_jobs_failed_at ON windrow_jobs (finished_at, error_code) WHERE state = 'FAILED';
CREATE INDEX windrow_jobs_cancelled ON windrow_jobs (id) WHERE state = 'CANCELLED';
-- Listings by type and queue: on an immutable column, paid once at the insert.
CREATE INDEX windrow_jobs_lane ON windrow_jobs (lane);
-- Running jobs with a request to cancel: only they have one. A number and a NULL are compared faster than the text of a state.
CREATE INDEX windrow_jobs_cancel ON windrow_jobs (id) WHERE cancel_requested <> 0;
-- Waits that time out: only blocked jobs have them.
CREATE INDEX windrow_jobs_wake ON windrow_jobs (wake_at) WHERE wake_at IS NOT NULL;
CREATE INDEX windrow_jobs_workflow ON windrow_jobs (workflow_id) WHERE workflow_id IS NOT NULL;
-- Lookup and listing by dedupe key. Only jobs with a key pay.
CREATE INDEX windrow_jobs_dedupe ON windrow_jobs (dedupe_key) WHERE dedupe_key IS NOT NULL;
-- A chain has one job at each place. Declared chains have their first job here as well. Listings of chains step from chain to chain.
CREATE UNIQUE INDEX windrow_jobs_chain ON windrow_jobs (chain_id, chain_index) WHERE chain_id IS NOT NULL;

CREATE TABLE windrow_payloads (
  job_id  INTEGER PRIMARY KEY REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  payload TEXT NOT NULL                           -- JSON
) STRICT;

CREATE TABLE windrow_results (
  job_id INTEGER PRIMARY KEY REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  result TEXT NOT NULL                            -- JSON
) STRICT;

CREATE TABLE windrow_tags (
  job_id INTEGER NOT NULL REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  tag    TEXT NOT NULL,
  PRIMARY KEY (job_id, tag)
) STRICT, WITHOUT ROWID;
CREATE INDEX windrow_tags_tag ON windrow_tags (tag, job_id);

-- Jobs without metadata have no row.
CREATE TABLE windrow_metadata (
  job_id   INTEGER PRIMARY KEY REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  metadata TEXT NOT NULL                          -- a JSON object
) STRICT;

-- One row per attempt, written once, when the attempt has ended. The job's row itself has the running attempt. It also has the one that completed the
-- job, unless that has texts. windrow_attempt_view shows all ended ones.
CREATE TABLE windrow_attempts (
  job_id       INTEGER NOT NULL REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  token        INTEGER NOT NULL,
  attempt      INTEGER NOT NULL,                  -- the number that operators see
  run          INTEGER NOT NULL DEFAULT 1,        -- the job's run to which it belongs
  worker       INTEGER NOT NULL REFERENCES windrow_actors (id),
  claimed_at   INTEGER NOT NULL,
  started_at   INTEGER,                           -- NULL: the handler was never called
  finished_at  INTEGER NOT NULL,
  outcome      TEXT NOT NULL,
  error_code   TEXT,
  error_detail TEXT,
  PRIMARY KEY (job_id, token)
) STRICT, WITHOUT ROWID;

-- Texts of an attempt that are too long for its row. kind: OUTPUT, STACK_TRACE, TRACE.
CREATE TABLE windrow_attempt_texts (
  id     INTEGER PRIMARY KEY,
  job_id INTEGER NOT NULL,
  token  INTEGER NOT NULL,
  kind   TEXT NOT NULL,
  text   TEXT NOT NULL,
  UNIQUE (job_id, token, kind),
  FOREIGN KEY (job_id, token) REFERENCES windrow_attempts (job_id, token) ON DELETE CASCADE
) STRICT;

-- The append-only log, clustered by job. It has only the events that the rows of jobs and attempts do not tell: no CLAIMED, no STARTED, no ENQUEUED
-- without a detail, and no SUCCEEDED by a worker. windrow_event_view shows all of them.
CREATE TABLE windrow_events (
  job_id INTEGER NOT NULL REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  seq    INTEGER NOT NULL,
  at     INTEGER NOT NULL,
  event  TEXT NOT NULL,
  actor  INTEGER NOT NULL REFERENCES windrow_actors (id),
  token  INTEGER NOT NULL,                        -- the attempt it belongs to; 0 before the first claim
  detail TEXT,                                    -- short JSON
  PRIMARY KEY (job_id, seq)
) STRICT, WITHOUT ROWID;

-- child waits for parent. An edge once satisfied never reopens.
CREATE TABLE windrow_edges (
  child     INTEGER NOT NULL REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  position  INTEGER NOT NULL,
  parent    INTEGER NOT NULL REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  policy    TEXT NOT NULL CHECK (policy = 'WAIT' OR policy = 'CANCEL' OR policy = 'RUN'),
  satisfied INTEGER NOT NULL DEFAULT 0,
  chain     INTEGER NOT NULL DEFAULT 0,           -- 1: waits for the end of the chain whose last job so far is the parent
  cancelled INTEGER NOT NULL DEFAULT 0,           -- 1: the end of this parent has cancelled the child, which can be retried with the parent
  PRIMARY KEY (child, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX windrow_edges_parent ON windrow_edges (parent);

-- Parents with more children than one transaction changes: the state in which they ended, or RETRIED with their dependents, and the next child to
-- change. A parent that ends while its dependents are being retried has a row for each.
CREATE TABLE windrow_releases (
  parent INTEGER NOT NULL REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  state  TEXT NOT NULL CHECK (state = 'COMPLETED' OR state = 'FAILED' OR state = 'CANCELLED' OR state = 'RETRIED'),
  after  INTEGER NOT NULL DEFAULT 0,              -- the children below are processed
  actor  INTEGER REFERENCES windrow_actors (id),  -- of a retry
  reason TEXT,                                    -- of a retry, if one was given
  PRIMARY KEY (parent, state),
  CHECK ((state = 'RETRIED') = (actor IS NOT NULL))
) STRICT, WITHOUT ROWID;

-- The holder of a dedupe key, within a type. The job may be deleted while a WINDOW runs or when the scope is ANY.
CREATE TABLE windrow_dedupe (
  type       TEXT NOT NULL,
  key        TEXT NOT NULL,
  job_id     INTEGER NOT NULL,
  scope      TEXT NOT NULL CHECK (scope = 'UNTIL_STARTED' OR scope = 'UNFINISHED' OR scope = 'WINDOW' OR scope = 'ANY'),
  expires_at INTEGER,                             -- end of the window
  PRIMARY KEY (type, key)
) STRICT, WITHOUT ROWID;

-- The number of jobs of each lane in each state, updated in the transactions that change the jobs.
CREATE TABLE windrow_counters (
  lane  INTEGER NOT NULL REFERENCES windrow_lanes (id),
  state TEXT NOT NULL,
  n     INTEGER NOT NULL,
  PRIMARY KEY (lane, state)
) STRICT, WITHOUT ROWID;

-- The number of ended attempts with each number above 1.
CREATE TABLE windrow_retry_counters (
  lane    INTEGER NOT NULL REFERENCES windrow_lanes (id),
  attempt INTEGER NOT NULL,
  n       INTEGER NOT NULL,
  PRIMARY KEY (lane, attempt)
) STRICT, WITHOUT ROWID;

-- Per lane and minute, and per lane and hour: how many attempts ended, and how long jobs waited and ran. The bins are JSON arrays of 24
-- counts; bin i counts times below 2^i milliseconds that no smaller bin counts, the last one all others.
CREATE TABLE windrow_throughput (
  length    INTEGER NOT NULL,                     -- of the period in minutes: 1 or 60
  minute    INTEGER NOT NULL,                     -- its first: minutes since 1970
  lane      INTEGER NOT NULL REFERENCES windrow_lanes (id),
  succeeded INTEGER NOT NULL,
  failed    INTEGER NOT NULL,                     -- attempts, not jobs
  wait_ms   INTEGER NOT NULL,
  run_ms    INTEGER NOT NULL,
  wait_bins TEXT NOT NULL,
  run_bins  TEXT NOT NULL,
  wait_max  INTEGER NOT NULL DEFAULT 0,           -- the longest: no percentile is longer
  run_max   INTEGER NOT NULL DEFAULT 0,
  PRIMARY KEY (length, minute, lane)
) STRICT, WITHOUT ROWID;

-- Whether a lane has sums.
CREATE INDEX windrow_throughput_lane ON windrow_throughput (lane);

-- The live workers.
CREATE TABLE windrow_workers (
  actor        INTEGER PRIMARY KEY REFERENCES windrow_actors (id),
  name         TEXT NOT NULL,                     -- a label: several workers may have it
  host         TEXT NOT NULL,
  pid          INTEGER NOT NULL,
  version      TEXT NOT NULL,
  queues       TEXT NOT NULL,                     -- JSON array
  types        TEXT NOT NULL,                     -- JSON array
  slots        INTEGER NOT NULL,
  started_at   INTEGER NOT NULL,
  heartbeat_at INTEGER NOT NULL,
  expires_at   INTEGER NOT NULL,
  process      TEXT,                              -- identifies the process to others on its machine; NULL: they cannot find out if it exists
  stuck        INTEGER NOT NULL DEFAULT 0,        -- slots whose handler ignores its interrupt
  min_priority INTEGER NOT NULL DEFAULT -32768    -- the lowest priority that it takes
) STRICT;

-- The reported progress of a running job.
CREATE TABLE windrow_progress (
  job_id   INTEGER PRIMARY KEY REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  token    INTEGER NOT NULL,                      -- the attempt that reported it
  at       INTEGER NOT NULL,
  fraction REAL,                                  -- 0 to 1; NULL: not known
  message  TEXT
) STRICT;

-- The lines that handlers have logged, the last ones of each job.
CREATE TABLE windrow_log_lines (
  job_id  INTEGER NOT NULL REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  seq     INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  token   INTEGER NOT NULL,
  level   TEXT NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (job_id, seq)
) STRICT, WITHOUT ROWID;

-- Changes of jobs from outside, or of other things than jobs. The rows are never changed, but for the sum of a pass of retention.
CREATE TABLE windrow_audit (
  id     INTEGER PRIMARY KEY,
  at     INTEGER NOT NULL,
  actor  INTEGER NOT NULL REFERENCES windrow_actors (id),
  action TEXT NOT NULL,
  jobs   INTEGER NOT NULL,                        -- the number of changed jobs
  reason TEXT,
  detail TEXT                                     -- short JSON: which
) STRICT;
CREATE INDEX windrow_audit_at ON windrow_audit (at);
CREATE INDEX windrow_audit_action ON windrow_audit (action, at);
CREATE INDEX windrow_audit_actor ON windrow_audit (actor, at);

-- The first 100 jobs of each change. The jobs may be deleted.
CREATE TABLE windrow_audit_jobs (
  audit_id     INTEGER NOT NULL REFERENCES windrow_audit (id) ON DELETE CASCADE,
  job_id       INTEGER NOT NULL,
  state_before TEXT NOT NULL,
  state_after  TEXT,                              -- NULL: it was deleted
  PRIMARY KEY (audit_id, job_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX windrow_audit_jobs_job ON windrow_audit_jobs (job_id);

-- The pause and limits of a queue, a type or a concurrency key: the pause, the number of jobs at once, and the rate of starts.
CREATE TABLE windrow_limits (
  kind         TEXT NOT NULL CHECK (kind = 'QUEUE' OR kind = 'TYPE' OR kind = 'KEY'),
  name         TEXT NOT NULL,
  paused_at    INTEGER,                           -- NULL: not paused
  paused_by    INTEGER REFERENCES windrow_actors (id),
  pause_reason TEXT,
  max_running  INTEGER,                           -- NULL: no limit
  rate_count   INTEGER,                           -- starts in rate_millis, smoothly; NULL: no limit
  rate_millis  INTEGER,
  rate_burst   INTEGER,                           -- how many may start at once after a pause
  next_start   INTEGER,                           -- when the next start is due by the rate, in microseconds since 1970
  wakes_at     INTEGER,                           -- when a key's rate lets a waiting job start; NULL: none waits for that
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;
CREATE INDEX windrow_limits_wake ON windrow_limits (wakes_at) WHERE wakes_at IS NOT NULL;

-- The jobs with a key that are ready or run, and jobs of keys that run one after the other and continue later. A job with a granted permit may run; the
-- others wait, by priority and position.
CREATE TABLE windrow_permits (
  job_id            INTEGER PRIMARY KEY REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  key               TEXT NOT NULL,
  priority          INTEGER NOT NULL,             -- of the job
  position          INTEGER NOT NULL,             -- grows in the order in which jobs become ready
  concurrency_limit INTEGER,                      -- as concurrency_limit of the job
  granted           INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX windrow_permits_waiting ON windrow_permits (key, priority DESC, position) WHERE granted = 0;
CREATE INDEX windrow_permits_granted ON windrow_permits (key, priority DESC, position) WHERE granted = 1;

-- Payloads and results that are too long for their tables, which name them in the place of the text. A blob without a job is
-- staged: it is written before the job or the result that adopts it. A blob that is not adopted within a day is swept.
CREATE TABLE windrow_blobs (
  id         INTEGER PRIMARY KEY,
  job_id     INTEGER REFERENCES windrow_jobs (id) ON DELETE CASCADE, -- NULL: staged
  kind       TEXT CHECK (kind = 'PAYLOAD' OR kind = 'RESULT'),       -- NULL: staged
  bytes      INTEGER,                             -- NULL: incomplete
  sha256     TEXT,
  file       TEXT,                                -- NULL: its bytes are in its chunks
  created_at INTEGER NOT NULL
) STRICT;
-- The blobs of a job; staged blobs by age.
CREATE INDEX windrow_blobs_job ON windrow_blobs (job_id, created_at);
-- 256 KiB each, but for the last one of a blob.
CREATE TABLE windrow_blob_chunks (
  blob_id  INTEGER NOT NULL REFERENCES windrow_blobs (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,                      -- from 0
  content  BLOB NOT NULL,
  PRIMARY KEY (blob_id, position)
) STRICT;

-- Schedules enqueue jobs at the times of a cron expression in a zone, or at a fixed interval from a start.
CREATE TABLE windrow_schedules (
  id                INTEGER PRIMARY KEY,          -- from the allocator of the ids of jobs: never used again
  name              TEXT NOT NULL UNIQUE,
  queue             TEXT NOT NULL,                -- from here to concurrency_limit: the properties of its jobs
  type              TEXT NOT NULL,
  payload           TEXT,
  job_name          TEXT,
  priority          INTEGER NOT NULL,
  max_attempts      INTEGER NOT NULL,
  timeout_ms        INTEGER,
  retry_policy      TEXT,
  tags              TEXT NOT NULL,                -- JSON array
  metadata          TEXT,                         -- a JSON object
  concurrency_key   TEXT,
  concurrency_limit INTEGER,
  cron              TEXT,
  zone              TEXT,
  every_ms          INTEGER,
  starts_at         INTEGER,                      -- with every_ms: a run is due a whole number of intervals after it
  misfire           TEXT NOT NULL CHECK (misfire = 'SKIP' OR misfire = 'ONCE' OR misfire = 'ALL'),
  overlap           TEXT NOT NULL CHECK (overlap = 'ALLOW' OR overlap = 'SKIP'),
  paused_at         INTEGER,                      -- NULL: not paused
  paused_by         INTEGER REFERENCES windrow_actors (id),
  pause_reason      TEXT,
  next_at           INTEGER,                      -- NULL: paused, or never
  last_at           INTEGER,                      -- the newest due time that was handled
  fired_at          INTEGER,                      -- the clock when next_at was computed
  last_job          INTEGER,                      -- which may be deleted
  revision          INTEGER NOT NULL,             -- + 1 at each change and each run, which name the one that they have read
  created_at        INTEGER NOT NULL,
  created_by        INTEGER NOT NULL REFERENCES windrow_actors (id),
  changed_at        INTEGER NOT NULL,
  CHECK ((cron IS NULL) = (zone IS NULL) AND (cron IS NULL) <> (every_ms IS NULL)
         AND (every_ms IS NULL) = (starts_at IS NULL))
) STRICT;
-- Schedules that are due, and schedules that were handled by a clock that was ahead.
CREATE INDEX windrow_schedules_next ON windrow_schedules (next_at) WHERE paused_at IS NULL;
CREATE INDEX windrow_schedules_fired ON windrow_schedules (fired_at) WHERE paused_at IS NULL;

-- The outcomes of due times. The key is a second guard: for one due time a schedule makes one job.
CREATE TABLE windrow_schedule_runs (
  schedule_id INTEGER NOT NULL REFERENCES windrow_schedules (id) ON DELETE CASCADE,
  due_at      INTEGER NOT NULL,
  until_at    INTEGER NOT NULL,                   -- of due times in a row without a job: the last one
  runs        INTEGER,                            -- their number; NULL: too many to count
  fired_at    INTEGER NOT NULL,
  outcome     TEXT NOT NULL CHECK (outcome = 'ENQUEUED' OR outcome = 'SKIPPED_OVERLAP' OR outcome = 'MISSED'),
  job_id      INTEGER,                            -- which may be deleted
  PRIMARY KEY (schedule_id, due_at)
) STRICT, WITHOUT ROWID;

-- Durable steps, which handlers must not do again; sleeps; and events that jobs await or that were signalled. A job that awaits an event
-- has the wake_state PENDING.
CREATE TABLE windrow_steps (
  job_id      INTEGER NOT NULL REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  position    INTEGER NOT NULL,                   -- from 1, in the order in which they appeared
  token       INTEGER NOT NULL,                   -- of the attempt that began it; 0: signalled before the handler waited
  started_at  INTEGER NOT NULL,
  finished_at INTEGER,
  until_at    INTEGER,                            -- end of the sleep, or of the time for the event
  actor       INTEGER REFERENCES windrow_actors (id), -- the sender of the signal
  name        TEXT NOT NULL,
  kind        TEXT NOT NULL CHECK (kind = 'STEP' OR kind = 'SLEEP' OR kind = 'EVENT'),
  state       TEXT NOT NULL CHECK (state = 'WAITING' OR state = 'DONE' OR state = 'TIMED_OUT'),
  result      TEXT,                               -- JSON, at most 1 MiB
  PRIMARY KEY (job_id, name)
) STRICT;
CREATE UNIQUE INDEX windrow_steps_position ON windrow_steps (job_id, position);

-- How long ended jobs are kept, by state. A rule for a type takes precedence over the rule of the state.
CREATE TABLE windrow_retention (
  state   TEXT NOT NULL CHECK (state = 'COMPLETED' OR state = 'FAILED' OR state = 'CANCELLED'),
  type    TEXT NOT NULL DEFAULT '',               -- '': of any
  keep_ms INTEGER,                                -- NULL: forever
  PRIMARY KEY (state, type)
) STRICT, WITHOUT ROWID;
INSERT INTO windrow_retention (state, keep_ms)
VALUES ('COMPLETED', 30 * 86400000), ('FAILED', 90 * 86400000), ('CANCELLED', 30 * 86400000);
-- Background tasks that one of many processes leads. The leader has the row until until_at, or until it has done the task.
CREATE TABLE windrow_leaders (
  name     TEXT PRIMARY KEY,
  holder   TEXT,                                  -- NULL: no process
  until_at INTEGER,                               -- the end of the lease
  last_at  INTEGER,                               -- the time at which it was last done
  detail   TEXT                                   -- its result: short JSON
) STRICT, WITHOUT ROWID;

-- The error codes of FAILED jobs, their present number, and the times of the first and the last failure; updated in the transactions that move them.
-- '' stands for no code.
CREATE TABLE windrow_failures (
  error_code TEXT PRIMARY KEY,
  n          INTEGER NOT NULL,
  first_at   INTEGER,
  last_at    INTEGER
) STRICT, WITHOUT ROWID;

CREATE VIEW windrow_job_view AS
SELECT j.id, l.queue, l.type, j.state, j.name, j.priority,
       CASE j.state WHEN 'RUNNING' THEN j.used + 1 ELSE j.used END AS attempt, j.run, j.max_attempts,
       a.name AS worker, j.error_code, j.error_detail,
       strftime('%Y-%m-%dT%H:%M:%fZ', j.created_at / 1000.0, 'unixepoch') AS created,
       strftime('%Y-%m-%dT%H:%M:%fZ', j.scheduled_at / 1000.0, 'unixepoch') AS scheduled,
       strftime('%Y-%m-%dT%H:%M:%fZ', j.started_at / 1000.0, 'unixepoch') AS started,
       strftime('%Y-%m-%dT%H:%M:%fZ', j.finished_at / 1000.0, 'unixepoch') AS finished,
       j.started_at - j.scheduled_at AS wait_ms, j.finished_at - j.started_at AS run_ms,
       p.payload, r.result, m.metadata
  FROM windrow_jobs j
  JOIN windrow_lanes l ON l.id = j.lane
  LEFT JOIN windrow_actors a ON a.id = j.worker AND j.state = 'RUNNING'
  LEFT JOIN windrow_payloads p ON p.job_id = j.id
  LEFT JOIN windrow_results r ON r.job_id = j.id
  LEFT JOIN windrow_metadata m ON m.job_id = j.id;

-- All ended attempts.
CREATE VIEW windrow_attempt_view AS
SELECT t.job_id, t.token, t.run, t.attempt, a.name AS worker, t.outcome, t.error_code, t.error_detail,
       strftime('%Y-%m-%dT%H:%M:%fZ', t.claimed_at / 1000.0, 'unixepoch') AS claimed,
       strftime('%Y-%m-%dT%H:%M:%fZ', t.started_at / 1000.0, 'unixepoch') AS started,
       strftime('%Y-%m-%dT%H:%M:%fZ', t.finished_at / 1000.0, 'unixepoch') AS finished,
       t.finished_at - t.started_at AS run_ms
  FROM (SELECT job_id, token, run, attempt, worker, outcome, error_code, error_detail, claimed_at, started_at, finished_at
          FROM windrow_attempts
        UNION ALL
        SELECT j.id, j.token, j.run, j.used, j.worker, 'SUCCEEDED', NULL, NULL, j.claimed_at, j.started_at, j.finished_at
          FROM windrow_jobs j
         WHERE j.state = 'COMPLETED' AND j.worker IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM windrow_attempts t WHERE t.job_id = j.id AND t.token = j.token)) t
  JOIN windrow_actors a ON a.id = t.worker;

-- The events of the log, and the ones that jobs and attempts tell, which have no number.
CREATE VIEW windrow_event_view AS
SELECT e.job_id, e.seq, strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS at,
       e.event, a.name AS actor, e.token, e.detail
  FROM (SELECT job_id, seq, at, event, actor, token, detail FROM windrow_events
        UNION ALL
        SELECT j.id, NULL, j.created_at, 'ENQUEUED', j.created_by, 0, NULL FROM windrow_jobs j
         WHERE NOT EXISTS (SELECT 1 FROM windrow_events e WHERE e.job_id = j.id AND e.event = 'ENQUEUED')
        UNION ALL
        SELECT t.job_id, NULL, t.claimed_at, 'CLAIMED', t.worker, t.token, NULL FROM windrow_attempts t
        UNION ALL
        SELECT t.job_id, NULL, t.started_at, 'STARTED', t.worker, t.token, NULL FROM windrow_attempts t
         WHERE t.started_at IS NOT NULL
        UNION ALL
        SELECT j.id, NULL, j.claimed_at, 'CLAIMED', j.worker, j.token, NULL FROM windrow_jobs j
         WHERE j.worker IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM windrow_attempts t WHERE t.job_id = j.id AND t.token = j.token)
        UNION ALL
        SELECT j.id, NULL, j.started_at, 'STARTED', j.worker, j.token, NULL FROM windrow_jobs j
         WHERE j.worker IS NOT NULL AND j.started_at IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM windrow_attempts t WHERE t.job_id = j.id AND t.token = j.token)
        UNION ALL
        SELECT j.id, NULL, j.finished_at, 'SUCCEEDED', j.worker, j.token, NULL FROM windrow_jobs j
         WHERE j.state = 'COMPLETED' AND j.worker IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM windrow_events e WHERE e.job_id = j.id AND e.event = 'SUCCEEDED')) e
  JOIN windrow_actors a ON a.id = e.actor;
