package dev.windrow.engine.monitor;

import dev.windrow.AttemptOutcome;
import dev.windrow.Durations;
import dev.windrow.ErrorCodes;
import dev.windrow.JobState;
import dev.windrow.TimeSource;
import dev.windrow.Windrow;
import dev.windrow.engine.payload.Texts;
import dev.windrow.engine.worker.Attempt;
import dev.windrow.store.LogThrottle;
import dev.windrow.store.Transition;
import dev.windrow.store.job.Orphan;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Suspect;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs failed attempts that the store has recorded: a warning for a retried attempt, an error for a job that is
 * {@code FAILED}.
 *
 * <p>A {@link Windrow} logs at most {@link #LINES} lines of each level a minute for one job type, with the number of
 * omitted ones. So a dependency that is down does not flood the log. The listeners' thread logs the lines, after the
 * events of the attempts. A console may block, and a thread of the store must not.
 *
 * <p>A failure here never reaches the caller, because the attempt has ended even if that cannot be logged. Safe for use
 * by many threads.
 */
public final class FailureLog {
    static final int LINES = 10;

    // Guarded below, where a second line reports a line that fails.
    private static final Logger log = LoggerFactory.getLogger(FailureLog.class);

    private final TimeSource time;
    private final Listeners listeners;
    // Types are few, because programs define them.
    private final Map<String, LogThrottle> retried = new ConcurrentHashMap<>();
    private final Map<String, LogThrottle> failed = new ConcurrentHashMap<>();

    public FailureLog(TimeSource time, Listeners listeners) {
        this.time = time;
        this.listeners = listeners;
    }

    /**
     * Logs the end of an attempt if it has failed.
     *
     * @param after the job's new state; a job that is {@code CANCELLED} is not logged
     * @param cause the handler's exception, or null
     */
    public void ended(Attempt attempt, Settle end, JobState after, @Nullable Throwable cause) {
        boolean failure = end.outcome() == AttemptOutcome.FAILED || end.outcome() == AttemptOutcome.TIMEOUT;
        if (!failure || after == JobState.CANCELLED) {
            return;
        }
        guarded(
                attempt.id(),
                () -> tell(
                        attempt,
                        attempt.id(),
                        attempt.type(),
                        "%d of %d".formatted(attempt.job().used() + 1, attempt.maxAttempts()),
                        end.errorCode() + detail(end.errorDetail()),
                        end.nextRunAtMillis(),
                        cause));
    }

    /** Logs a reclaimed job if that counts as an attempt; a job that is cancelled is not logged. */
    public void reclaimed(Orphan reclaim) {
        Suspect job = reclaim.suspect();
        boolean counts = reclaim.transition() == Transition.FAIL || reclaim.outcome() == AttemptOutcome.RECOVERED;
        if (counts && reclaim.transition() != Transition.CANCEL_RUNNING) {
            guarded(
                    job.leaseToken().id(),
                    () -> tell(
                            null,
                            job.leaseToken().id(),
                            job.type(),
                            "%d of %d".formatted(job.used() + 1, job.maxAttempts()),
                            "%s: %s".formatted(ErrorCodes.INTERNAL_CRASHED, job.whyLost()),
                            reclaim.nextRunAtMillis(),
                            null));
        }
    }

    private static String detail(@Nullable String detail) {
        return detail == null || detail.isBlank() ? "" : ": " + Texts.line(detail);
    }

    private static void guarded(long id, Runnable line) {
        try {
            line.run();
        } catch (Throwable e) {
            try {
                // Without the exception itself, because an exception whose own methods throw makes a log fail.
                log.error(
                        "A failed attempt of job {} could not be logged: {}. See 'windrow show {}'",
                        id,
                        e.getClass().getName(),
                        id);
            } catch (Throwable logFails) {
                // No way is left to log it, and the store has recorded the failure.
            }
        }
    }

    /** Counts the failure, and queues its line for the listeners' thread if the type has lines left in this minute. */
    private void tell(
            @Nullable Attempt about,
            long id,
            String type,
            String attempt,
            String why,
            @Nullable Long dueMillis,
            @Nullable Throwable cause) {
        if (dueMillis == null) {
            repeats(failed, type)
                    .tell(more -> later(
                            about,
                            id,
                            () -> log.error(
                                    "Job {} ({}): attempt {} failed as {}. The job is FAILED and does not run again by itself:"
                                            + " see 'windrow show {}', then 'windrow retry {}' or 'windrow delete {}'{}",
                                    id,
                                    type,
                                    attempt,
                                    why,
                                    id,
                                    id,
                                    id,
                                    more,
                                    cause)));
        } else {
            Instant due = Instant.ofEpochMilli(dueMillis);
            Duration delay = Duration.between(time.now(), due);
            repeats(retried, type)
                    .tell(more -> later(
                            about,
                            id,
                            () -> log.warn(
                                    "Job {} ({}): attempt {} failed as {}. It is retried in {}, at {}{}",
                                    id,
                                    type,
                                    attempt,
                                    why,
                                    Durations.text(Duration.ofMillis(Math.max(0, delay.toMillis()))),
                                    due,
                                    more,
                                    cause)));
        }
    }

    private void later(@Nullable Attempt about, long id, Runnable line) {
        listeners.log(() -> guarded(id, () -> {
            if (about == null) {
                line.run();
            } else {
                LogContext.about(about, line::run);
            }
        }));
    }

    private LogThrottle repeats(Map<String, LogThrottle> of, String type) {
        return of.computeIfAbsent(type, any -> new LogThrottle(time, LINES));
    }
}
