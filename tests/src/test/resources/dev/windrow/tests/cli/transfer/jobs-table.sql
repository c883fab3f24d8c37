-- A table that an application made itself.
CREATE TABLE jobs (
  id INTEGER PRIMARY KEY AUTOINCREMENT, class TEXT, data, status TEXT DEFAULT 'pending', priority INTEGER, queue TEXT,
  run_at, attempts INTEGER DEFAULT 0, max_attempts INTEGER, created_at DATETIME DEFAULT CURRENT_TIMESTAMP,
  last_error TEXT, locked_by TEXT);
INSERT INTO jobs (class, data, status, priority, queue, run_at, attempts, max_attempts, last_error, locked_by) VALUES
  ('exec', '{"command":["echo","hi"]}', 'pending', 5, 'first', '2026-01-01 10:00:00', 1, 5, NULL, NULL),
  ('mail', '{"to":"Ada"}', NULL, NULL, NULL, 4070908800, 0, NULL, NULL, NULL),
  ('mail', '{"to":"Bob"}', 'Done', 0, 'first', NULL, 1, NULL, NULL, 'w1'),
  ('mail', '{"to":"Cid"}', 'error', 0, 'first', NULL, 3, 3, 'no such mailbox', 'w1'),
  ('mail', '{"to":"Dan"}', 'parked', 0, NULL, NULL, 0, 3, NULL, NULL),
  ('mail', x'ff00', 'pending', 0, NULL, NULL, 0, 3, NULL, NULL),
  ('mail', '{"to":"Eve"}', 'pending', 0, NULL, 'tomorrow', 0, 3, NULL, NULL),
  ('mail', '{"to":"Flo"}', 'pending', 0, 'a b', NULL, 0, 3, NULL, NULL);
