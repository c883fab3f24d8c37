package dev.windrow.store;

import dev.windrow.store.job.Change;
import dev.windrow.store.job.Claim;
import dev.windrow.store.job.Enqueue;
import dev.windrow.store.job.FindKeyed;
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
import dev.windrow.store.monitor.RecordReveal;
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
 * A write that a store makes in one transaction, completely or not at all. {@link OpenStore#submit} uses a transaction of the store, {@link
 * OpenStore#apply} a transaction of the caller. Immutable.
 *
 * @param <T> the result
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
                FindKeyed,
                Fire,
                Resign,
                LimitChange,
                Prune,
                Reclaim,
                RecordReveal,
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
     * The position of a command among the commands that share a transaction, in the order in which a store applies them. Commands about attempts come
     * first, because the end of an attempt frees what it holds. Renewals come before reclaims, so that a lease that was renewed in time is never
     * reclaimed. Claims come last and see the changes of all other commands.
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
        /** Changes of jobs from outside, not by their holder. */
        CHANGE,
        /** Events for jobs. */
        SIGNAL,
        /** The reclaim of jobs of dead workers. */
        RECLAIM,
        /** The registry of workers. */
        REGISTRY,
        /** Pauses and limits. */
        LIMIT,
        /** Permits of concurrency keys. */
        ADMIT,
        /** Changes of schedules, and the jobs that schedules enqueue. */
        SCHEDULE,
        /** The release of children whose parents have ended. */
        RELEASE,
        /** Payloads and results that are stored separately. */
        BLOB,
        /** Retention, waits that time out, and background tasks. */
        UPKEEP,
        /** New jobs. */
        ENQUEUE,
        /** Claims. */
        CLAIM
    }

    /** Returns its position among the commands that share a transaction. */
    Phase phase();

    /** Returns its name in messages: "enqueuing 3 jobs". */
    String what();

    /** Returns the approximate number of rows that it concerns, at least 1. The store measures its queue and its transactions by this number. */
    default int weight() {
        return 1;
    }

    /**
     * True if its caller waits while the queue of the store is full. False for commands that keep a worker alive: they are few, and a late one is
     * worse than one too many.
     */
    default boolean waitsForRoom() {
        return true;
    }

    /** Returns the job whose running attempt it concerns; null if it concerns none, or several. */
    default @Nullable Long attemptOf() {
        return null;
    }

    /** Returns the actor that it writes to the event log or the audit; null if none. */
    default @Nullable String actor() {
        return null;
    }

    /** Returns the ids of the jobs that are new according to this result. */
    default List<Long> newJobs(T answer) {
        return List.of();
    }

    /**
     * A command that only a store itself submits.
     *
     * @param <T> the result
     */
    non-sealed interface Internal<T extends @Nullable Object> extends Command<T> {}
}
