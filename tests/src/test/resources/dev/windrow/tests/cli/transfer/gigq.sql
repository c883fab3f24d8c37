-- The tables of a file of GigQ 0.5.1, and jobs in each state.
CREATE TABLE jobs (
  id TEXT PRIMARY KEY, name TEXT NOT NULL, function_name TEXT NOT NULL, function_module TEXT NOT NULL, params TEXT,
  priority INTEGER DEFAULT 0, dependencies TEXT, max_attempts INTEGER DEFAULT 3, timeout INTEGER DEFAULT 300,
  description TEXT, status TEXT NOT NULL, created_at TEXT NOT NULL, updated_at TEXT NOT NULL,
  attempts INTEGER DEFAULT 0, result TEXT, error TEXT, started_at TEXT, completed_at TEXT, worker_id TEXT,
  pass_parent_results INTEGER, retry_delay INTEGER DEFAULT 0, retry_after TEXT);
CREATE TABLE job_executions (
  id TEXT PRIMARY KEY, job_id TEXT NOT NULL, worker_id TEXT NOT NULL, status TEXT NOT NULL, started_at TEXT NOT NULL,
  completed_at TEXT, result TEXT, error TEXT, FOREIGN KEY (job_id) REFERENCES jobs (id));

CREATE VIEW new_jobs AS SELECT id, name, params, dependencies, status, attempts, priority FROM jobs;
CREATE TRIGGER new_job INSTEAD OF INSERT ON new_jobs BEGIN
  INSERT INTO jobs (id, name, function_name, function_module, params, dependencies, status, attempts, priority,
      description, created_at, updated_at)
    VALUES (NEW.id, NEW.name, 'run', 'tasks', NEW.params, coalesce(NEW.dependencies, '[]'), NEW.status,
      coalesce(NEW.attempts, 0), coalesce(NEW.priority, 0), '', '2026-03-01T10:00:00.' || NEW.id, '2026-03-01T10:00:00');
END;
INSERT INTO new_jobs VALUES
  ('100', 'child of later', '{"command": ["echo", "child"]}', '["101", "102"]', 'pending', 0, 0),
  ('101', 'parent', '{"command": ["echo", "parent"]}', NULL, 'pending', 0, 7),
  ('102', 'done parent', '{"a": 1, "b": 2.50}', NULL, 'completed', 1, 0),
  ('103', 'retried later', '{"command": ["true"]}', NULL, 'pending', 1, 40000),
  ('104', 'broken', '{"x": NaN}', NULL, 'failed', 3, 0),
  ('105', 'too slow', '{}', NULL, 'timeout', 3, 0),
  ('106', 'unwanted', '{}', NULL, 'cancelled', 0, 0),
  ('107', 'waits for broken', '{"command": ["true"]}', '["104"]', 'pending', 0, 0),
  ('108', 'parent was deleted', '{"command": ["true"]}', '["099"]', 'pending', 0, 0),
  ('109', 'cycle a', '{}', '["110"]', 'pending', 0, 0),
  ('110', 'cycle b', '{}', '["109"]', 'pending', 0, 0),
  ('111', 'new state', '{}', NULL, 'paused', 0, 0),
  ('112', 'child of skipped', '{}', '["111"]', 'pending', 0, 0);
UPDATE jobs SET result = '{"sum": 3.50}', timeout = 20 WHERE id = '102';
UPDATE jobs SET error = 'not yet', retry_after = '2099-01-01T10:00:00', retry_delay = 60, timeout = 20 WHERE id = '103';
UPDATE jobs SET error = 'no such file' WHERE id = '104';
DROP TRIGGER new_job;
DROP VIEW new_jobs;
