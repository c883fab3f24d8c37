-- An edge may wait for the end of a chain, whose last job so far is the parent, not for the parent alone.
ALTER TABLE windrow_edges ADD COLUMN chain boolean NOT NULL DEFAULT false;

-- The workflow that a job belongs to; NULL: none. Numbered like jobs.
ALTER TABLE windrow_inputs ADD COLUMN workflow_id bigint;
CREATE INDEX windrow_inputs_workflow ON windrow_inputs (workflow_id, job_id) WHERE workflow_id IS NOT NULL;
-- A job that waits for an event says what it becomes when wake_at has come (wake_state: FAILED). One that never runs, but waits for
-- somebody outside, says for how long, from when its parents have ended (wait_ms).
ALTER TABLE windrow_jobs ADD COLUMN wake_state text COLLATE "C";
ALTER TABLE windrow_jobs ADD COLUMN wait_ms bigint;
-- Only a BLOCKED job has a wake_at. The state is not named, so that the index of all that are BLOCKED is never taken instead.
CREATE INDEX windrow_jobs_wake ON windrow_jobs (wake_at) WHERE wake_at IS NOT NULL;
-- The end of this parent has cancelled the child, which can come back with it. Only on open edges of cancelled jobs.
ALTER TABLE windrow_edges ADD COLUMN cancelled boolean NOT NULL DEFAULT false;
-- The children of a parent in their order: many are dealt with part by part.
DROP INDEX windrow_edges_parent;
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
-- Within which type the job holds its dedupe key, if that is not its own: a chain holds it within the type of its first job.
ALTER TABLE windrow_inputs ADD COLUMN dedupe_type text COLLATE "C";
