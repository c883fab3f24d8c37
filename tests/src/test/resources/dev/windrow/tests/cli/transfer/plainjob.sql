-- The tables of a file of plainjob 0.0.14, and jobs and schedules in each state but running.
CREATE TABLE plainjob_jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL, data TEXT NOT NULL, status INTEGER DEFAULT 0 NOT NULL,
  failed_at INTEGER, error TEXT, next_run_at INTEGER, created_at INTEGER NOT NULL);
CREATE TABLE plainjob_scheduled_jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT, type TEXT NOT NULL UNIQUE, status INTEGER DEFAULT 0 NOT NULL,
  cron_expression TEXT, next_run_at INTEGER, created_at INTEGER NOT NULL);
INSERT INTO plainjob_jobs (type, data, status, failed_at, error, next_run_at, created_at) VALUES
  ('send mail', '{"command":["true"]}', 0, NULL, NULL, 1770000000000, 1770000000000),
  ('report', '{"day":1}', 0, NULL, NULL, 4070908800000, 1770000000001),
  ('report', '{"day":2}', 2, NULL, NULL, 1770000000002, 1770000000002),
  ('report', 'day=3', 3, 1770000000900, 'Error: disk full' || char(10) || replace(hex(zeroblob(300)), '0', 'x'),
    1770000000003, 1770000000003),
  ('report', '{}', 7, NULL, NULL, 1770000000004, 1770000000004);
INSERT INTO plainjob_scheduled_jobs (type, cron_expression, next_run_at, created_at) VALUES
  ('nightly', '0 3 * * *', 0, 1770000000000),
  ('send mail', '*/10 * * * * *', 0, 1770000000000),
  ('never', '0 0 30 2 *', 0, 1770000000000);
