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
 * The time for which ended jobs are kept: rules in the store, which all processes and the command line follow, and the passes that delete. Made by {@link
 * Windrow#retention}; safe for use by many threads.
 *
 * <p>Each change of a rule returns all rules, leaves an {@link AuditEntry}, and holds from the next transaction of a pass on.
 */
public interface Retention {
    /** Reads the rules. */
    RetentionRules rules();

    /**
     * Keeps jobs that have ended in this state for this long at least. A rule for their type goes before it.
     *
     * @param state {@code COMPLETED}, {@code FAILED} or {@code CANCELLED}
     * @param time 0 to 36500 days after {@link JobInfo#finishedAt}
     * @throws InvalidRequestException if the state or the time is not allowed
     */
    RetentionRules keep(JobState state, Duration time);

    /** Keeps jobs of one type that have ended in this state for this long at least; see {@link #keep(JobState, Duration)}. */
    RetentionRules keep(JobState state, String type, Duration time);

    /** Keeps jobs of one type, under its name and not its aliases, that have ended in this state for this long at least. */
    default RetentionRules keep(JobState state, JobType<?, ?> type, Duration time) {
        return keep(state, type.name(), time);
    }

    /** Never deletes jobs that have ended in this state, unless a rule for their type says otherwise. */
    RetentionRules keepForever(JobState state);

    /** Never deletes jobs of one type that have ended in this state. */
    RetentionRules keepForever(JobState state, String type);

    /** Never deletes jobs of one type that have ended in this state. */
    default RetentionRules keepForever(JobState state, JobType<?, ?> type) {
        return keepForever(state, type.name());
    }

    /** Removes the rule of a state: {@link RetentionRules#DEFAULT} holds again. */
    RetentionRules reset(JobState state);

    /** Removes the rule of a type: the rule of the state holds again. */
    RetentionRules reset(JobState state, String type);

    /** Removes the rule of a type: the rule of the state holds again. */
    default RetentionRules reset(JobState state, JobType<?, ?> type) {
        return reset(state, type.name());
    }

    /** Reads the last pass that a worker has made; empty if there was none. Passes by {@link #cleanup()} do not count. */
    Optional<RetentionRun> lastRun();

    /** Deletes what the rules no longer keep; see {@link #cleanup(Cleanup)}. */
    default RetentionResult cleanup() {
        return cleanup(Cleanup.BY_THE_RULES);
    }

    /**
     * Makes one pass of retention on the caller's thread, however long it takes: deletes jobs that have ended long ago, by the {@linkplain #rules
     * rules} or by other ages, with all that belongs to them, and then old sums of minutes and entries of the audit. Workers do the same once an hour. Several
     * passes at once do no harm.
     *
     * <p>Not deleted, however old: a job on which another one depends that is not {@code COMPLETED}; the jobs of a chain until all of them may be deleted; and dedupe keys
     * that outlast their job.
     *
     * <p>A pass deletes in many transactions of some milliseconds, and pauses after each for twice as long. It may end at any time by an exception, an
     * interrupt, or the end of the process. Its committed part remains, and the next pass continues. It leaves one {@link AuditEntry}.
     *
     * @throws CleanupFailedException if the archive fails, the thread is interrupted, or the store fails; with what was deleted before
     */
    RetentionResult cleanup(Cleanup cleanup);

    /** Counts what the rules no longer keep, and deletes nothing; see {@link #preview(Cleanup)}. */
    default RetentionResult preview() {
        return preview(Cleanup.BY_THE_RULES);
    }

    /**
     * Counts what a pass would delete, and deletes nothing. Its archive gets no jobs.
     *
     * @throws StoreUnavailableException if the store cannot be read, or the thread is interrupted
     */
    RetentionResult preview(Cleanup cleanup);

    /**
     * Rewrites the whole database, so that it takes no more room than it needs. On SQLite no process can write meanwhile: for quiet hours. On PostgreSQL,
     * vacuums and analyzes the tables, which holds up no writer.
     *
     * @throws StoreUnavailableException if other processes have kept it from beginning, or there is no room for a copy
     */
    SizeChange vacuum();
}
