-- Times are milliseconds since 1970-01-01 UTC by the server's clock. The views at the end show them readable.
-- No foreign keys: a check of the parent for each row would lock it, and cost more than writing the row. The rows of a job are
-- written and deleted with it by single statements, and the diagnosis looks for orphans.

-- Job ids, a block of 100 for each call. Ids are never reused, gaps are normal.
CREATE SEQUENCE windrow_ids INCREMENT BY 100;

-- Names of workers and operators, so that attempts and events hold a number. Never deleted.
CREATE TABLE windrow_actors (
  id       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name     text COLLATE "C" NOT NULL,
  instance text COLLATE "C" NOT NULL DEFAULT '',  -- distinguishes workers of one name; '': a label
  UNIQUE (name, instance)
);

-- A lane is a pair (queue, type). Claims read it. It has a copy of the pause of its queue or its type, and a flag (limited)
-- if a limit or a rate concerns it: then claims read windrow_limits. Retention deletes a lane when nothing uses it.
CREATE TABLE windrow_lanes (
  id           integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  queue        text COLLATE "C" NOT NULL,
  type         text COLLATE "C" NOT NULL,
  paused_at    bigint,                            -- NULL: open
  paused_by    integer,
  pause_reason text,
  used_at      bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, -- written once a day while jobs come
  limited     boolean NOT NULL DEFAULT false,
  UNIQUE (queue, type)
);
CREATE INDEX windrow_lanes_limited ON windrow_lanes (id) WHERE limited;

-- The state of a job. Every step of its life writes a new version of this row, so columns that do not change are in
-- windrow_inputs. A renewal and a start change no column that an index knows, so they are heap-only (HOT) while the page has room.
CREATE TABLE windrow_jobs (
  id                bigint PRIMARY KEY,
  scheduled_at      bigint NOT NULL,
  token             bigint NOT NULL DEFAULT 0,    -- the fence: +1 at every claim and outside settlement, never reset
  lease_until       bigint,                       -- while RUNNING
  claimed_at        bigint,                       -- last claim
  started_at        bigint,                       -- last start of the handler
  finished_at       bigint,
  wake_at           bigint,                       -- time-out of a wait
  wait_ms           bigint,                       -- of a job that never runs: the length of its wait after the end of its parents
  lane              integer NOT NULL,
  priority          integer NOT NULL DEFAULT 0,   -- higher first
  used              integer NOT NULL DEFAULT 0,   -- attempts of this run that count
  run               integer NOT NULL DEFAULT 1,   -- +1 at each retry by an operator, which sets used to 0
  max_attempts      integer NOT NULL,
  worker            integer,                      -- holder while RUNNING
  cancel_requested  integer NOT NULL DEFAULT 0,   -- the actor that requested cancellation of a running job; 0: none
  open_parents      integer NOT NULL DEFAULT 0,   -- edges not satisfied
  waits_for_permit  boolean NOT NULL DEFAULT false, -- is ready, but its key has no free permit
  state             text COLLATE "C" NOT NULL
                   CHECK (state IN ('BLOCKED', 'SCHEDULED', 'PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')),
  waiting_for       text COLLATE "C" CHECK (waiting_for IN ('PARENTS', 'EVENT')), -- while BLOCKED
  error_code        text COLLATE "C",             -- of the last failed attempt; NULL once COMPLETED
  error_detail      text,
  wake_state        text COLLATE "C",             -- the state after wake_at: FAILED, or PENDING if it awaits an event
  concurrency_limit integer,                      -- how many jobs of the key may run at once; NULL: any number; 0: one after the other, each keeps its permit until it has ended
  concurrency_key   text COLLATE "C"              -- jobs that share it do not all run at once
) WITH (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_analyze_scale_factor = 0.2, autovacuum_vacuum_cost_delay = 0
);

