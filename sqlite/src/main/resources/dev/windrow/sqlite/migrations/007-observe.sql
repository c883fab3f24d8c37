-- What answers the questions of operators at any size: sums that are kept, rules of retention, and who of many processes sees to a duty.

-- How long jobs are kept after they have ended in a state. A rule for a type goes before that of the state.
CREATE TABLE windrow_retention (
  state   TEXT NOT NULL CHECK (state = 'COMPLETED' OR state = 'FAILED' OR state = 'CANCELLED'),
  type    TEXT NOT NULL DEFAULT '',               -- '': of any
  keep_ms INTEGER,                                -- NULL: for ever
  PRIMARY KEY (state, type)
) STRICT, WITHOUT ROWID;
INSERT INTO windrow_retention (state, keep_ms)
VALUES ('COMPLETED', 30 * 86400000), ('FAILED', 90 * 86400000), ('CANCELLED', 30 * 86400000);
-- What one of many processes does for all. Who does it has the row until the time that it says, or until it says that it is done.
CREATE TABLE windrow_duties (
  name     TEXT PRIMARY KEY,
  holder   TEXT,                                  -- NULL: nobody
  until_at INTEGER,                               -- the end of the lease
  last_at  INTEGER,                               -- when it was last done
  detail   TEXT                                   -- what came of that: short JSON
) STRICT, WITHOUT ROWID;

-- With which codes jobs are FAILED, how many now, and when the first and the last one failed; kept in the transactions that move them.
-- '' stands for no code.
CREATE TABLE windrow_failures (
  error_code TEXT PRIMARY KEY,
  n          INTEGER NOT NULL,
  first_at   INTEGER,
  last_at    INTEGER
) STRICT, WITHOUT ROWID;
INSERT INTO windrow_failures (error_code, n, first_at, last_at)
SELECT coalesce(error_code, ''), count(*), min(finished_at), max(finished_at)
  FROM windrow_jobs WHERE state = 'FAILED' GROUP BY coalesce(error_code, '');
