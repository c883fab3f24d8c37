-- What was done to many jobs at once, or to what is no job. Never changed.
CREATE TABLE windrow_audit (
  id     INTEGER PRIMARY KEY,
  at     INTEGER NOT NULL,
  actor  INTEGER NOT NULL REFERENCES windrow_actors (id),
  action TEXT NOT NULL,
  jobs   INTEGER NOT NULL,                        -- how many it changed
  detail TEXT                                     -- short JSON: which, and why
) STRICT;

-- Who holds a dedupe key, within a type. The job may be gone while a WINDOW runs or when the scope is ANY. The job repeats
-- key and scope, for whoever ends or retries it.
ALTER TABLE windrow_jobs ADD COLUMN dedupe_key TEXT;
ALTER TABLE windrow_jobs ADD COLUMN dedupe_scope TEXT;
DROP TABLE windrow_dedupe;
CREATE TABLE windrow_dedupe (
  type       TEXT NOT NULL,
  key        TEXT NOT NULL,
  job_id     INTEGER NOT NULL,
  scope      TEXT NOT NULL CHECK (scope = 'UNTIL_STARTED' OR scope = 'UNFINISHED' OR scope = 'WINDOW' OR scope = 'ANY'),
  expires_at INTEGER,                             -- end of the window
  PRIMARY KEY (type, key)
) STRICT, WITHOUT ROWID;

-- What is said of a whole queue, a whole type or a concurrency key: whether it is paused, how many may run at once, how often one may start.
CREATE TABLE windrow_controls (
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
  wakes_at     INTEGER,                           -- when a key's rate lets a job go that waits in line; NULL: none waits for that
  PRIMARY KEY (kind, name)
) STRICT, WITHOUT ROWID;

-- Lanes repeat what a claim asks for: whether one is paused, by its queue or its type, and whether a limit or a rate
-- concerns it (governed): then a claim looks at the controls.
ALTER TABLE windrow_lanes DROP COLUMN concurrency_limit;
ALTER TABLE windrow_lanes DROP COLUMN running;
ALTER TABLE windrow_lanes DROP COLUMN rate;
ALTER TABLE windrow_lanes DROP COLUMN opens_at;
ALTER TABLE windrow_lanes ADD COLUMN governed INTEGER NOT NULL DEFAULT 0;
CREATE INDEX windrow_lanes_type ON windrow_lanes (type);

-- A key that jobs share so that not all of them run at once. The job says how many of the key may (concurrency_most):
-- NULL: any number; 0: one after the other, and its place is kept until the job has ended.
ALTER TABLE windrow_jobs ADD COLUMN concurrency_key TEXT;
ALTER TABLE windrow_jobs ADD COLUMN concurrency_most INTEGER;
CREATE INDEX windrow_controls_wake ON windrow_controls (wakes_at) WHERE wakes_at IS NOT NULL;

-- The jobs with a key that are ready or run, and those of a sequence that go on later. Who has a place may run; the
-- others wait in line, held, by priority and turn.
CREATE TABLE windrow_turns (
  job_id   INTEGER PRIMARY KEY REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  key      TEXT NOT NULL,
  priority INTEGER NOT NULL,                      -- of the job
  turn     INTEGER NOT NULL,                      -- grows in the order in which jobs join the line
  most     INTEGER,                               -- as concurrency_most of the job
  placed   INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX windrow_turns_line ON windrow_turns (key, priority DESC, turn) WHERE placed = 0;
CREATE INDEX windrow_turns_places ON windrow_turns (key, priority DESC, turn) WHERE placed = 1;

-- Payloads and results that are too long for their tables, which name them in the place of the text. A blob without a job is
-- staged: it was written before its job or result is, which adopts it. What nobody adopts within a day is swept.
CREATE TABLE windrow_blobs (
  id         INTEGER PRIMARY KEY,
  job_id     INTEGER REFERENCES windrow_jobs (id) ON DELETE CASCADE, -- NULL: staged
  kind       TEXT CHECK (kind = 'PAYLOAD' OR kind = 'RESULT'),       -- NULL: staged
  bytes      INTEGER,                             -- NULL: not all of it is written
  sha256     TEXT,
  file       TEXT,                                -- NULL: its bytes are in its chunks
  created_at INTEGER NOT NULL
) STRICT;
-- The blobs of a job; what is staged, by age.
CREATE INDEX windrow_blobs_job ON windrow_blobs (job_id, created_at);
-- 256 KiB each, but for the last one of a blob.
CREATE TABLE windrow_blob_chunks (
  blob_id  INTEGER NOT NULL REFERENCES windrow_blobs (id) ON DELETE CASCADE,
  position INTEGER NOT NULL,                      -- from 0
  content  BLOB NOT NULL,
  PRIMARY KEY (blob_id, position)
) STRICT;
