-- Times are milliseconds since 1970-01-01 UTC by the clock of the process that wrote them, unless said otherwise.
-- The views at the end show them readable: SELECT * FROM windrow_job_view;
-- Checks are written with OR: for IN with three values and more, SQLite builds a table of the values each time a
-- statement runs, which made the insert of a job 1.6 times as dear.

-- One row: the allocator of job ids and event numbers, and the last stamp given to a job that runs now.
-- Advanced by the first statement of each write transaction; ids are never reused, gaps are normal.
CREATE TABLE windrow_ids (
  one           INTEGER PRIMARY KEY CHECK (one = 1),
  next          INTEGER NOT NULL,
  last_stamp    INTEGER NOT NULL,
  lanes_deleted INTEGER NOT NULL DEFAULT 0        -- how many; when it changes, processes read the lanes anew
) STRICT;
INSERT INTO windrow_ids (one, next, last_stamp) VALUES (1, 1, 0);

-- Names of workers and operators, so that attempts and events hold a number. Never deleted.
CREATE TABLE windrow_actors (
  id       INTEGER PRIMARY KEY,
  name     TEXT NOT NULL,
  instance TEXT NOT NULL DEFAULT '',              -- tells workers of one name apart; '': a label
  UNIQUE (name, instance)
) STRICT;

-- A lane is a (queue, type): what a claim looks at. Retention deletes it when nothing uses it, but never the newest one: numbers are not given again.
CREATE TABLE windrow_lanes (
  id                INTEGER PRIMARY KEY,
  queue             TEXT NOT NULL,
  type              TEXT NOT NULL,
  paused_at         INTEGER,                      -- NULL: open
  paused_by         INTEGER REFERENCES windrow_actors (id),
  pause_reason      TEXT,
  concurrency_limit INTEGER,                      -- NULL: none
  running           INTEGER NOT NULL DEFAULT 0,   -- kept only where there is a limit
  rate              TEXT,                         -- NULL: none
  opens_at          INTEGER,                      -- closed until then by its rate
  UNIQUE (queue, type)
) STRICT;

-- A job. Narrow, because it is written at every step of its life; payload, result and history live elsewhere.
CREATE TABLE windrow_jobs (
  id               INTEGER PRIMARY KEY,
  lane             INTEGER NOT NULL REFERENCES windrow_lanes (id),
  state            TEXT NOT NULL
                   CHECK (state = 'PENDING' OR state = 'RUNNING' OR state = 'COMPLETED' OR state = 'SCHEDULED'
                       OR state = 'BLOCKED' OR state = 'FAILED' OR state = 'CANCELLED'),
  held             INTEGER NOT NULL DEFAULT 0,    -- 1: would be ready, but its key is full
  priority         INTEGER NOT NULL DEFAULT 0,    -- higher first
  scheduled_at     INTEGER NOT NULL,
  token            INTEGER NOT NULL DEFAULT 0,    -- the fence: +1 at every claim and outside settlement, never reset
  used             INTEGER NOT NULL DEFAULT 0,    -- attempts burned
  max_attempts     INTEGER NOT NULL,
  timeout_ms       INTEGER,                       -- limit of an attempt; NULL: the worker's default
  worker           INTEGER REFERENCES windrow_actors (id),  -- holder while RUNNING
  lease_until      INTEGER,                       -- while RUNNING
  claimed_at       INTEGER,                       -- last claim
  started_at       INTEGER,                       -- last start of the handler
  cancel_requested INTEGER NOT NULL DEFAULT 0,
  open_parents     INTEGER NOT NULL DEFAULT 0,    -- edges not satisfied
  waiting_for      TEXT CHECK (waiting_for IN ('PARENTS', 'EVENT')),  -- while BLOCKED
  wake_at          INTEGER,                       -- time-out of a wait for an event
  created_at       INTEGER NOT NULL,
  finished_at      INTEGER,
  error_code       TEXT,                          -- of the last failed attempt; NULL once COMPLETED
  error_detail     TEXT,
  name             TEXT,
  retry_policy     TEXT,                          -- NULL: the type's
  traceparent      TEXT,
  chain_id         INTEGER,                       -- NULL: a chain of one, its id is the job's
  chain_index      INTEGER NOT NULL DEFAULT 0
) STRICT;

-- Claim order. Enters when PENDING, leaves at the claim: finished rows never burden it.
CREATE INDEX windrow_jobs_claim ON windrow_jobs (lane, priority DESC, scheduled_at) WHERE state = 'PENDING' AND held = 0;
-- Promotion of due jobs.
CREATE INDEX windrow_jobs_due ON windrow_jobs (scheduled_at) WHERE state = 'SCHEDULED';
-- Leases that ran out.
CREATE INDEX windrow_jobs_lease ON windrow_jobs (lease_until) WHERE state = 'RUNNING';
-- Rare states, by id for listings and by code for dead letters.
CREATE INDEX windrow_jobs_blocked ON windrow_jobs (id) WHERE state = 'BLOCKED';
CREATE INDEX windrow_jobs_failed ON windrow_jobs (id) WHERE state = 'FAILED';
CREATE INDEX windrow_jobs_failed_code ON windrow_jobs (error_code) WHERE state = 'FAILED';
CREATE INDEX windrow_jobs_cancelled ON windrow_jobs (id) WHERE state = 'CANCELLED';
-- Listings by type and queue: on an immutable column, paid once at the insert.
CREATE INDEX windrow_jobs_lane ON windrow_jobs (lane);
-- A chain has one job at each place.
CREATE UNIQUE INDEX windrow_jobs_chain ON windrow_jobs (chain_id, chain_index) WHERE chain_index > 0;

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

