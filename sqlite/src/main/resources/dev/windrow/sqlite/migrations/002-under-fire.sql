-- cancel_requested holds the number of the actor who wants a running job cancelled, 0 for nobody.
CREATE INDEX windrow_jobs_cancel ON windrow_jobs (id) WHERE state = 'RUNNING' AND cancel_requested <> 0;

-- The process, as far as others on its machine can tell whether it still exists; NULL: they cannot.
ALTER TABLE windrow_workers ADD COLUMN process TEXT;
-- Slots whose handler has not ended though it was told to.
ALTER TABLE windrow_workers ADD COLUMN stuck INTEGER NOT NULL DEFAULT 0;

-- How far a running job says it is.
CREATE TABLE windrow_progress (
  job_id   INTEGER PRIMARY KEY REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  token    INTEGER NOT NULL,                      -- the attempt that said so
  at       INTEGER NOT NULL,
  fraction REAL,                                  -- 0 to 1; NULL: not known
  message  TEXT
) STRICT;

-- What handlers have logged for people, the last lines of each job.
CREATE TABLE windrow_log_lines (
  job_id  INTEGER NOT NULL REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  seq     INTEGER NOT NULL,
  at      INTEGER NOT NULL,
  token   INTEGER NOT NULL,
  level   TEXT NOT NULL,
  message TEXT NOT NULL,
  PRIMARY KEY (job_id, seq)
) STRICT, WITHOUT ROWID;