-- Claim order. A job enters when PENDING and leaves at the claim, so ended jobs are not in it. All columns ascend, so that a claim can
-- begin behind the entries that it knows to be dead.
CREATE INDEX windrow_jobs_claim ON windrow_jobs (lane, (-priority), scheduled_at, id) WHERE state = 'PENDING' AND NOT waits_for_permit;
-- Promotion of due jobs.
CREATE INDEX windrow_jobs_due ON windrow_jobs (scheduled_at) WHERE state = 'SCHEDULED';
-- Running jobs: leases, requests to cancel, holders. The lease itself is not in it, because each renewal changes it. Jobs of a lane are in the order of
-- their claims, so that limits are counted behind the entries that are known to be dead.
CREATE INDEX windrow_jobs_running ON windrow_jobs (lane, claimed_at) WHERE state = 'RUNNING';
-- Unfinished jobs with failed attempts.
CREATE INDEX windrow_jobs_retrying ON windrow_jobs (used, lane) WHERE used > 0 AND finished_at IS NULL;
-- Rare states, by id for listings and by code for dead letters.
CREATE INDEX windrow_jobs_blocked ON windrow_jobs (id) WHERE state = 'BLOCKED';
CREATE INDEX windrow_jobs_failed ON windrow_jobs (error_code, id) WHERE state = 'FAILED';
CREATE INDEX windrow_jobs_failed_id ON windrow_jobs (id) WHERE state = 'FAILED';
-- The failures of the last hours. The code is not a key column, so that it is never used in place of the index by code.
CREATE INDEX windrow_jobs_failed_at ON windrow_jobs (finished_at) INCLUDE (error_code) WHERE state = 'FAILED';
CREATE INDEX windrow_jobs_cancelled ON windrow_jobs (id) WHERE state = 'CANCELLED';
-- Waits that time out. Only a BLOCKED job has a wake_at. The state is not named, so that the index of all BLOCKED jobs is never
-- used instead.
CREATE INDEX windrow_jobs_wake ON windrow_jobs (wake_at) WHERE wake_at IS NOT NULL;

-- Retention deletes from tables that grow for as long as jobs are kept. With the server's defaults such a table is vacuumed when a fifth of it is dead: here
-- that is days of jobs. The vacuum is twice as fast as the server's default, so that one ends before the next is due.
-- The properties with which a job was enqueued. Written once.
CREATE TABLE windrow_inputs (
  job_id       bigint PRIMARY KEY,
  created_at   bigint NOT NULL,
  timeout_ms   bigint,                            -- limit of an attempt; NULL: the worker's default
  chain_id     bigint,                            -- the first job; NULL: the job itself, unless it begins a declared chain
  lane         integer NOT NULL,
  chain_index  integer NOT NULL DEFAULT 0,
  name         text,
  retry_policy text,                              -- NULL: the type's
  traceparent  text,
  payload      text,                              -- JSON; text, because jsonb sorts keys and refuses \u0000
  dedupe_key   text COLLATE "C",                  -- key and scope as in windrow_dedupe, for statements that end or retry the job
  dedupe_scope text COLLATE "C",
  workflow_id  bigint,                            -- NULL: none; numbered like jobs
  dedupe_type  text COLLATE "C"                   -- NULL: its own; a chain holds its key within the type of its first job
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);
-- Listings by type and queue.
CREATE INDEX windrow_inputs_lane ON windrow_inputs (lane, job_id);
CREATE INDEX windrow_inputs_workflow ON windrow_inputs (workflow_id, job_id) WHERE workflow_id IS NOT NULL;
-- Lookup and listing by dedupe key. Only jobs with a key pay.
CREATE INDEX windrow_inputs_dedupe ON windrow_inputs (dedupe_key, job_id) WHERE dedupe_key IS NOT NULL;
-- A chain has one job at each place. Declared chains have their first job here as well. Listings of chains step from chain to chain.
CREATE UNIQUE INDEX windrow_inputs_chain ON windrow_inputs (chain_id, chain_index) WHERE chain_id IS NOT NULL;

CREATE TABLE windrow_results (
  job_id bigint PRIMARY KEY,
  result text NOT NULL                            -- JSON
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);

