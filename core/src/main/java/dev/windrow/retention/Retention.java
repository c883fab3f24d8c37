package dev.windrow.retention;

import dev.windrow.InvalidRequestException;
import dev.windrow.JobInfo;
import dev.windrow.JobState;
import dev.windrow.JobType;
import dev.windrow.StoreUnavailableException;
import dev.windrow.Windrow;
import dev.windrow.monitor.AuditEntry;
import java.time.Duration;
import java.util.Optional;

/**
 * The retention of ended jobs: rules in the store, which all processes and the command line follow, and passes, which delete jobs. Made by
 * {@link Windrow#retention}. Safe for use by many threads.
 *
 * <p>Each change of a rule returns all rules and writes an {@link AuditEntry}. It applies from the next transaction of a pass on.
 */
public interface Retention {
    /** Reads the rules. */
    RetentionRules rules();

    /**
     * Keeps jobs that have ended in this state at least for this time. A rule for their type takes precedence.
     *
     * @param state {@code COMPLETED}, {@code FAILED} or {@code CANCELLED}
     * @param time 0 to 36500 days after {@link JobInfo#finishedAt}
     * @throws InvalidRequestException if the state or the time is not allowed
     */
    RetentionRules keep(JobState state, Duration time);

    /** Keeps jobs of one type that have ended in this state at least for this time; see {@link #keep(JobState, Duration)}. */
    RetentionRules keep(JobState state, String type, Duration time);

    /** Keeps jobs of one type that have ended in this state at least for this time. The rule applies to the type's name and not its aliases. */
    default RetentionRules keep(JobState state, JobType<?, ?> type, Duration time) {
        return keep(state, type.name(), time);
    }

    /** Keeps jobs that have ended in this state forever, unless there is a rule for their type. */
    RetentionRules keepForever(JobState state);

    /** Keeps jobs of one type that have ended in this state forever. */
    RetentionRules keepForever(JobState state, String type);

    /** Keeps jobs of one type that have ended in this state forever. The rule applies to the type's name and not its aliases. */
    default RetentionRules keepForever(JobState state, JobType<?, ?> type) {
        return keepForever(state, type.name());
    }

    /** Removes the rule of a state: {@link RetentionRules#DEFAULT} applies again. */
    RetentionRules reset(JobState state);

    /** Removes the rule of a type: the rule of the state applies again. */
    RetentionRules reset(JobState state, String type);

    /** Removes the rule of a type: the rule of the state applies again. */
    default RetentionRules reset(JobState state, JobType<?, ?> type) {
        return reset(state, type.name());
    }

    /** Reads the last pass that a worker has made; empty if there was none. Passes by {@link #cleanup()} do not count. */
    Optional<RetentionRun> lastRun();

    /** Deletes the jobs that the rules no longer keep; see {@link #cleanup(Cleanup)}. */
    default RetentionResult cleanup() {
        return cleanup(Cleanup.BY_THE_RULES);
    }

    /**
     * Makes one pass of retention on the caller's thread. It deletes old ended jobs, by the {@linkplain #rules rules} or by other ages, with all
     * their data. Then it deletes old sums of minutes and hours and old entries of the audit. It has no time limit. Workers make the same passes at
     * an {@linkplain Windrow.Builder#retentionEvery interval}. Several passes may run at once.
     *
     * <p>A pass does not delete a job while one of its dependents is not {@code COMPLETED}. It deletes the jobs of a chain only when all of them may
     * be deleted. It does not delete dedupe keys that outlast their job.
     *
     * <p>A pass deletes in many transactions of some milliseconds, and pauses after each for twice as long. An exception, an interrupt or the end of
     * the process may end it at any time. Its committed part remains, and the next pass continues. It writes one {@link AuditEntry}.
     *
     * @throws CleanupFailedException if the archive fails, the thread is interrupted, or the store fails. The exception has the result so far
     */
    RetentionResult cleanup(Cleanup cleanup);

    /** Counts the jobs that the rules no longer keep, and deletes nothing; see {@link #preview(Cleanup)}. */
    default RetentionResult preview() {
        return preview(Cleanup.BY_THE_RULES);
    }

    /**
     * Counts the jobs that a pass would delete, and deletes nothing. The archive gets no jobs.
     *
     * @throws StoreUnavailableException if the store cannot be read, or the thread is interrupted
     */
    RetentionResult preview(Cleanup cleanup);

    /**
     * Rewrites the whole database, so that it has its smallest size. On SQLite no process can write during the call, so make it at a quiet time. On
     * PostgreSQL it vacuums and analyzes the tables, which blocks no writer.
     *
     * @throws StoreUnavailableException if other processes kept it from beginning, or there is no space for a copy
     */
    SizeChange vacuum();
}
