-- Times are milliseconds since 1970-01-01 UTC by the server's clock. The views at the end show them readable.
-- No foreign keys: a check of the parent for each row would lock it, and cost more than writing the row. What belongs to a job is
-- written and deleted with it by single statements, and the diagnosis looks for orphans.

-- Job ids, a block of 100 for each call. Ids are never reused, gaps are normal.
CREATE SEQUENCE windrow_ids INCREMENT BY 100;

-- Names of workers and operators, so that attempts and events hold a number. Never deleted.
CREATE TABLE windrow_actors (
  id       integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  name     text COLLATE "C" NOT NULL,
  instance text COLLATE "C" NOT NULL DEFAULT '',  -- tells workers of one name apart; '': a label
  UNIQUE (name, instance)
);

-- A lane is a (queue, type): what a claim looks at. It repeats what a claim asks for: whether one is paused, by its queue or its type, and
-- whether a limit or a rate concerns it (limited): then a claim looks at the controls. Retention deletes a lane when nothing uses it.
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

-- Where a job stands. Every step of its life writes a new version of this row, so it holds nothing that does not change: that is in
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
  wait_ms           bigint,                       -- of a job that never runs: how long it waits from the end of its parents on
  lane              integer NOT NULL,
  priority          integer NOT NULL DEFAULT 0,   -- higher first
  used              integer NOT NULL DEFAULT 0,   -- attempts that count
  max_attempts      integer NOT NULL,
  worker            integer,                      -- holder while RUNNING
  cancel_requested  integer NOT NULL DEFAULT 0,   -- the actor who wants a running job cancelled; 0: nobody
  open_parents      integer NOT NULL DEFAULT 0,   -- edges not satisfied
  waits_for_permit  boolean NOT NULL DEFAULT false, -- is ready, but its key has no free permit
  state             text COLLATE "C" NOT NULL
                   CHECK (state IN ('BLOCKED', 'SCHEDULED', 'PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')),
  waiting_for       text COLLATE "C" CHECK (waiting_for IN ('PARENTS', 'EVENT')), -- while BLOCKED
  error_code        text COLLATE "C",             -- of the last failed attempt; NULL once COMPLETED
  error_detail      text,
  wake_state        text COLLATE "C",             -- what it becomes at wake_at: FAILED, or PENDING if it awaits an event
  concurrency_limit integer,                      -- how many of the key may run; NULL: any number; 0: one after the other, its permit kept until it has ended
  concurrency_key   text COLLATE "C"              -- jobs that share it do not all run at once
) WITH (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_analyze_scale_factor = 0.2, autovacuum_vacuum_cost_delay = 0
);

-- Claim order. Enters when PENDING, leaves at the claim: finished rows never burden it. All columns ascend, so that a claim can
-- begin behind the entries that it knows to be dead.
CREATE INDEX windrow_jobs_claim ON windrow_jobs (lane, (-priority), scheduled_at, id) WHERE state = 'PENDING' AND NOT waits_for_permit;
-- Promotion of due jobs.
CREATE INDEX windrow_jobs_due ON windrow_jobs (scheduled_at) WHERE state = 'SCHEDULED';
-- What runs: leases, requests to cancel, who holds what. Never by the lease itself, which each renewal changes. A lane's by the time of the claim, so that
-- limits are counted behind the entries that are known to be dead.
CREATE INDEX windrow_jobs_running ON windrow_jobs (lane, claimed_at) WHERE state = 'RUNNING';
-- Rare states, by id for listings and by code for dead letters.
CREATE INDEX windrow_jobs_blocked ON windrow_jobs (id) WHERE state = 'BLOCKED';
CREATE INDEX windrow_jobs_failed ON windrow_jobs (error_code, id) WHERE state = 'FAILED';
CREATE INDEX windrow_jobs_failed_id ON windrow_jobs (id) WHERE state = 'FAILED';
CREATE INDEX windrow_jobs_cancelled ON windrow_jobs (id) WHERE state = 'CANCELLED';
-- Waits that run out of time. Only a BLOCKED job has a wake_at. The state is not named, so that the index of all that are BLOCKED is never
-- taken instead.
CREATE INDEX windrow_jobs_wake ON windrow_jobs (wake_at) WHERE wake_at IS NOT NULL;

