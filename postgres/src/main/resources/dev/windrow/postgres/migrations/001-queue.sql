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

-- A lane is a (queue, type): what a claim looks at. Retention deletes it when nothing uses it.
CREATE TABLE windrow_lanes (
  id                integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  queue             text COLLATE "C" NOT NULL,
  type              text COLLATE "C" NOT NULL,
  paused_at         bigint,                       -- NULL: open
  paused_by         integer,
  pause_reason      text,
  concurrency_limit integer,                      -- NULL: none
  running           integer NOT NULL DEFAULT 0,   -- kept only where there is a limit
  rate              text,                         -- NULL: none
  opens_at          bigint,                       -- closed until then by its rate
  used_at           bigint NOT NULL DEFAULT (extract(epoch FROM clock_timestamp()) * 1000)::bigint, -- written once a day while jobs come
  UNIQUE (queue, type)
);

-- Where a job stands. Every step of its life writes a new version of this row, so it holds nothing that does not change: that is in
-- windrow_inputs. A renewal and a start change no column that an index knows, so they are heap-only (HOT) while the page has room.
CREATE TABLE windrow_jobs (
  id               bigint PRIMARY KEY,
  scheduled_at     bigint NOT NULL,
  token            bigint NOT NULL DEFAULT 0,     -- the fence: +1 at every claim and outside settlement, never reset
  lease_until      bigint,                        -- while RUNNING
  claimed_at       bigint,                        -- last claim
  started_at       bigint,                        -- last start of the handler
  finished_at      bigint,
  wake_at          bigint,                        -- time-out of a wait for an event
  lane             integer NOT NULL,
  priority         integer NOT NULL DEFAULT 0,    -- higher first
  used             integer NOT NULL DEFAULT 0,    -- attempts burned
  max_attempts     integer NOT NULL,
  worker           integer,                       -- holder while RUNNING
  cancel_requested integer NOT NULL DEFAULT 0,    -- the actor who wants a running job cancelled; 0: nobody
  open_parents     integer NOT NULL DEFAULT 0,    -- edges not satisfied
  held             boolean NOT NULL DEFAULT false,  -- would be ready, but its key is full
  state            text COLLATE "C" NOT NULL
                   CHECK (state IN ('BLOCKED', 'SCHEDULED', 'PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'CANCELLED')),
  waiting_for      text COLLATE "C" CHECK (waiting_for IN ('PARENTS', 'EVENT')),  -- while BLOCKED
  error_code       text COLLATE "C",              -- of the last failed attempt; NULL once COMPLETED
  error_detail     text
) WITH (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000,
  autovacuum_analyze_scale_factor = 0.2, autovacuum_vacuum_cost_delay = 0
);

-- Claim order. Enters when PENDING, leaves at the claim: finished rows never burden it. All columns ascend, so that a claim can
-- begin behind the entries that it knows to be dead.
CREATE INDEX windrow_jobs_claim ON windrow_jobs (lane, (-priority), scheduled_at, id) WHERE state = 'PENDING' AND NOT held;
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
  payload      text                               -- JSON; text, because jsonb sorts keys and refuses \u0000
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);
-- Listings by type and queue.
CREATE INDEX windrow_inputs_lane ON windrow_inputs (lane, job_id);
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
  PRIMARY KEY (child, position)
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);
CREATE INDEX windrow_edges_parent ON windrow_edges (parent);

-- Who holds a dedupe key. A row whose job is gone keeps holding when its scope says so.
CREATE TABLE windrow_dedupe (
  type       text COLLATE "C" NOT NULL,
  key        text COLLATE "C" NOT NULL,
  job_id     bigint,
  scope      text COLLATE "C" NOT NULL CHECK (scope IN ('UNTIL_STARTED', 'UNFINISHED', 'WINDOW', 'ANY')),
  expires_at bigint,
  PRIMARY KEY (type, key)
);
CREATE INDEX windrow_dedupe_job ON windrow_dedupe (job_id) WHERE job_id IS NOT NULL;

-- How many jobs each lane has in each state, and how many attempts of each number above 1 have ended: what was folded, and what the
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
