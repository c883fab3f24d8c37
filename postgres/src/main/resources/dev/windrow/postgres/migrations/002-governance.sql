-- What was done to many jobs at once, or to what is no job. Never changed.
CREATE TABLE windrow_audit (
  id     bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  at     bigint NOT NULL,
  jobs   bigint NOT NULL,                         -- how many it changed
  actor  integer NOT NULL,
  action text COLLATE "C" NOT NULL,
  detail text                                     -- short JSON: which, and why
);

-- Who holds a dedupe key, within a type. The job may be gone while a WINDOW runs or when the scope is ANY. The job repeats
-- key and scope, for whoever ends or retries it.
ALTER TABLE windrow_inputs ADD COLUMN dedupe_key text COLLATE "C",
  ADD COLUMN dedupe_scope text COLLATE "C";
DROP TABLE windrow_dedupe;
CREATE TABLE windrow_dedupe (
  type       text COLLATE "C" NOT NULL,
  key        text COLLATE "C" NOT NULL,
  job_id     bigint NOT NULL,
  expires_at bigint,                              -- end of the window
  scope      text COLLATE "C" NOT NULL CHECK (scope IN ('UNTIL_STARTED', 'UNFINISHED', 'WINDOW', 'ANY')),
  PRIMARY KEY (type, key)
) WITH (fillfactor = 70);

-- What is said of a whole queue, a whole type or a concurrency key: whether it is paused, how many may run at once, how often one may start.
CREATE TABLE windrow_controls (
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
  wakes_at     bigint,                            -- when a key's rate lets a job go that waits in line; NULL: none waits for that
  PRIMARY KEY (kind, name)
) WITH (fillfactor = 50);

-- Lanes repeat what a claim asks for: whether one is paused, by its queue or its type, and whether a limit or a rate
-- concerns it (governed): then a claim looks at the controls.
ALTER TABLE windrow_lanes DROP COLUMN concurrency_limit, DROP COLUMN running, DROP COLUMN rate,
  DROP COLUMN opens_at,  ADD COLUMN governed boolean NOT NULL DEFAULT false;
CREATE INDEX windrow_lanes_governed ON windrow_lanes (id) WHERE governed;

-- A key that jobs share so that not all of them run at once. The job says how many of the key may (concurrency_most):
-- NULL: any number; 0: one after the other, and its place is kept until the job has ended.
ALTER TABLE windrow_jobs ADD COLUMN concurrency_most integer, ADD COLUMN concurrency_key text COLLATE "C";
CREATE INDEX windrow_controls_wake ON windrow_controls (wakes_at) WHERE wakes_at IS NOT NULL;

-- The jobs with a key that are ready or run, and those of a sequence that go on later. Who has a place may run; the
-- others wait in line, held, by priority and turn.
CREATE SEQUENCE windrow_turn_numbers INCREMENT BY 1000000;
CREATE TABLE windrow_turns (
  job_id   bigint PRIMARY KEY,
  turn     bigint NOT NULL,                       -- grows in the order in which jobs join the line
  priority integer NOT NULL,                      -- of the job
  most     integer,                               -- as concurrency_most of the job
  placed   boolean NOT NULL DEFAULT false,
  key      text COLLATE "C" NOT NULL
) WITH (
  fillfactor = 70,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 20000, autovacuum_vacuum_cost_delay = 0
);
CREATE INDEX windrow_turns_line ON windrow_turns (key, (-priority), turn) WHERE NOT placed;
CREATE INDEX windrow_turns_places ON windrow_turns (key, (-priority), turn) WHERE placed;

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