CREATE TABLE windrow_tags (
  job_id bigint NOT NULL,
  tag    text COLLATE "C" NOT NULL,
  PRIMARY KEY (job_id, tag)
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);
CREATE INDEX windrow_tags_tag ON windrow_tags (tag, job_id);

-- Jobs without metadata have no row.
CREATE TABLE windrow_metadata (
  job_id   bigint PRIMARY KEY,
  metadata text NOT NULL                          -- a JSON object; text, because jsonb sorts keys and refuses \u0000
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);

-- One row per attempt, written once, when the attempt has ended. The running attempt is in windrow_jobs.
CREATE TABLE windrow_attempts (
  job_id       bigint NOT NULL,
  token        bigint NOT NULL,
  started_at   bigint,                            -- NULL: the handler was never called
  finished_at  bigint NOT NULL,
  attempt      integer NOT NULL,                  -- the number that operators see
  run          integer NOT NULL DEFAULT 1,        -- the job's run to which it belongs
  worker       integer NOT NULL,
  outcome      text COLLATE "C" NOT NULL,
  error_code   text COLLATE "C",
  error_detail text,
  PRIMARY KEY (job_id, token)
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);

-- Texts of an attempt that are too long for its row. kind: OUTPUT, STACK_TRACE, TRACE.
CREATE TABLE windrow_attempt_texts (
  job_id bigint NOT NULL,
  token  bigint NOT NULL,
  kind   text COLLATE "C" NOT NULL,
  text   text NOT NULL,
  PRIMARY KEY (job_id, token, kind)
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);

-- The append-only log.
CREATE TABLE windrow_events (
  job_id bigint NOT NULL,
  seq    bigint GENERATED ALWAYS AS IDENTITY,     -- grows within a job
  at     bigint NOT NULL,
  token  bigint NOT NULL,                         -- the attempt it belongs to; 0 before the first claim
  actor  integer NOT NULL,
  event  text COLLATE "C" NOT NULL,
  detail text,                                    -- short JSON
  PRIMARY KEY (job_id, seq)
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);

-- child waits for parent. An edge once satisfied never reopens.
CREATE TABLE windrow_edges (
  child     bigint NOT NULL,
  parent    bigint NOT NULL,
  position  integer NOT NULL,
  policy    text COLLATE "C" NOT NULL CHECK (policy IN ('WAIT', 'CANCEL', 'RUN')),
  satisfied boolean NOT NULL DEFAULT false,
  chain     boolean NOT NULL DEFAULT false,       -- waits for the end of the chain whose last job so far is the parent
  cancelled boolean NOT NULL DEFAULT false,       -- the end of this parent has cancelled the child, which can be retried with the parent
  PRIMARY KEY (child, position)
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);
-- The children of a parent in their order: large numbers are changed in batches.
CREATE INDEX windrow_edges_parent ON windrow_edges (parent, child);

-- Parents with more children than one transaction changes: the state in which they ended, or RETRIED with their dependents, and the next child to
-- change. A parent that ends while its dependents are being retried has a row for each.
CREATE TABLE windrow_releases (
  parent bigint NOT NULL,
  after  bigint NOT NULL DEFAULT 0,               -- the children below are processed
  actor  integer,                                 -- of a retry
  state  text COLLATE "C" NOT NULL CHECK (state IN ('COMPLETED', 'FAILED', 'CANCELLED', 'RETRIED')),
  reason text,                                    -- of a retry, if one was given
  PRIMARY KEY (parent, state),
  CHECK ((state = 'RETRIED') = (actor IS NOT NULL))
) WITH (fillfactor = 50);

-- The holder of a dedupe key, within a type. The job may be deleted while a WINDOW runs or when the scope is ANY.
CREATE TABLE windrow_dedupe (
  type       text COLLATE "C" NOT NULL,
  key        text COLLATE "C" NOT NULL,
  job_id     bigint NOT NULL,
  expires_at bigint,                              -- end of the window
  scope      text COLLATE "C" NOT NULL CHECK (scope IN ('UNTIL_STARTED', 'UNFINISHED', 'WINDOW', 'ANY')),
  PRIMARY KEY (type, key)
) WITH (fillfactor = 70);

