package dev.windrow.telemetry;

/**
 * The names of all metrics and of their tags, by Micrometer's conventions. They are the source of the table in the
 * guide to telemetry, the dashboard and the alerts.
 */
final class MetricNames {
    // ---- of the whole store: equal in every process, so a dashboard takes the maximum over processes, not the sum
    static final String JOBS = "windrow.jobs";
    static final String TYPE_JOBS = "windrow.type.jobs";
    static final String UNHANDLED = "windrow.jobs.unhandled";
    static final String FAILED = "windrow.jobs.failed";
    static final String QUEUE_LAG = "windrow.queue.lag";
    static final String QUEUE_PAUSED = "windrow.queue.paused";
    static final String RUNNING_OLDEST = "windrow.running.oldest";
    static final String WAITS = "windrow.waits";
    static final String SCHEDULES = "windrow.schedules";
    static final String SCHEDULES_PAUSED = "windrow.schedules.paused";
    static final String SCHEDULES_OVERDUE = "windrow.schedules.overdue";
    static final String WORKERS = "windrow.workers";
    static final String WORKERS_SLOTS = "windrow.workers.slots";
    static final String WORKERS_BUSY = "windrow.workers.busy";
    static final String WORKERS_STUCK = "windrow.workers.stuck";
    // ---- of this process
    static final String STATISTICS_AGE = "windrow.statistics.age";
    static final String HEALTH = "windrow.health";
    static final String HEALTH_FAILING = "windrow.health.failing";
    static final String ENQUEUED = "windrow.jobs.enqueued";
    static final String RECLAIMED = "windrow.jobs.reclaimed";
    static final String WAIT = "windrow.attempt.wait";
    static final String RUN = "windrow.attempt.run";
    static final String RETRIES = "windrow.attempt.retries";
    static final String FAILURES = "windrow.attempt.failures";
    static final String LOST = "windrow.attempt.lost";
    static final String STUCK = "windrow.handler.stuck";
    static final String CLAIM = "windrow.claim";
    static final String CLAIM_JOBS = "windrow.claim.jobs";
    static final String COMMIT = "windrow.commit";
    static final String COMMIT_OPERATIONS = "windrow.commit.operations";

    static final String STATE = "state";
    static final String QUEUE = "queue";
    static final String TYPE = "type";
    static final String OUTCOME = "outcome";
    static final String CODE = "code";

    /** The outcomes of claims, with the names of outcomes of attempts. */
    static final String SUCCEEDED = "SUCCEEDED";

    static final String FAILED_OUTCOME = "FAILED";

    private MetricNames() {}
}