-- What retention deletes stands in tables that grow for as long as jobs are kept. The server's defaults vacuum such a table when a fifth of it is dead: here
-- that is days of jobs. Twice as fast as by default, so that one vacuum ends before the next is due.
-- What a job was enqueued with. Written once.
CREATE TABLE windrow_inputs (
  job_id       bigint PRIMARY KEY,
  created_at   bigint NOT NULL,
  timeout_ms   bigint,                            -- limit of an attempt; NULL: the worker's default
  chain_id     bigint,                            -- NULL: a chain of one, its id is the job's
  lane         integer NOT NULL,
  chain_index  integer NOT NULL DEFAULT 0,
  name         text,
  retry_policy text,                              -- NULL: the type's
  traceparent  text,
  payload      text,                              -- JSON; text, because jsonb sorts keys and refuses \u0000
  dedupe_key   text COLLATE "C",                  -- key and scope as in windrow_dedupe, for what ends or retries the job
  dedupe_scope text COLLATE "C",
  workflow_id  bigint,                            -- NULL: none; numbered like jobs
  dedupe_type  text COLLATE "C"                   -- NULL: its own; a chain holds its key within the type of its first job
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);
-- Listings by type and queue.
CREATE INDEX windrow_inputs_lane ON windrow_inputs (lane, job_id);
CREATE INDEX windrow_inputs_workflow ON windrow_inputs (workflow_id, job_id) WHERE workflow_id IS NOT NULL;
-- A chain has one job at each place.
CREATE UNIQUE INDEX windrow_inputs_chain ON windrow_inputs (chain_id, chain_index) WHERE chain_index > 0;

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

-- One row per attempt, written once, when the attempt has ended. The running attempt lives in windrow_jobs.
CREATE TABLE windrow_attempts (
  job_id       bigint NOT NULL,
  token        bigint NOT NULL,
  started_at   bigint,                            -- NULL: the handler was never called
  finished_at  bigint NOT NULL,
  attempt      integer NOT NULL,                  -- the number that people see
  worker       integer NOT NULL,
  outcome      text COLLATE "C" NOT NULL,
  error_code   text COLLATE "C",
  error_detail text,
  PRIMARY KEY (job_id, token)
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);

-- What an attempt left behind that is too long for its row. kind: OUTPUT, STACK_TRACE.
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
  cancelled boolean NOT NULL DEFAULT false,       -- the end of this parent has cancelled the child, which can come back with it
  PRIMARY KEY (child, position)
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);
-- The children of a parent in their order: many are dealt with part by part.
CREATE INDEX windrow_edges_parent ON windrow_edges (parent, child);

-- Parents with more children than one transaction deals with: how they ended, or that they were retried with their dependents, and where to go
-- on. A parent that ends while its dependents come back has a row of each.
CREATE TABLE windrow_releases (
  parent bigint NOT NULL,
  after  bigint NOT NULL DEFAULT 0,               -- the children below are done
  actor  integer,                                 -- of a retry
  state  text COLLATE "C" NOT NULL CHECK (state IN ('COMPLETED', 'FAILED', 'CANCELLED', 'RETRIED')),
  PRIMARY KEY (parent, state),
  CHECK ((state = 'RETRIED') = (actor IS NOT NULL))
) WITH (fillfactor = 50);

-- Who holds a dedupe key, within a type. The job may be gone while a WINDOW runs or when the scope is ANY.
CREATE TABLE windrow_dedupe (
  type       text COLLATE "C" NOT NULL,
  key        text COLLATE "C" NOT NULL,
  job_id     bigint NOT NULL,
  expires_at bigint,                              -- end of the window
  scope      text COLLATE "C" NOT NULL CHECK (scope IN ('UNTIL_STARTED', 'UNFINISHED', 'WINDOW', 'ANY')),
  PRIMARY KEY (type, key)
) WITH (fillfactor = 70);

-- How many jobs each lane has in each state, and how many attempts of each number above 1 have ended: what was compacted, and what the
-- transactions since have added. A transaction only inserts here, so that none waits for another.
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

-- Rows without a key are deleted all the same where a publication is FOR ALL TABLES.
ALTER TABLE windrow_counter_deltas REPLICA IDENTITY FULL;

-- Per lane and minute: how many attempts ended, and how long jobs waited and ran. Bin i counts times below 2^i milliseconds that no
-- smaller bin counts, the last one all others.
CREATE TABLE windrow_minutes (
  minute    bigint NOT NULL,                      -- minutes since 1970
  succeeded bigint NOT NULL,
  failed    bigint NOT NULL,                      -- attempts, not jobs
  wait_ms   bigint NOT NULL,
  run_ms    bigint NOT NULL,
  lane      integer NOT NULL,
  wait_bins bigint[] NOT NULL,
  run_bins  bigint[] NOT NULL,
  wait_max  bigint NOT NULL DEFAULT 0,            -- the longest: no percentile is longer
  run_max   bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (minute, lane)
) WITH (fillfactor = 50);

