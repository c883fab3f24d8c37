-- What handlers have done for good, and must not do again; sleeps; and the events that jobs await or were told of. A job that awaits one
-- has the wake_state PENDING.
CREATE TABLE windrow_steps (
  job_id      bigint NOT NULL,
  token       bigint NOT NULL,                    -- of the attempt that began it; 0: told before anybody waited
  started_at  bigint NOT NULL,
  finished_at bigint,
  until_at    bigint,                             -- end of the sleep, or of the time for the event
  position    integer NOT NULL,                   -- from 1, in the order in which they appeared
  actor       integer,                            -- who told of the event
  name        text COLLATE "C" NOT NULL,
  kind        text COLLATE "C" NOT NULL CHECK (kind IN ('STEP', 'SLEEP', 'EVENT')),
  state       text COLLATE "C" NOT NULL CHECK (state IN ('WAITING', 'DONE', 'TIMED_OUT')),
  result      text,                               -- JSON, at most 1 MiB
  PRIMARY KEY (job_id, name)
) WITH (
  autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1
);
-- The sum makes it another expression than what the primary key begins with, so that a search by name never takes this index instead.
CREATE UNIQUE INDEX windrow_steps_position ON windrow_steps ((job_id + 0), position);
