package dev.windrow.engine.retention;

import dev.windrow.JobState;
import dev.windrow.TimeSource;
import dev.windrow.engine.Answers;
import dev.windrow.engine.Loop;
import dev.windrow.monitor.Health;
import dev.windrow.query.JobFilter;
import dev.windrow.retention.DeadLetterRetry;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import dev.windrow.store.job.Change;
import dev.windrow.store.job.ChangeByFilter;
import dev.windrow.store.job.ChangeResult;
import java.time.Duration;
import java.time.Instant;
import org.slf4j.Logger;

/**
 * The background task of a {@link DeadLetterRetry}. Several processes have the same effect as one: after one of them
 * has retried a job, the job is not {@code FAILED} for long enough when another process checks.
 */
public final class DeadLetterRetries {
    /** The actor of automatic retries in the event log and the audit. */
    static final String ACTOR = "auto-retry";

    /** The bounds of the time between two checks, which is a quarter of the time after which a job is retried. */
    private static final Duration MAX_RATE = Duration.ofSeconds(1);

    private static final Duration LEAST_OFTEN = Duration.ofMinutes(1);

    private static final Logger log = SafeLogger.of(DeadLetterRetries.class);

    private final DeadLetterRetry deadLetterRetry;
    private final OpenStore store;
    private final TimeSource time;
    private final Loop loop;

    public DeadLetterRetries(DeadLetterRetry deadLetterRetry, OpenStore store, TimeSource time) {
        this.deadLetterRetry = deadLetterRetry;
        this.store = store;
        this.time = time;
        this.loop = new Loop("windrow-auto-retry", time, this::round);
    }

    public void start() {
        loop.start();
    }

    public Health.Task task() {
        return loop.task();
    }

    public void close() {
        loop.stopAndJoin(Duration.ofSeconds(5));
    }

    private long round() {
        Instant now = time.now();
        for (String code : deadLetterRetry.errorCodes()) {
            JobFilter failed = JobFilter.inState(JobState.FAILED)
                    .withErrorCode(code)
                    .withCreatedFrom(now.minus(deadLetterRetry.until()))
                    .withFinishedBefore(now.minus(deadLetterRetry.after()));
            ChangeResult retried = Answers.get(
                    ChangeByFilter.run(
                            store,
                            Change.byFilter(Change.Verb.RETRY, failed, ACTOR).build()),
                    "retrying jobs that failed with " + code);
            if (retried.count() > 0) {
                log.info("{} jobs that had failed with {} are retried", retried.count(), code);
            }
        }
        long quarter = deadLetterRetry.after().toNanos() / 4;
        return Math.max(MAX_RATE.toNanos(), Math.min(LEAST_OFTEN.toNanos(), quarter));
    }
}