-- Who is alive.
CREATE TABLE windrow_workers (
  actor        integer PRIMARY KEY,
  name         text COLLATE "C" NOT NULL,         -- a label: several workers may have it
  host         text NOT NULL,
  pid          bigint NOT NULL,
  process      text COLLATE "C",                  -- names the process for others on its host; NULL: they cannot tell
  version      text NOT NULL,
  queues       text[] NOT NULL,
  types        text[] NOT NULL,
  slots        integer NOT NULL,
  stuck        integer NOT NULL DEFAULT 0,        -- slots whose handler has not ended though it was told to
  started_at   bigint NOT NULL,
  heartbeat_at bigint NOT NULL,
  expires_at   bigint NOT NULL
) WITH (fillfactor = 50);

-- How far a running job says it is.
CREATE TABLE windrow_progress (
  job_id   bigint PRIMARY KEY,
  token    bigint NOT NULL,                       -- the attempt that said so
  at       bigint NOT NULL,
  fraction double precision,                      -- 0 to 1; NULL: not known
  message  text
) WITH (fillfactor = 70);

-- What handlers have logged for people, the last lines of each job.
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

-- What was done to many jobs at once, or to what is no job. Never changed.
CREATE TABLE windrow_audit (
  id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at     bigint NOT NULL,
  jobs   bigint NOT NULL,                         -- how many it changed
  actor  integer NOT NULL,
  action text COLLATE "C" NOT NULL,
  detail text                                     -- short JSON: which, and why
);

-- The pause and limits of a queue, a type or a concurrency key: whether it is paused, how many may run at once, how often one may start.
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

-- The jobs with a key that are ready or run, and those of a sequence that go on later. A job with a granted permit may run; the
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
-- staged: it was written before its job or result is, which adopts it. What nobody adopts within a day is swept.
CREATE TABLE windrow_blobs (
  id         bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  job_id     bigint,                              -- NULL: staged
  bytes      bigint,                              -- NULL: not all of it is written
  created_at bigint NOT NULL,
  kind       text COLLATE "C" CHECK (kind IN ('PAYLOAD', 'RESULT')), -- NULL: staged
  sha256     text COLLATE "C",
  file       text COLLATE "C"                     -- NULL: its bytes are in its chunks
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);
-- The blobs of a job.
CREATE INDEX windrow_blobs_job ON windrow_blobs (job_id) WHERE job_id IS NOT NULL;
-- What is staged, by age.
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

-- What makes jobs again and again: at the times of a cron expression in a zone, or at a fixed interval from a start.
CREATE TABLE windrow_schedules (
  id                bigint PRIMARY KEY,           -- from the allocator of the ids of jobs: never given again
  next_at           bigint,                       -- NULL: paused, or never
  last_at           bigint,                       -- the newest due time that was decided
  fired_at          bigint,                       -- the clock when next_at was computed
  last_job          bigint,                       -- which may be gone
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
  type              text COLLATE "C" NOT NULL,    -- retry_policy, tags, concurrency_key and concurrency_limit: what its jobs are like
  payload           text,
  job_name          text,
  retry_policy      text,
  tags              text NOT NULL,                -- JSON array
  concurrency_key   text COLLATE "C",
  cron              text,
  zone              text,
  misfire           text COLLATE "C" NOT NULL CHECK (misfire IN ('SKIP', 'ONCE', 'ALL')),
  overlap           text COLLATE "C" NOT NULL CHECK (overlap IN ('ALLOW', 'SKIP')),
  pause_reason      text,
  CHECK ((cron IS NULL) = (zone IS NULL) AND (cron IS NULL) <> (every_ms IS NULL)
         AND (every_ms IS NULL) = (starts_at IS NULL))
) WITH (fillfactor = 70);
-- Those that are due, and those that were seen to by a clock that was ahead.
CREATE INDEX windrow_schedules_next ON windrow_schedules (next_at, id) WHERE paused_at IS NULL;
CREATE INDEX windrow_schedules_fired ON windrow_schedules (fired_at) WHERE paused_at IS NULL;

-- What became of due times. The key is a second guard: for one due time a schedule makes one job.
CREATE TABLE windrow_schedule_runs (
  schedule_id bigint NOT NULL,
  due_at      bigint NOT NULL,
  until_at    bigint NOT NULL,                    -- of due times in a row of which nothing came: the last one
  runs        bigint,                             -- how many they are; NULL: too many to count
  fired_at    bigint NOT NULL,
  job_id      bigint,                             -- which may be gone
  outcome     text COLLATE "C" NOT NULL CHECK (outcome IN ('ENQUEUED', 'SKIPPED_OVERLAP', 'MISSED')),
  PRIMARY KEY (schedule_id, due_at)
);

