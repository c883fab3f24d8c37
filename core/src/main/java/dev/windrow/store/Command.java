package dev.windrow.store;

import dev.windrow.store.job.Change;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.Reclaim;
import dev.windrow.store.job.Release;
import dev.windrow.store.job.Renew;
import dev.windrow.store.job.Report;
import dev.windrow.store.job.Settle;
import dev.windrow.store.job.Started;
import dev.windrow.store.job.Touch;
import dev.windrow.store.job.Withdraw;
import dev.windrow.store.job.WithdrawProcess;
import dev.windrow.store.limit.Admit;
import dev.windrow.store.limit.LimitChange;
import dev.windrow.store.payload.Stage;
import dev.windrow.store.payload.SweepStaged;
import dev.windrow.store.payload.Unstage;
import dev.windrow.store.processes.Announce;
import dev.windrow.store.processes.EndTask;
import dev.windrow.store.processes.Lead;
import dev.windrow.store.processes.Resign;
import dev.windrow.store.retention.Expire;
import dev.windrow.store.retention.Prune;
import dev.windrow.store.retention.Recount;
import dev.windrow.store.retention.RetentionChange;
import dev.windrow.store.retention.Shrink;
import dev.windrow.store.schedule.Fire;
import dev.windrow.store.schedule.ScheduleChange;
import dev.windrow.store.step.EndWaits;
import dev.windrow.store.step.Signal;
import dev.windrow.store.step.StepWrite;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A write that a store does in one transaction, whole or not at all: {@link OpenStore#submit} in one of the store's own, {@link
 * OpenStore#apply} in one of the caller's. Immutable.
 *
 * @param <T> the answer
 */
public sealed interface Command<T extends @Nullable Object>
        permits Announce,
                Admit,
                Change,
                Claim,
                Command.Internal,
                EndTask,
                EndWaits,
                Enqueue,
                Expire,
                Fire,
                Resign,
                LimitChange,
                Prune,
                Reclaim,
                Recount,
                Release,
                Renew,
                Report,
                RetentionChange,
                ScheduleChange,
                Settle,
                Shrink,
                Signal,
                Stage,
                Started,
                StepWrite,
                SweepStaged,
                Lead,
                Touch,
                Unstage,
                Withdraw,
                WithdrawProcess {
    /**
     * The place of a command among those that share a transaction, in the order in which a store applies them. What concerns attempts comes
     * first, because their ends free what they hold. Renewals come before reclaims, so that a lease that was renewed in time is never taken
     * back. Claims come last and see all of it.
     */
    enum Phase {
        /** The start of an attempt. */
        START,
        /** The reports of an attempt. */
        REPORT,
        /** The durable steps of an attempt. */
        STEP,
        /** The end of an attempt. */
        SETTLE,
        /** The renewal of leases. */
        RENEW,
        /** Changes of jobs by others than their holder. */
        CHANGE,
        /** Events for jobs. */
        SIGNAL,
        /** The return of jobs of dead workers. */
        RECLAIM,
        /** The registry of workers. */
        REGISTRY,
        /** Pauses and limits. */
        LIMIT,
        /** Places of concurrency keys. */
        ADMIT,
        /** Changes of schedules, and the jobs that they make. */
        SCHEDULE,
        /** The children of parents that have ended. */
        RELEASE,
        /** Payloads and results that are kept apart. */
        BLOB,
        /** Retention, waits that run out of time, background tasks. */
        UPKEEP,
        /** New jobs. */
        ENQUEUE,
        /** Claims. */
        CLAIM
    }

    /** Its place among those that share a transaction. */
    Phase phase();

    /** Its name in messages: "enqueuing 3 jobs". */
    String what();

    /** The number of rows that it concerns, roughly, from 1: the measure of the queue of a store and of its transactions. */
    default int weight() {
        return 1;
    }

    /**
     * True if its caller waits while the queue of the store is full. What keeps a worker alive does not: there is little of it, and being
     * late is worse than being one too many.
     */
    default boolean waitsForRoom() {
        return true;
    }

    /** The job whose running attempt it concerns; null if it concerns none, or several. */
    default @Nullable Long attemptOf() {
        return null;
    }

    /** The agent whose name it writes, for the event log or the audit; null if none. */
    default @Nullable String actor() {
        return null;
    }

    /** The ids of the jobs that this answer says are new. */
    default List<Long> newJobs(T answer) {
        return List.of();
    }

    /**
     * A command that only a store itself submits.
     *
     * @param <T> the answer
     */
    non-sealed interface Internal<T extends @Nullable Object> extends Command<T> {}
}
