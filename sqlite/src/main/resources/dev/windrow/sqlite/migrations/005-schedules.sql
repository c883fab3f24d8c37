-- What makes jobs again and again: at the times of a cron expression in a zone, or at even distances from a start.
CREATE TABLE windrow_schedules (
  id               INTEGER PRIMARY KEY,           -- from the allocator of the ids of jobs: never given again
  name             TEXT NOT NULL UNIQUE,
  queue            TEXT NOT NULL,                 -- from here to concurrency_most: what its jobs are like
  type             TEXT NOT NULL,
  payload          TEXT,
  job_name         TEXT,
  priority         INTEGER NOT NULL,
  max_attempts     INTEGER NOT NULL,
  timeout_ms       INTEGER,
  retry_policy     TEXT,
  tags             TEXT NOT NULL,                 -- JSON array
  concurrency_key  TEXT,
  concurrency_most INTEGER,
  cron             TEXT,
  zone             TEXT,
  every_ms         INTEGER,
  starts_at        INTEGER,                       -- of even distances: a run is due every_ms times a whole number after it
  misfire          TEXT NOT NULL CHECK (misfire = 'SKIP' OR misfire = 'ONCE' OR misfire = 'ALL'),
  overlap          TEXT NOT NULL CHECK (overlap = 'ALLOW' OR overlap = 'SKIP'),
  paused_at        INTEGER,                       -- NULL: not paused
  paused_by        INTEGER REFERENCES windrow_actors (id),
  pause_reason     TEXT,
  next_at          INTEGER,                       -- NULL: paused, or never
  last_at          INTEGER,                       -- the newest due time that was decided
  fired_at         INTEGER,                       -- the clock when next_at was computed
  last_job         INTEGER,                       -- which may be gone
  revision         INTEGER NOT NULL,              -- + 1 at each change and each firing, which name the one that they have read
  created_at       INTEGER NOT NULL,
  created_by       INTEGER NOT NULL REFERENCES windrow_actors (id),
  changed_at       INTEGER NOT NULL,
  CHECK ((cron IS NULL) = (zone IS NULL) AND (cron IS NULL) <> (every_ms IS NULL)
         AND (every_ms IS NULL) = (starts_at IS NULL))
) STRICT;
-- Those that are due, and those that were seen to by a clock that was ahead.
CREATE INDEX windrow_schedules_next ON windrow_schedules (next_at) WHERE paused_at IS NULL;
CREATE INDEX windrow_schedules_fired ON windrow_schedules (fired_at) WHERE paused_at IS NULL;

-- What became of due times. The key is a second guard: for one due time a schedule makes one job.
CREATE TABLE windrow_schedule_runs (
  schedule_id INTEGER NOT NULL REFERENCES windrow_schedules (id) ON DELETE CASCADE,
  due_at      INTEGER NOT NULL,
  until_at    INTEGER NOT NULL,                   -- of due times in a row of which nothing came: the last one
  runs        INTEGER,                            -- how many they are; NULL: too many to count
  fired_at    INTEGER NOT NULL,
  outcome     TEXT NOT NULL CHECK (outcome = 'ENQUEUED' OR outcome = 'SKIPPED_OVERLAP' OR outcome = 'MISSED'),
  job_id      INTEGER,                            -- which may be gone
  PRIMARY KEY (schedule_id, due_at)
) STRICT, WITHOUT ROWID;