-- The number of jobs of each lane in each state, and of ended attempts with each number above 1: compacted counts, and the counts that
-- later transactions have added. A transaction only inserts the latter, so that none waits for another.
CREATE TABLE windrow_counters (
  lane  integer NOT NULL,
  state text COLLATE "C" NOT NULL,
  n     bigint NOT NULL,
  PRIMARY KEY (lane, state)
) WITH (fillfactor = 50);

CREATE TABLE windrow_retry_counters (
  lane    integer NOT NULL,
  attempt integer NOT NULL,
  n       bigint NOT NULL,
  PRIMARY KEY (lane, attempt)
) WITH (fillfactor = 50);

CREATE TABLE windrow_counter_deltas (
  lane    integer NOT NULL,
  attempt integer,                                -- NULL: a state is counted
  n       bigint NOT NULL,
  state   text COLLATE "C"                        -- NULL: an attempt is counted
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);

-- With it, rows without a key can be deleted even if a publication is FOR ALL TABLES.
ALTER TABLE windrow_counter_deltas REPLICA IDENTITY FULL;

-- Per lane and minute, and per lane and hour: how many attempts ended, and how long jobs waited and ran. Bin i counts times below 2^i
-- milliseconds that no smaller bin counts, the last one all others.
CREATE TABLE windrow_throughput (
  minute    bigint NOT NULL,                      -- the first of the period: minutes since 1970
  succeeded bigint NOT NULL,
  failed    bigint NOT NULL,                      -- attempts, not jobs
  wait_ms   bigint NOT NULL,
  run_ms    bigint NOT NULL,
  length    integer NOT NULL,                     -- of the period in minutes: 1 or 60
  lane      integer NOT NULL,
  wait_bins bigint[] NOT NULL,
  run_bins  bigint[] NOT NULL,
  wait_max  bigint NOT NULL DEFAULT 0,            -- the longest: no percentile is longer
  run_max   bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (length, minute, lane)
) WITH (fillfactor = 50);

-- The live workers.
CREATE TABLE windrow_workers (
  actor        integer PRIMARY KEY,
  name         text COLLATE "C" NOT NULL,         -- a label: several workers may have it
  host         text NOT NULL,
  pid          bigint NOT NULL,
  process      text COLLATE "C",                  -- identifies the process to others on its host; NULL: they cannot find out if it exists
  version      text NOT NULL,
  queues       text[] NOT NULL,
  types        text[] NOT NULL,
  slots        integer NOT NULL,
  stuck        integer NOT NULL DEFAULT 0,        -- slots whose handler ignores its interrupt
  started_at   bigint NOT NULL,
  heartbeat_at bigint NOT NULL,
  expires_at   bigint NOT NULL,
  min_priority integer NOT NULL DEFAULT -32768    -- the lowest priority that it takes
) WITH (fillfactor = 50);

-- The reported progress of a running job.
CREATE TABLE windrow_progress (
  job_id   bigint PRIMARY KEY,
  token    bigint NOT NULL,                       -- the attempt that reported it
  at       bigint NOT NULL,
  fraction double precision,                      -- 0 to 1; NULL: not known
  message  text
) WITH (fillfactor = 70);

-- The lines that handlers have logged, the last ones of each job.
CREATE TABLE windrow_log_lines (
  job_id  bigint NOT NULL,
  seq     bigint NOT NULL,
  at      bigint NOT NULL,
  token   bigint NOT NULL,
  level   text COLLATE "C" NOT NULL,
  message text NOT NULL,
  PRIMARY KEY (job_id, seq)
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);

