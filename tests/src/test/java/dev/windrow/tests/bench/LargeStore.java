package dev.windrow.tests.bench;

import dev.windrow.tests.stores.Target;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A store with many jobs, filled in minutes by a statement for each table. Of ten jobs in a row, six are COMPLETED, two FAILED, one is PENDING and
 * one SCHEDULED. They are in 20 pairs of queue and type. The newest 100 000 jobs have a payload. Each pair has sums for each minute and each hour of
 * a week.
 */
public final class LargeStore {
    private static final String SQLITE = """
            PRAGMA foreign_keys = OFF;
            PRAGMA synchronous = OFF;
            PRAGMA cache_size = -400000;
            BEGIN;
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20)
            INSERT INTO windrow_lanes (id, queue, type) SELECT i, 'queue' || (i % 2), 'type' || (i / 2) FROM n;
            WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < JOBS)
            INSERT INTO windrow_jobs (id, lane, state, scheduled_at, max_attempts, created_at, created_by, finished_at, error_code)
            SELECT i, 1 + i / 10 % 20,
                   CASE WHEN i % 10 < 6 THEN 'COMPLETED' WHEN i % 10 < 8 THEN 'FAILED'
                        WHEN i % 10 = 8 THEN 'PENDING' ELSE 'SCHEDULED' END,
                   4000000000000 + i, 3, 1800000000000 + i, 1, CASE WHEN i % 10 < 8 THEN 1800000000000 + i END,
                   CASE WHEN i % 10 IN (6, 7) THEN 'TEST:' || (i / 10 % 50) END
              FROM n;
            INSERT INTO windrow_payloads SELECT id, '{"customer":{"id":' || id || '}}' FROM windrow_jobs WHERE id > JOBS - 100000;
            INSERT INTO windrow_tags (job_id, tag) SELECT id, 'customer-' || (id / 10 % 50000) FROM windrow_jobs WHERE id % 10 = 0;
            INSERT INTO windrow_tags (job_id, tag) SELECT id, 'all' FROM windrow_jobs WHERE id % 3 = 0;
            INSERT INTO windrow_counters SELECT lane, state, count(*) FROM windrow_jobs GROUP BY 1, 2;
            INSERT INTO windrow_failures SELECT error_code, count(*), 0, 0 FROM windrow_jobs WHERE state = 'FAILED' GROUP BY 1;
            WITH RECURSIVE n (i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 10079)
            INSERT INTO windrow_throughput
            SELECT 1, unixepoch() / 60 - i, l.id, 90, 10, 5000, 90000, '[0,5,30,40,20,5,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]',
                   '[0,0,0,0,0,5,30,40,20,5,0,0,0,0,0,0,0,0,0,0,0,0,0,0]', 30, 500
              FROM n, windrow_lanes l;
            INSERT INTO windrow_throughput
            SELECT 60, minute - minute % 60, lane, sum(succeeded), sum(failed), sum(wait_ms), sum(run_ms),
                   '[0,300,1800,2400,1200,300,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]',
                   '[0,0,0,0,0,300,1800,2400,1200,300,0,0,0,0,0,0,0,0,0,0,0,0,0,0]', 30, 500
              FROM windrow_throughput GROUP BY 2, 3;
            UPDATE windrow_ids SET next = JOBS + 1;
            COMMIT""";

    private static final String POSTGRES = """
            SET synchronous_commit = off;
            INSERT INTO windrow_lanes (id, queue, type) OVERRIDING SYSTEM VALUE
            SELECT i, 'queue' || (i % 2), 'type' || (i / 2) FROM generate_series(1, 20) i;
            SELECT setval(pg_get_serial_sequence('windrow_lanes', 'id'), 20);
            INSERT INTO windrow_jobs (id, lane, state, scheduled_at, max_attempts, finished_at, error_code)
            SELECT i, 1 + i / 10 % 20,
                   CASE WHEN i % 10 < 6 THEN 'COMPLETED' WHEN i % 10 < 8 THEN 'FAILED'
                        WHEN i % 10 = 8 THEN 'PENDING' ELSE 'SCHEDULED' END,
                   4000000000000 + i, 3, CASE WHEN i % 10 < 8 THEN 1800000000000 + i END,
                   CASE WHEN i % 10 IN (6, 7) THEN 'TEST:' || (i / 10 % 50) END
              FROM generate_series(1, JOBS) i;
            INSERT INTO windrow_inputs (job_id, created_at, lane, created_by, payload)
            SELECT i, 1800000000000 + i, 1 + i / 10 % 20, 1, CASE WHEN i > JOBS - 100000 THEN '{"customer":{"id":' || i || '}}' END
              FROM generate_series(1, JOBS) i;
            INSERT INTO windrow_tags (job_id, tag) SELECT i, 'customer-' || (i / 10 % 50000) FROM generate_series(10, JOBS, 10) i;
            INSERT INTO windrow_tags (job_id, tag) SELECT i, 'all' FROM generate_series(3, JOBS, 3) i;
            INSERT INTO windrow_counters SELECT lane, state, count(*) FROM windrow_jobs GROUP BY 1, 2;
            INSERT INTO windrow_failures SELECT error_code, count(*), 0, 0 FROM windrow_jobs WHERE state = 'FAILED' GROUP BY 1;
            INSERT INTO windrow_throughput (length, minute, lane, succeeded, failed, wait_ms, run_ms, wait_bins, run_bins, wait_max, run_max)
            SELECT 1, extract(epoch FROM clock_timestamp())::bigint / 60 - i, l.id, 90, 10, 5000, 90000,
                   '{0,5,30,40,20,5,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}', '{0,0,0,0,0,5,30,40,20,5,0,0,0,0,0,0,0,0,0,0,0,0,0,0}', 30, 500
              FROM generate_series(0, 10079) i, windrow_lanes l;
            INSERT INTO windrow_throughput (length, minute, lane, succeeded, failed, wait_ms, run_ms, wait_bins, run_bins, wait_max, run_max)
            SELECT 60, minute - minute % 60, lane, sum(succeeded), sum(failed), sum(wait_ms), sum(run_ms),
                   '{0,300,1800,2400,1200,300,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0}',
                   '{0,0,0,0,0,300,1800,2400,1200,300,0,0,0,0,0,0,0,0,0,0,0,0,0,0}', 30, 500
              FROM windrow_throughput GROUP BY 2, 3;
            SELECT setval('windrow_ids', JOBS + 1);
            VACUUM ANALYZE""";

    private LargeStore() {}

    /** Fills the empty tables of a store. */
    public static void fill(Target target, int jobs) throws SQLException {
        String script = (target.isFile() ? SQLITE : POSTGRES).replace("JOBS", Integer.toString(jobs));
        try (Connection connection = target.connect();
                Statement statement = connection.createStatement()) {
            for (String sql : script.split(";\n", -1)) {
                statement.execute(sql);
            }
        }
    }
}