-- One row per attempt, written once, when the attempt has ended. The running attempt lives in windrow_jobs.
CREATE TABLE windrow_attempts (
  job_id       INTEGER NOT NULL REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  token        INTEGER NOT NULL,
  attempt      INTEGER NOT NULL,                  -- the number that people see
  worker       INTEGER NOT NULL REFERENCES windrow_actors (id),
  started_at   INTEGER,                           -- NULL: the handler was never called
  finished_at  INTEGER NOT NULL,
  outcome      TEXT NOT NULL,
  error_code   TEXT,
  error_detail TEXT,
  PRIMARY KEY (job_id, token)
) STRICT, WITHOUT ROWID;

-- What an attempt left behind that is too long for its row. kind: OUTPUT, STACK_TRACE.
CREATE TABLE windrow_attempt_texts (
  id     INTEGER PRIMARY KEY,
  job_id INTEGER NOT NULL,
  token  INTEGER NOT NULL,
  kind   TEXT NOT NULL,
  text   TEXT NOT NULL,
  UNIQUE (job_id, token, kind),
  FOREIGN KEY (job_id, token) REFERENCES windrow_attempts (job_id, token) ON DELETE CASCADE
) STRICT;

-- The append-only log, clustered by job.
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
  PRIMARY KEY (child, position)
) STRICT, WITHOUT ROWID;
CREATE INDEX windrow_edges_parent ON windrow_edges (parent);

-- Who holds a dedupe key. A row whose job is gone keeps holding when its scope says so.
CREATE TABLE windrow_dedupe (
  type       TEXT NOT NULL,
  key        TEXT NOT NULL,
  job_id     INTEGER REFERENCES windrow_jobs (id) ON DELETE SET NULL,
  scope      TEXT NOT NULL CHECK (scope = 'UNTIL_STARTED' OR scope = 'UNFINISHED' OR scope = 'WINDOW' OR scope = 'ANY'),
  expires_at INTEGER,
  PRIMARY KEY (type, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX windrow_dedupe_job ON windrow_dedupe (job_id) WHERE job_id IS NOT NULL;

-- How many jobs each lane has in each state; kept in the transactions that change them.
CREATE TABLE windrow_counters (
  lane  INTEGER NOT NULL REFERENCES windrow_lanes (id),
  state TEXT NOT NULL,
  n     INTEGER NOT NULL,
  PRIMARY KEY (lane, state)
) STRICT, WITHOUT ROWID;

-- How many attempts of each number above 1 have ended.
CREATE TABLE windrow_retry_counters (
  lane    INTEGER NOT NULL REFERENCES windrow_lanes (id),
  attempt INTEGER NOT NULL,
  n       INTEGER NOT NULL,
  PRIMARY KEY (lane, attempt)
) STRICT, WITHOUT ROWID;

-- Per lane and minute: how many attempts ended, and how long jobs waited and ran. The bins are JSON arrays of 24
-- counts; bin i counts times below 2^i milliseconds that no smaller bin counts, the last one all others.
CREATE TABLE windrow_minutes (
  minute    INTEGER NOT NULL,                     -- minutes since 1970
  lane      INTEGER NOT NULL REFERENCES windrow_lanes (id),
  succeeded INTEGER NOT NULL,
  failed    INTEGER NOT NULL,                     -- attempts, not jobs
  wait_ms   INTEGER NOT NULL,
  run_ms    INTEGER NOT NULL,
  wait_bins TEXT NOT NULL,
  run_bins  TEXT NOT NULL,
  PRIMARY KEY (minute, lane)
) STRICT, WITHOUT ROWID;

-- Whether a lane has sums.
CREATE INDEX windrow_minutes_lane ON windrow_minutes (lane);

-- Who is alive.
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
  expires_at   INTEGER NOT NULL
) STRICT;

CREATE VIEW windrow_job_view AS
SELECT j.id, l.queue, l.type, j.state, j.name, j.priority,
       CASE j.state WHEN 'RUNNING' THEN j.used + 1 ELSE j.used END AS attempt, j.max_attempts,
       a.name AS worker, j.error_code, j.error_detail,
       strftime('%Y-%m-%dT%H:%M:%fZ', j.created_at / 1000.0, 'unixepoch') AS created,
       strftime('%Y-%m-%dT%H:%M:%fZ', j.scheduled_at / 1000.0, 'unixepoch') AS scheduled,
       strftime('%Y-%m-%dT%H:%M:%fZ', j.started_at / 1000.0, 'unixepoch') AS started,
       strftime('%Y-%m-%dT%H:%M:%fZ', j.finished_at / 1000.0, 'unixepoch') AS finished,
       j.started_at - j.scheduled_at AS wait_ms, j.finished_at - j.started_at AS run_ms,
       p.payload, r.result
  FROM windrow_jobs j
  JOIN windrow_lanes l ON l.id = j.lane
  LEFT JOIN windrow_actors a ON a.id = j.worker
  LEFT JOIN windrow_payloads p ON p.job_id = j.id
  LEFT JOIN windrow_results r ON r.job_id = j.id;

CREATE VIEW windrow_attempt_view AS
SELECT t.job_id, t.token, t.attempt, a.name AS worker, t.outcome, t.error_code, t.error_detail,
       strftime('%Y-%m-%dT%H:%M:%fZ', t.started_at / 1000.0, 'unixepoch') AS started,
       strftime('%Y-%m-%dT%H:%M:%fZ', t.finished_at / 1000.0, 'unixepoch') AS finished,
       t.finished_at - t.started_at AS run_ms
  FROM windrow_attempts t
  JOIN windrow_actors a ON a.id = t.worker;

CREATE VIEW windrow_event_view AS
SELECT e.job_id, e.seq, strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS at,
       e.event, a.name AS actor, e.token, e.detail
  FROM windrow_events e
  JOIN windrow_actors a ON a.id = e.actor;
