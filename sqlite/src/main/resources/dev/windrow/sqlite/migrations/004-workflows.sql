-- An edge may wait for the end of a chain, whose last job so far is the parent, not for the parent alone.
ALTER TABLE windrow_edges ADD COLUMN chain INTEGER NOT NULL DEFAULT 0;

-- The workflow that a job belongs to; NULL: none. Numbered like jobs.
ALTER TABLE windrow_jobs ADD COLUMN workflow_id INTEGER;
CREATE INDEX windrow_jobs_workflow ON windrow_jobs (workflow_id) WHERE workflow_id IS NOT NULL;
-- A job that waits for an event says what it becomes when wake_at has come (wake_state: FAILED). One that never runs, but waits for
-- somebody outside, says for how long, from when its parents have ended (wait_ms).
ALTER TABLE windrow_jobs ADD COLUMN wake_state TEXT;
ALTER TABLE windrow_jobs ADD COLUMN wait_ms INTEGER;
CREATE INDEX windrow_jobs_wake ON windrow_jobs (wake_at) WHERE state = 'BLOCKED' AND wake_at IS NOT NULL;
-- How many running jobs were ended by somebody who did not hold them: when it changes, holders in other processes look whether they still
-- are.
ALTER TABLE windrow_ids ADD COLUMN superseded INTEGER NOT NULL DEFAULT 0;
-- The end of this parent has cancelled the child, which can come back with it. Only on open edges of cancelled jobs.
ALTER TABLE windrow_edges ADD COLUMN cancelled INTEGER NOT NULL DEFAULT 0;
-- Parents with more children than one transaction deals with: how they ended, or that they were retried with their dependents, and where to go
-- on. A parent that ends while its dependents come back has a row of each.
CREATE TABLE windrow_releases (
  parent INTEGER NOT NULL REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  state  TEXT NOT NULL CHECK (state = 'COMPLETED' OR state = 'FAILED' OR state = 'CANCELLED' OR state = 'RETRIED'),
  after  INTEGER NOT NULL DEFAULT 0,              -- the children below are done
  actor  INTEGER REFERENCES windrow_actors (id),  -- of a retry
  PRIMARY KEY (parent, state),
  CHECK ((state = 'RETRIED') = (actor IS NOT NULL))
) STRICT, WITHOUT ROWID;
-- Within which type the job holds its dedupe key, if that is not its own: a chain holds it within the type of its first job.
ALTER TABLE windrow_jobs ADD COLUMN dedupe_type TEXT;
