-- The longest wait and the longest run of a minute. No percentile is longer. Of older minutes only the sums are known, which are at least as long.
ALTER TABLE windrow_minutes ADD COLUMN wait_max bigint NOT NULL DEFAULT 0;
ALTER TABLE windrow_minutes ADD COLUMN run_max bigint NOT NULL DEFAULT 0;
UPDATE windrow_minutes SET wait_max = wait_ms, run_max = run_ms;
