-- What handlers have done for good, and must not do again; sleeps; and the events that jobs await or were told of. A job that awaits one
-- has the wake_state PENDING.
CREATE TABLE windrow_steps (
  job_id      INTEGER NOT NULL REFERENCES windrow_jobs (id) ON DELETE CASCADE,
  position    INTEGER NOT NULL,                   -- from 1, in the order in which they appeared
  token       INTEGER NOT NULL,                   -- of the attempt that began it; 0: told before anybody waited
  started_at  INTEGER NOT NULL,
  finished_at INTEGER,
  until_at    INTEGER,                            -- end of the sleep, or of the time for the event
  actor       INTEGER REFERENCES windrow_actors (id), -- who told of the event
  name        TEXT NOT NULL,
  kind        TEXT NOT NULL CHECK (kind = 'STEP' OR kind = 'SLEEP' OR kind = 'EVENT'),
  state       TEXT NOT NULL CHECK (state = 'WAITING' OR state = 'DONE' OR state = 'TIMED_OUT'),
  result      TEXT,                               -- JSON, at most 1 MiB
  PRIMARY KEY (job_id, name)
) STRICT;
CREATE UNIQUE INDEX windrow_steps_position ON windrow_steps (job_id, position);