-- Changes of jobs from outside, or of other things than jobs. The rows are never changed, but for the sum of a pass of retention.
CREATE TABLE windrow_audit (
  id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at     bigint NOT NULL,
  jobs   bigint NOT NULL,                         -- the number of changed jobs
  actor  integer NOT NULL,
  action text COLLATE "C" NOT NULL,
  reason text,
  detail text                                     -- short JSON: which
);
CREATE INDEX windrow_audit_at ON windrow_audit (at, id);
CREATE INDEX windrow_audit_action ON windrow_audit (action, at, id);
CREATE INDEX windrow_audit_actor ON windrow_audit (actor, at, id);

-- The first 100 jobs of each change. The jobs may be deleted.
CREATE TABLE windrow_audit_jobs (
  audit_id     bigint NOT NULL,
  job_id       bigint NOT NULL,
  state_before text COLLATE "C" NOT NULL,
  state_after  text COLLATE "C",                  -- NULL: it was deleted
  PRIMARY KEY (audit_id, job_id)
);
CREATE INDEX windrow_audit_jobs_job ON windrow_audit_jobs (job_id, audit_id);

-- The pause and limits of a queue, a type or a concurrency key: the pause, the number of jobs at once, and the rate of starts.
CREATE TABLE windrow_limits (
  kind         text COLLATE "C" NOT NULL CHECK (kind IN ('QUEUE', 'TYPE', 'KEY')),
  name         text COLLATE "C" NOT NULL,
  paused_at    bigint,                            -- NULL: not paused
  paused_by    integer,
  pause_reason text,
  max_running  integer,                           -- NULL: no limit
  rate_count   integer,                           -- starts in rate_millis, smoothly; NULL: no limit
  rate_millis  bigint,
  rate_burst   integer,                           -- how many may start at once after a pause
  next_start   bigint,                            -- when the next start is due by the rate, in microseconds since 1970
  running_since bigint,                           -- no job of a limited queue or type runs that was claimed before; NULL: not known
  wakes_at     bigint,                            -- when a key's rate lets a waiting job start; NULL: none waits for that
  PRIMARY KEY (kind, name)
) WITH (fillfactor = 50);
CREATE INDEX windrow_limits_wake ON windrow_limits (wakes_at) WHERE wakes_at IS NOT NULL;

-- The jobs with a key that are ready or run, and jobs of keys that run one after the other and continue later. A job with a granted permit may run; the
-- others wait, by priority and position.
CREATE SEQUENCE windrow_permit_numbers INCREMENT BY 1000000;
CREATE TABLE windrow_permits (
  job_id            bigint PRIMARY KEY,
  position          bigint NOT NULL,              -- grows in the order in which jobs become ready
  priority          integer NOT NULL,             -- of the job
  concurrency_limit integer,                      -- as concurrency_limit of the job
  granted           boolean NOT NULL DEFAULT false,
  key               text COLLATE "C" NOT NULL
) WITH (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0
);
CREATE INDEX windrow_permits_waiting ON windrow_permits (key, (-priority), position) WHERE NOT granted;
CREATE INDEX windrow_permits_granted ON windrow_permits (key, (-priority), position) WHERE granted;

-- Payloads and results that are too long for their tables, which name them in the place of the text. A blob without a job is
-- staged: it is written before the job or the result that adopts it. A blob that is not adopted within a day is swept.
CREATE TABLE windrow_blobs (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id     bigint,                              -- NULL: staged
  bytes      bigint,                              -- NULL: incomplete
  created_at bigint NOT NULL,
  kind       text COLLATE "C" CHECK (kind IN ('PAYLOAD', 'RESULT')), -- NULL: staged
  sha256     text COLLATE "C",
  file       text COLLATE "C"                     -- NULL: its bytes are in its chunks
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);
-- The blobs of a job.
CREATE INDEX windrow_blobs_job ON windrow_blobs (job_id) WHERE job_id IS NOT NULL;
-- Staged blobs by age.
CREATE INDEX windrow_blobs_staged ON windrow_blobs (created_at) WHERE job_id IS NULL;
-- 256 KiB each, but for the last one of a blob.
CREATE TABLE windrow_blob_chunks (
  blob_id  bigint NOT NULL,
  position integer NOT NULL,                      -- from 0
  content  bytea NOT NULL,
  PRIMARY KEY (blob_id, position)
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);

