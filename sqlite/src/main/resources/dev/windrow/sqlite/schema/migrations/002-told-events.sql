-- The rows of jobs and attempts tell the plain events, which had rows of their own.

-- Each job has an ENQUEUED event, unless somebody has deleted it.
INSERT INTO windrow_actors (name) VALUES ('system') ON CONFLICT DO NOTHING;
ALTER TABLE windrow_jobs ADD COLUMN created_by INTEGER NOT NULL DEFAULT 0;
UPDATE windrow_jobs
   SET created_by = coalesce(
         (SELECT e.actor FROM windrow_events e WHERE e.job_id = windrow_jobs.id AND e.event = 'ENQUEUED' LIMIT 1),
         (SELECT id FROM windrow_actors WHERE name = 'system' AND instance = ''));

-- A process could leave out the CLAIMED events. Then the job has the time of its last claim, and an earlier claim is as old as the start.
ALTER TABLE windrow_attempts ADD COLUMN claimed_at INTEGER NOT NULL DEFAULT 0;
UPDATE windrow_attempts
   SET claimed_at = coalesce(
         (SELECT max(e.at) FROM windrow_events e
           WHERE e.job_id = windrow_attempts.job_id AND e.token = windrow_attempts.token AND e.event = 'CLAIMED'),
         (SELECT j.claimed_at FROM windrow_jobs j WHERE j.id = windrow_attempts.job_id AND j.token = windrow_attempts.token),
         started_at, finished_at);

DELETE FROM windrow_events WHERE event IN ('CLAIMED', 'STARTED') OR (event = 'ENQUEUED' AND detail IS NULL);

-- Only running jobs have a request to cancel, and only blocked ones a time-out. A completed job with a worker has no attempt of its own.
UPDATE windrow_jobs SET cancel_requested = 0 WHERE cancel_requested <> 0 AND state <> 'RUNNING';
UPDATE windrow_jobs SET wake_at = NULL WHERE wake_at IS NOT NULL AND state <> 'BLOCKED';
UPDATE windrow_jobs SET worker = NULL WHERE worker IS NOT NULL AND state <> 'RUNNING';
DROP INDEX windrow_jobs_cancel;
CREATE INDEX windrow_jobs_cancel ON windrow_jobs (id) WHERE cancel_requested <> 0;
DROP INDEX windrow_jobs_wake;
CREATE INDEX windrow_jobs_wake ON windrow_jobs (wake_at) WHERE wake_at IS NOT NULL;

DROP VIEW windrow_job_view;
DROP VIEW windrow_attempt_view;
DROP VIEW windrow_event_view;

CREATE VIEW windrow_job_view AS
SELECT j.id, l.queue, l.type, j.state, j.name, j.priority,
       CASE j.state WHEN 'RUNNING' THEN j.used + 1 ELSE j.used END AS attempt, j.run, j.max_attempts,
       a.name AS worker, j.error_code, j.error_detail,
       strftime('%Y-%m-%dT%H:%M:%fZ', j.created_at / 1000.0, 'unixepoch') AS created,
       strftime('%Y-%m-%dT%H:%M:%fZ', j.scheduled_at / 1000.0, 'unixepoch') AS scheduled,
       strftime('%Y-%m-%dT%H:%M:%fZ', j.started_at / 1000.0, 'unixepoch') AS started,
       strftime('%Y-%m-%dT%H:%M:%fZ', j.finished_at / 1000.0, 'unixepoch') AS finished,
       j.started_at - j.scheduled_at AS wait_ms, j.finished_at - j.started_at AS run_ms,
       p.payload, r.result, m.metadata
  FROM windrow_jobs j
  JOIN windrow_lanes l ON l.id = j.lane
  LEFT JOIN windrow_actors a ON a.id = j.worker AND j.state = 'RUNNING'
  LEFT JOIN windrow_payloads p ON p.job_id = j.id
  LEFT JOIN windrow_results r ON r.job_id = j.id
  LEFT JOIN windrow_metadata m ON m.job_id = j.id;

-- All ended attempts.
CREATE VIEW windrow_attempt_view AS
SELECT t.job_id, t.token, t.run, t.attempt, a.name AS worker, t.outcome, t.error_code, t.error_detail,
       strftime('%Y-%m-%dT%H:%M:%fZ', t.claimed_at / 1000.0, 'unixepoch') AS claimed,
       strftime('%Y-%m-%dT%H:%M:%fZ', t.started_at / 1000.0, 'unixepoch') AS started,
       strftime('%Y-%m-%dT%H:%M:%fZ', t.finished_at / 1000.0, 'unixepoch') AS finished,
       t.finished_at - t.started_at AS run_ms
  FROM (SELECT job_id, token, run, attempt, worker, outcome, error_code, error_detail, claimed_at, started_at, finished_at
          FROM windrow_attempts
        UNION ALL
        SELECT j.id, j.token, j.run, j.used, j.worker, 'SUCCEEDED', NULL, NULL, j.claimed_at, j.started_at, j.finished_at
          FROM windrow_jobs j
         WHERE j.state = 'COMPLETED' AND j.worker IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM windrow_attempts t WHERE t.job_id = j.id AND t.token = j.token)) t
  JOIN windrow_actors a ON a.id = t.worker;

-- The events of the log, and the ones that jobs and attempts tell, which have no number.
CREATE VIEW windrow_event_view AS
SELECT e.job_id, e.seq, strftime('%Y-%m-%dT%H:%M:%fZ', e.at / 1000.0, 'unixepoch') AS at,
       e.event, a.name AS actor, e.token, e.detail
  FROM (SELECT job_id, seq, at, event, actor, token, detail FROM windrow_events
        UNION ALL
        SELECT j.id, NULL, j.created_at, 'ENQUEUED', j.created_by, 0, NULL FROM windrow_jobs j
         WHERE NOT EXISTS (SELECT 1 FROM windrow_events e WHERE e.job_id = j.id AND e.event = 'ENQUEUED')
        UNION ALL
        SELECT t.job_id, NULL, t.claimed_at, 'CLAIMED', t.worker, t.token, NULL FROM windrow_attempts t
        UNION ALL
        SELECT t.job_id, NULL, t.started_at, 'STARTED', t.worker, t.token, NULL FROM windrow_attempts t
         WHERE t.started_at IS NOT NULL
        UNION ALL
        SELECT j.id, NULL, j.claimed_at, 'CLAIMED', j.worker, j.token, NULL FROM windrow_jobs j
         WHERE j.worker IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM windrow_attempts t WHERE t.job_id = j.id AND t.token = j.token)
        UNION ALL
        SELECT j.id, NULL, j.started_at, 'STARTED', j.worker, j.token, NULL FROM windrow_jobs j
         WHERE j.worker IS NOT NULL AND j.started_at IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM windrow_attempts t WHERE t.job_id = j.id AND t.token = j.token)
        UNION ALL
        SELECT j.id, NULL, j.finished_at, 'SUCCEEDED', j.worker, j.token, NULL FROM windrow_jobs j
         WHERE j.state = 'COMPLETED' AND j.worker IS NOT NULL
           AND NOT EXISTS (SELECT 1 FROM windrow_events e WHERE e.job_id = j.id AND e.event = 'SUCCEEDED')) e
  JOIN windrow_actors a ON a.id = e.actor;
