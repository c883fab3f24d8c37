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