-- Schedules enqueue jobs at the times of a cron expression in a zone, or at a fixed interval from a start.
CREATE TABLE windrow_schedules (
  id                bigint PRIMARY KEY,           -- from the allocator of the ids of jobs: never used again
  next_at           bigint,                       -- NULL: paused, or never
  last_at           bigint,                       -- the newest due time that was handled
  fired_at          bigint,                       -- the clock when next_at was computed
  last_job          bigint,                       -- which may be deleted
  revision          bigint NOT NULL DEFAULT 1,    -- + 1 at each change and each run, which name the one that they have read
  timeout_ms        bigint,
  every_ms          bigint,
  starts_at         bigint,                       -- with every_ms: a run is due a whole number of intervals after it
  paused_at         bigint,                       -- NULL: not paused
  created_at        bigint NOT NULL,
  changed_at        bigint NOT NULL,
  created_by        integer NOT NULL,
  paused_by         integer,
  priority          integer NOT NULL,
  max_attempts      integer NOT NULL,
  concurrency_limit integer,
  name              text COLLATE "C" NOT NULL UNIQUE,
  queue             text COLLATE "C" NOT NULL,    -- queue, type, payload, job_name, priority, max_attempts, timeout_ms,
  type              text COLLATE "C" NOT NULL,    -- retry_policy, tags, metadata, concurrency_key and concurrency_limit: the properties of its jobs
  payload           text,
  job_name          text,
  retry_policy      text,
  tags              text NOT NULL,                -- JSON array
  metadata          text,                         -- a JSON object
  concurrency_key   text COLLATE "C",
  cron              text,
  zone              text,
  misfire           text COLLATE "C" NOT NULL CHECK (misfire IN ('SKIP', 'ONCE', 'ALL')),
  overlap           text COLLATE "C" NOT NULL CHECK (overlap IN ('ALLOW', 'SKIP')),
  pause_reason      text,
  CHECK ((cron IS NULL) = (zone IS NULL) AND (cron IS NULL) <> (every_ms IS NULL)
         AND (every_ms IS NULL) = (starts_at IS NULL))
) WITH (fillfactor = 70);
-- Schedules that are due, and schedules that were handled by a clock that was ahead.
CREATE INDEX windrow_schedules_next ON windrow_schedules (next_at, id) WHERE paused_at IS NULL;
CREATE INDEX windrow_schedules_fired ON windrow_schedules (fired_at) WHERE paused_at IS NULL;

-- The outcomes of due times. The key is a second guard: for one due time a schedule makes one job.
CREATE TABLE windrow_schedule_runs (
  schedule_id bigint NOT NULL,
  due_at      bigint NOT NULL,
  until_at    bigint NOT NULL,                    -- of due times in a row without a job: the last one
  runs        bigint,                             -- their number; NULL: too many to count
  fired_at    bigint NOT NULL,
  job_id      bigint,                             -- which may be deleted
  outcome     text COLLATE "C" NOT NULL CHECK (outcome IN ('ENQUEUED', 'SKIPPED_OVERLAP', 'MISSED')),
  PRIMARY KEY (schedule_id, due_at)
);

-- Durable steps, which handlers must not do again; sleeps; and events that jobs await or that were signalled. A job that awaits an event
-- has the wake_state PENDING.
CREATE TABLE windrow_steps (
  job_id      bigint NOT NULL,
  token       bigint NOT NULL,                    -- of the attempt that began it; 0: signalled before the handler waited
  started_at  bigint NOT NULL,
  finished_at bigint,
  until_at    bigint,                             -- end of the sleep, or of the time for the event
  position    integer NOT NULL,                   -- from 1, in the order in which they appeared
  actor       integer,                            -- the sender of the signal
  name        text COLLATE "C" NOT NULL,
  kind        text COLLATE "C" NOT NULL CHECK (kind IN ('STEP', 'SLEEP', 'EVENT')),
  state       text COLLATE "C" NOT NULL CHECK (state IN ('WAITING', 'DONE', 'TIMED_OUT')),
  result      text,                               -- JSON, at most 1 MiB
  PRIMARY KEY (job_id, name)
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);
-- With the sum, its first expression differs from the primary key's, so that a search by name never uses this index instead.
CREATE UNIQUE INDEX windrow_steps_position ON windrow_steps ((job_id + 0), position);

