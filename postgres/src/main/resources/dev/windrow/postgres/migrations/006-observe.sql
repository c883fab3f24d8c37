-- What answers the questions of operators at any size: sums that are kept, rules of retention, and who of many processes sees to a duty.

-- How long jobs are kept after they have ended in a state. A rule for a type goes before that of the state.
CREATE TABLE windrow_retention (
  keep_ms bigint,                                 -- NULL: for ever
  state   text COLLATE "C" NOT NULL CHECK (state IN ('COMPLETED', 'FAILED', 'CANCELLED')),
  type    text COLLATE "C" NOT NULL DEFAULT '',   -- '': of any
  PRIMARY KEY (state, type)
);
INSERT INTO windrow_retention (state, keep_ms)
VALUES ('COMPLETED', 30 * 86400000::bigint), ('FAILED', 90 * 86400000::bigint), ('CANCELLED', 30 * 86400000::bigint);
-- What one of many processes does for all. Who does it has the row until the time that it says, or until it says that it is done.
CREATE TABLE windrow_duties (
  until_at bigint,                                -- the end of the lease
  last_at  bigint,                                -- when it was last done
  name     text COLLATE "C" PRIMARY KEY,
  holder   text COLLATE "C",                      -- NULL: nobody
  detail   text                                   -- what came of that: short JSON
) WITH (fillfactor = 50);

-- With which codes jobs are FAILED, how many now, and when the first and the last one failed: what was folded, and what the transactions since
-- have added. '' stands for no code.
CREATE TABLE windrow_failures (
  error_code text COLLATE "C" PRIMARY KEY,
  n          bigint NOT NULL,
  first_at   bigint,
  last_at    bigint
) WITH (fillfactor = 50);
CREATE TABLE windrow_failure_deltas (
  n          bigint NOT NULL,
  first_at   bigint,                              -- NULL: none has failed
  last_at    bigint,
  error_code text COLLATE "C" NOT NULL
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0);
ALTER TABLE windrow_failure_deltas REPLICA IDENTITY FULL;
INSERT INTO windrow_failures (error_code, n, first_at, last_at)
SELECT coalesce(error_code, ''), count(*), min(finished_at), max(finished_at)
  FROM windrow_jobs WHERE state = 'FAILED' GROUP BY coalesce(error_code, '');
