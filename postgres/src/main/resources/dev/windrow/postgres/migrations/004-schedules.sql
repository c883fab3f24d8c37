-- What makes jobs again and again: at the times of a cron expression in a zone, or at even distances from a start.
CREATE TABLE windrow_schedules (
  id               bigint PRIMARY KEY,            -- from the allocator of the ids of jobs: never given again
  next_at          bigint,                        -- NULL: paused, or never
  last_at          bigint,                        -- the newest due time that was decided
  fired_at         bigint,                        -- the clock when next_at was computed
  last_job         bigint,                        -- which may be gone
  revision         bigint NOT NULL DEFAULT 1,     -- + 1 at each change and each firing, which name the one that they have read
  timeout_ms       bigint,
  every_ms         bigint,
  starts_at        bigint,                        -- of even distances: a run is due every_ms times a whole number after it
  paused_at        bigint,                        -- NULL: not paused
  created_at       bigint NOT NULL,
  changed_at       bigint NOT NULL,
  created_by       integer NOT NULL,
  paused_by        integer,
  priority         integer NOT NULL,
  max_attempts     integer NOT NULL,
  concurrency_most integer,
  name             text COLLATE "C" NOT NULL UNIQUE,
  queue            text COLLATE "C" NOT NULL,     -- queue, type, payload, job_name, priority, max_attempts, timeout_ms,
  type             text COLLATE "C" NOT NULL,     -- retry_policy, tags, concurrency_key and concurrency_most: what its jobs are like
  payload          text,
  job_name         text,
  retry_policy     text,
  tags             text NOT NULL,                 -- JSON array
  concurrency_key  text COLLATE "C",
  cron             text,
  zone             text,
  misfire          text COLLATE "C" NOT NULL CHECK (misfire IN ('SKIP', 'ONCE', 'ALL')),
  overlap          text COLLATE "C" NOT NULL CHECK (overlap IN ('ALLOW', 'SKIP')),
  pause_reason     text,
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