-- How long ended jobs are kept, by state. A rule for a type takes precedence over the rule of the state.
CREATE TABLE windrow_retention (
  keep_ms bigint,                                 -- NULL: forever
  state   text COLLATE "C" NOT NULL CHECK (state IN ('COMPLETED', 'FAILED', 'CANCELLED')),
  type    text COLLATE "C" NOT NULL DEFAULT '',   -- '': of any
  PRIMARY KEY (state, type)
);
INSERT INTO windrow_retention (state, keep_ms)
VALUES ('COMPLETED', 30 * 86400000::bigint), ('FAILED', 90 * 86400000::bigint), ('CANCELLED', 30 * 86400000::bigint);
-- Background tasks that one of many processes leads. The leader has the row until until_at, or until it has done the task.
CREATE TABLE windrow_leaders (
  until_at bigint,                                -- the end of the lease
  last_at  bigint,                                -- the time at which it was last done
  name     text COLLATE "C" PRIMARY KEY,
  holder   text COLLATE "C",                      -- NULL: no process
  detail   text                                   -- its result: short JSON
) WITH (fillfactor = 50);

-- The error codes of FAILED jobs, their present number, and the times of the first and the last failure: compacted sums, and the changes that later
-- transactions have added. '' stands for no code.
CREATE TABLE windrow_failures (
  error_code text COLLATE "C" PRIMARY KEY,
  n          bigint NOT NULL,
  first_at   bigint,
  last_at    bigint
) WITH (fillfactor = 50);
CREATE TABLE windrow_failure_deltas (
  n          bigint NOT NULL,
  first_at   bigint,                              -- NULL: no job has failed
  last_at    bigint,
  error_code text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE windrow_failure_deltas REPLICA IDENTITY FULL;

CREATE VIEW windrow_job_view AS
SELECT j.id, l.queue, l.type, j.state, i.name, j.priority,
       CASE j.state WHEN 'RUNNING' THEN j.used + 1 ELSE j.used END AS attempt, j.run, j.max_attempts,
       a.name AS worker, j.error_code, j.error_detail,
       to_timestamp(i.created_at / 1000.0) AS created, to_timestamp(j.scheduled_at / 1000.0) AS scheduled,
       to_timestamp(j.started_at / 1000.0) AS started, to_timestamp(j.finished_at / 1000.0) AS finished,
       j.started_at - j.scheduled_at AS wait_ms, j.finished_at - j.started_at AS run_ms,
       i.payload, r.result, m.metadata
  FROM windrow_jobs j
  JOIN windrow_inputs i ON i.job_id = j.id
  JOIN windrow_lanes l ON l.id = j.lane
  LEFT JOIN windrow_actors a ON a.id = j.worker
  LEFT JOIN windrow_results r ON r.job_id = j.id
  LEFT JOIN windrow_metadata m ON m.job_id = j.id;

CREATE VIEW windrow_attempt_view AS
SELECT t.job_id, t.token, t.run, t.attempt, a.name AS worker, t.outcome, t.error_code, t.error_detail,
       to_timestamp(t.started_at / 1000.0) AS started, to_timestamp(t.finished_at / 1000.0) AS finished,
       t.finished_at - t.started_at AS run_ms
  FROM windrow_attempts t
  JOIN windrow_actors a ON a.id = t.worker;

CREATE VIEW windrow_event_view AS
SELECT e.job_id, e.seq, to_timestamp(e.at / 1000.0) AS at, e.event, a.name AS actor, e.token, e.detail
  FROM windrow_events e
  JOIN windrow_actors a ON a.id = e.actor;