-- What handlers have done for good, and must not do again; sleeps; and the events that jobs await or were told of. A job that awaits one
-- has the wake_state PENDING.
CREATE TABLE windrow_steps (
  job_id      bigint NOT NULL,
  token       bigint NOT NULL,                    -- of the attempt that began it; 0: told before anybody waited
  started_at  bigint NOT NULL,
  finished_at bigint,
  until_at    bigint,                             -- end of the sleep, or of the time for the event
  position    integer NOT NULL,                   -- from 1, in the order in which they appeared
  actor       integer,                            -- who told of the event
  name        text COLLATE "C" NOT NULL,
  kind        text COLLATE "C" NOT NULL CHECK (kind IN ('STEP', 'SLEEP', 'EVENT')),
  state       text COLLATE "C" NOT NULL CHECK (state IN ('WAITING', 'DONE', 'TIMED_OUT')),
  result      text,                               -- JSON, at most 1 MiB
  PRIMARY KEY (job_id, name)
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);
-- The sum makes it another expression than what the primary key begins with, so that a search by name never takes this index instead.
CREATE UNIQUE INDEX windrow_steps_position ON windrow_steps ((job_id + 0), position);

-- How long jobs are kept after they have ended in a state. A rule for a type goes before that of the state.
CREATE TABLE windrow_retention (
  keep_ms bigint,                                 -- NULL: for ever
  state   text COLLATE "C" NOT NULL CHECK (state IN ('COMPLETED', 'FAILED', 'CANCELLED')),
  type    text COLLATE "C" NOT NULL DEFAULT '',   -- '': of any
  PRIMARY KEY (state, type)
);
INSERT INTO windrow_retention (state, keep_ms)
VALUES ('COMPLETED', 30 * 86400000::bigint), ('FAILED', 90 * 86400000::bigint), ('CANCELLED', 30 * 86400000::bigint);
-- What one of many processes does for all. Who does it has the row until the time that it says, or until it says that it is done.
CREATE TABLE windrow_leaders (
  until_at bigint,                                -- the end of the lease
  last_at  bigint,                                -- when it was last done
  name     text COLLATE "C" PRIMARY KEY,
  holder   text COLLATE "C",                      -- NULL: nobody
  detail   text                                   -- what came of that: short JSON
) WITH (fillfactor = 50);

-- With which codes jobs are FAILED, how many now, and when the first and the last one failed: what was compacted, and what the transactions since
-- have added. '' stands for no code.
CREATE TABLE windrow_failures (
  error_code text COLLATE "C" PRIMARY KEY,
  n          bigint NOT NULL,
  first_at   bigint,
  last_at    bigint
) WITH (fillfactor = 50);
CREATE TABLE windrow_failure_deltas (
  n          bigint NOT NULL,
  first_at   bigint,                              -- NULL: none has failed
  last_at    bigint,
  error_code text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE windrow_failure_deltas REPLICA IDENTITY FULL;

CREATE VIEW windrow_job_view AS
SELECT j.id, l.queue, l.type, j.state, i.name, j.priority,
       CASE j.state WHEN 'RUNNING' THEN j.used + 1 ELSE j.used END AS attempt, j.max_attempts,
       a.name AS worker, j.error_code, j.error_detail,
       to_timestamp(i.created_at / 1000.0) AS created, to_timestamp(j.scheduled_at / 1000.0) AS scheduled,
       to_timestamp(j.started_at / 1000.0) AS started, to_timestamp(j.finished_at / 1000.0) AS finished,
       j.started_at - j.scheduled_at AS wait_ms, j.finished_at - j.started_at AS run_ms,
       i.payload, r.result
  FROM windrow_jobs j
  JOIN windrow_inputs i ON i.job_id = j.id
  JOIN windrow_lanes l ON l.id = j.lane
  LEFT JOIN windrow_actors a ON a.id = j.worker
  LEFT JOIN windrow_results r ON r.job_id = j.id;

CREATE VIEW windrow_attempt_view AS
SELECT t.job_id, t.token, t.attempt, a.name AS worker, t.outcome, t.error_code, t.error_detail,
       to_timestamp(t.started_at / 1000.0) AS started, to_timestamp(t.finished_at / 1000.0) AS finished,
       t.finished_at - t.started_at AS run_ms
  FROM windrow_attempts t
  JOIN windrow_actors a ON a.id = t.worker;

CREATE VIEW windrow_event_view AS
SELECT e.job_id, e.seq, to_timestamp(e.at / 1000.0) AS at, e.event, a.name AS actor, e.token, e.detail
  FROM windrow_events e
  JOIN windrow_actors a ON a.id = e.actor;
