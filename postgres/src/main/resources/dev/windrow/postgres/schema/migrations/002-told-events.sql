-- The rows of jobs and attempts tell the plain events, which had rows of their own.

-- Waits for the locks of the whole script before it begins. Each writing transaction reads the lanes when it checks the schema, so none is under way.
LOCK TABLE windrow_lanes, windrow_inputs, windrow_attempts, windrow_events, windrow_jobs IN ACCESS EXCLUSIVE MODE;

-- Each job has an ENQUEUED event, unless somebody has deleted it.
INSERT INTO windrow_actors (name, instance) VALUES ('system', '') ON CONFLICT DO NOTHING;
ALTER TABLE windrow_inputs ADD COLUMN created_by integer;
UPDATE windrow_inputs i
   SET created_by = coalesce(
         (SELECT e.actor FROM windrow_events e WHERE e.job_id = i.job_id AND e.event = 'ENQUEUED' LIMIT 1),
         (SELECT id FROM windrow_actors WHERE name = 'system' AND instance = ''));
ALTER TABLE windrow_inputs ALTER COLUMN created_by SET NOT NULL;

-- A process could leave out the CLAIMED events. Then the job has the time of its last claim, and an earlier claim is as old as the start.
ALTER TABLE windrow_attempts ADD COLUMN claimed_at bigint;
UPDATE windrow_attempts t
   SET claimed_at = coalesce(
         (SELECT max(e.at) FROM windrow_events e WHERE e.job_id = t.job_id AND e.token = t.token AND e.event = 'CLAIMED'),
         (SELECT j.claimed_at FROM windrow_jobs j WHERE j.id = t.job_id AND j.token = t.token), started_at, finished_at);
ALTER TABLE windrow_attempts ALTER COLUMN claimed_at SET NOT NULL;

DELETE FROM windrow_events WHERE event IN ('CLAIMED', 'STARTED') OR (event = 'ENQUEUED' AND detail IS NULL);

-- Only running jobs have a request to cancel, and only blocked ones a time-out. A completed job with a worker has no attempt of its own.
UPDATE windrow_jobs
   SET cancel_requested = CASE WHEN state = 'RUNNING' THEN cancel_requested ELSE 0 END,
       wake_at = CASE WHEN state = 'BLOCKED' THEN wake_at END,
       worker = CASE WHEN state = 'RUNNING' THEN worker END
 WHERE (cancel_requested <> 0 AND state <> 'RUNNING') OR (wake_at IS NOT NULL AND state <> 'BLOCKED')
    OR (worker IS NOT NULL AND state <> 'RUNNING');

DROP VIEW windrow_job_view;
DROP VIEW windrow_attempt_view;
DROP VIEW windrow_event_view;

CREATE VIEW windrow_job_view AS
SELECT j.id, l.queue, l.type, j.state, i.name, j.priority,
       CASE j.state WHEN 'RUNNING' THEN j.used + 1 ELSE j.used END AS attempt, j.run, j.max_attempts,
       a.name AS worker, j.error_code, j.error_detail,
       to_timestamp(i.created_at / 1000.0) AS created, to_timestamp(j.scheduled_at / 1000.0) AS scheduled,
       to_timestamp(j.started_at / 1000.0) AS started, to_timestamp(j.finished_at / 1000.0) AS finished,
       j.started_at - j.scheduled_at AS wait_ms, j.finished_at - j.started_at AS run_ms,
       i.payload, r.result, m.metadata
  FROM windrow_jobs j
  JOIN windrow_inputs i ON i.job_id = j.id
  JOIN windrow_lanes l ON l.id = j.lane
  LEFT JOIN windrow_actors a ON a.id = j.worker AND j.state = 'RUNNING'
  LEFT JOIN windrow_results r ON r.job_id = j.id
  LEFT JOIN windrow_metadata m ON m.job_id = j.id;

CREATE VIEW windrow_attempt_view AS
SELECT t.job_id, t.token, t.run, t.attempt, a.name AS worker, t.outcome, t.error_code, t.error_detail,
       to_timestamp(t.claimed_at / 1000.0) AS claimed, to_timestamp(t.started_at / 1000.0) AS started,
       to_timestamp(t.finished_at / 1000.0) AS finished, t.finished_at - t.started_at AS run_ms
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
SELECT e.job_id, e.seq, to_timestamp(e.at / 1000.0) AS at, e.event, a.name AS actor, e.token, e.detail
  FROM (SELECT job_id, seq, at, event, actor, token, detail FROM windrow_events
        UNION ALL
        SELECT i.job_id, NULL, i.created_at, 'ENQUEUED', i.created_by, 0, NULL FROM windrow_inputs i
         WHERE NOT EXISTS (SELECT 1 FROM windrow_events e WHERE e.job_id = i.job_id AND e.event = 'ENQUEUED')
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
