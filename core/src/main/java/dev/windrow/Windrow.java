package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.engine.Engine;
import dev.windrow.limit.KeyInfo;
import dev.windrow.limit.KeyList;
import dev.windrow.limit.LimitHandle;
import dev.windrow.limit.LimitTarget;
import dev.windrow.limit.Limits;
import dev.windrow.monitor.DiagnoseOptions;
import dev.windrow.monitor.Diagnosis;
import dev.windrow.monitor.Monitor;
import dev.windrow.monitor.Tracing;
import dev.windrow.monitor.WindrowListener;
import dev.windrow.payload.BlobFiles;
import dev.windrow.payload.BlobFolder;
import dev.windrow.payload.Metadata;
import dev.windrow.payload.PayloadCodec;
import dev.windrow.query.JobFilter;
import dev.windrow.retention.Cleanup;
import dev.windrow.retention.DeadLetterRetry;
import dev.windrow.retention.JobArchive;
import dev.windrow.retention.Retention;
import dev.windrow.workflow.ChainFilter;
import dev.windrow.workflow.ChainQuery;
import dev.windrow.workflow.WorkflowFilter;
import dev.windrow.workflow.WorkflowQuery;
import dev.windrow.workflow.WorkflowStatus;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The entry point: enqueues jobs, reads them, awaits them, and makes the workers that run them. An application has one instance for each store.
 *
 * <p>Safe for use by many threads. The instance owns its store: {@link #close} closes both.
 *
 * <pre>{@code
 * try (Windrow windrow = Windrow.open(SqliteStore.at(Path.of("jobs.db")))) {
 *     windrow.enqueue(RESIZE, new Resize("cat.jpg", 200));
 * }
 * }</pre>
 */
public interface Windrow extends Jobs, AutoCloseable {
    /** The default length up to which a payload or a result is stored in the row of its job: 64 KiB, in bytes of UTF-8. */
    int DEFAULT_INLINE_BYTES = 64 * 1024;

    /** The default maximum length of a payload or a result, in bytes: 64 MiB. */
    long DEFAULT_MAX_CONTENT_BYTES = 64L << 20;

    /**
     * Opens a store with the defaults of {@link Builder}; see {@link Builder#open()}.
     *
     * @throws IncompatibleStoreException if the target is not a store that this version can open
     * @throws StoreUnavailableException if the store cannot be opened now
     */
    @CheckReturnValue
    static Windrow open(Store store) {
        return configure(store).open();
    }

    /** Returns a builder with settings for opening a store. */
    @CheckReturnValue
    static Builder configure(Store store) {
        return Engine.configure(store);
    }

    /**
     * Examines a store that is not open; see {@link Monitor#diagnose()}. The call neither opens, creates nor migrates the store. So it also examines
     * a store that cannot be opened.
     *
     * @throws StoreUnavailableException if there is no store, or the thread is interrupted
     */
    static Diagnosis diagnose(Store store, DiagnoseOptions options) {
        return Engine.diagnose(store, options);
    }

    /**
     * Enqueues one job without waiting for the commit. If the payload is too long for its row, the call waits until the payload itself is stored. The
     * stage completes after the commit; those of several calls complete in any order. One thread completes all such stages: actions that depend on a
     * stage must be short, or run on an executor of their own. The stage fails with a {@link dev.windrow.WindrowException}, by the same rules as
     * {@link #enqueue}.
     *
     * @throws InvalidRequestException at once, if a value of the job is not allowed
     */
    @CheckReturnValue
    <I extends @Nullable Object, O extends @Nullable Object> CompletionStage<Enqueued<O>> enqueueAsync(
            JobRequest<I, O> request);

    /**
     * Returns the writing verbs inside the caller's transaction. Their changes commit and roll back with everything else on this connection. The
     * connection must be to the same database as the jobs. Workers of this process are notified after the commit.
     *
     * <p>On SQLite the transaction should begin with {@code BEGIN IMMEDIATE}. A transaction that begins with a read can no longer write after another
     * connection has written. {@link #inTransaction} begins so, and takes turns with the other writers.
     */
    @CheckReturnValue
    Jobs on(Connection connection);

    /**
     * Returns this instance with another actor. The event log and the audit name this actor for all changes that are made through the returned
     * instance. Closing the returned instance has no effect.
     *
     * @param actor 1 to 200 characters, no control characters
     * @throws InvalidRequestException if the actor is not allowed
     */
    @CheckReturnValue
    Windrow as(String actor);

    /**
     * Returns this instance with a reason for changes. The audit and the events of changed jobs name it for all changes that are made through the
     * returned instance. A pause with a reason of its own keeps that one. Closing the returned instance has no effect.
     *
     * <pre>{@code
     * windrow.as("alice").because("ticket 4711").job(cat).cancel();
     * }</pre>
     *
     * @param reason 1 to 500 characters, no control characters; default none
     * @throws InvalidRequestException if the reason is not allowed
     */
    @CheckReturnValue
    Windrow because(String reason);

    /**
     * Runs the callback in one transaction on a connection of the store. The callback may write rows of the application's tables in the same
     * database, and use the verbs of {@link #on}. All of it is committed, or none.
     *
     * <pre>{@code
     * JobRef<Thumbnail> job = windrow.inTransaction(connection -> {
     *     pictures.insert(connection, cat);
     *     return windrow.on(connection).enqueue(RESIZE, cat);
     * });
     * }</pre>
     *
     * <p>The callback runs on the caller's thread. When it returns, the transaction is committed, as durably as any verb, and workers are notified of
     * its jobs at once. When it throws, the transaction is rolled back, and the exception is thrown to the caller. If the rollback fails too, that
     * failure is a suppressed exception of it.
     *
     * <p>On SQLite the call takes the write lock before the callback begins ({@code BEGIN IMMEDIATE}). It takes turns with the other writers of this
     * process and of all other processes on the file. So no statement in the callback fails because the database is busy. All other writers wait
     * until the transaction has ended, also the renewal of leases. Keep the callback short, and let it wait for no other thread or service.
     *
     * <p>On PostgreSQL the isolation level is {@code READ COMMITTED}. A wait for a lock ends like a wait to begin. Five such transactions of a
     * process run at once.
     *
     * <p>Inside the callback, this thread may write by the given connection only. This method and all other verbs that write are refused, because on
     * SQLite they would wait for the transaction that calls them. Reads see what was committed before.
     *
     * @return the value that the callback returned
     * @throws StoreUnavailableException if the transaction could not begin within the operation timeout of the store (default 10 s), or the thread
     *     was interrupted before it began. Also if the commit was refused, for example by a full disk. Nothing was written
     * @throws OutcomeUnknownException if the disk or the connection failed during the commit, so that it is unknown whether the transaction was
     *     committed. The exception has the ids of the jobs that the transaction enqueued
     * @throws InvalidRequestException if this thread is inside such a transaction already
     * @throws WindrowException if the commit was refused for another reason, such as a deferred constraint. Nothing was written
     * @throws E the exception of the callback
     */
    <T extends @Nullable Object, E extends Exception> T inTransaction(TransactionWork<T, E> work) throws E;

    /** Returns a builder for a worker. Register handlers with it, and start the worker. */
    @CheckReturnValue
    Worker.Builder worker();

    /**
     * Waits until a job has ended, in this or another process, and returns its result.
     *
     * @param timeout 0 or more. With 0 the state is read once
     * @return the decoded result. Null if the type has no result
     * @throws InvalidRequestException if the timeout is negative
     * @throws AwaitTimeoutException if the job has not ended within this time. The job continues
     * @throws JobUnsuccessfulException if the job ended {@code FAILED} or {@code CANCELLED}
     * @throws JobNotFoundException if the job does not exist, or was deleted
     * @throws WindrowException if the result is missing or does not fit the type, or the thread is interrupted
     */
    <O extends @Nullable Object> O await(JobRef<O> job, Duration timeout);

    /**
     * Waits until a chain has ended, in this or other processes, and returns the result of its last job.
     *
     * @param timeout 0 or more. With 0 the state is read once
     * @return the decoded result. Null if the type has no result
     * @throws InvalidRequestException if the timeout is negative
     * @throws AwaitTimeoutException if the chain has not ended within this time. The chain continues
     * @throws JobUnsuccessfulException if the last job ended {@code FAILED} or {@code CANCELLED}
     * @throws JobNotFoundException if the job does not exist, or was deleted
     * @throws WindrowException if the last job has another type than the chain declares. Also if the result is missing or does not fit the type, or
     *     the thread is interrupted
     */
    <O extends @Nullable Object> O awaitChain(ChainRef<O> chain, Duration timeout);

    /** Returns all jobs that match a filter, for a listing, a search or a change of many jobs. */
    @CheckReturnValue
    JobSelection jobs(JobFilter filter);

    /**
     * Returns a listing of the chains that match a filter, newest first. It has each chain with more than one job, and each chain that was enqueued as
     * a {@link JobChain}.
     */
    @CheckReturnValue
    ChainQuery chains(ChainFilter filter);

    /** Returns a listing of the workflows that match a filter, newest first, each with the number of its jobs in each state. */
    @CheckReturnValue
    WorkflowQuery workflows(WorkflowFilter filter);

    /**
     * Counts the jobs of a workflow by state. Returns an empty value if no workflow has this id, or all its jobs were deleted.
     * {@link JobFilter#workflow} selects the same jobs: to list them, or to {@linkplain JobHandles#cancel cancel},
     * {@linkplain JobHandles#retry(Retry) retry} or {@linkplain JobHandles#delete delete} the whole workflow.
     */
    Optional<WorkflowStatus> workflow(long id);

    /**
     * Returns a handle for the pause and the limits of a queue.
     *
     * @throws InvalidRequestException if the name is not allowed for a queue
     */
    @CheckReturnValue
    default LimitHandle queue(String name) {
        return limit(LimitTarget.queue(name));
    }

    /** Returns a handle for the pause and the limits of a job type, under its name and not its aliases. */
    @CheckReturnValue
    default LimitHandle type(JobType<?, ?> type) {
        return limit(LimitTarget.type(type));
    }

    /**
     * Returns a handle for the pause and the limits of a job type, by its name. Jobs that are stored under a former name are not affected.
     *
     * @throws InvalidRequestException if the name is not allowed for a type
     */
    @CheckReturnValue
    default LimitHandle type(String name) {
        return limit(LimitTarget.type(name));
    }

    /**
     * Returns a handle for the pause and the limits of a concurrency key.
     *
     * @throws InvalidRequestException if the key is empty or longer than 200 characters
     */
    @CheckReturnValue
    default LimitHandle key(String key) {
        return limit(LimitTarget.key(key));
    }

    /** Returns a handle for the pause and the limits of a queue, a job type or a concurrency key. */
    @CheckReturnValue
    LimitHandle limit(LimitTarget target);

    /** Reads all pauses and limits, ordered by kind and name. Unrestricted queues, types and keys are absent. */
    List<Limits> limits();

    /**
     * Reads the concurrency keys that have waiting jobs, a pause or a limit. The keys with the most waiting jobs come first. The cost grows with neither
     * the number of keys nor the number of jobs: see {@link KeyList#MAX_LOOKED} and {@link KeyInfo#MAX_COUNTED}.
     *
     * @param limit the maximum number of keys, 1 to 200
     * @throws InvalidRequestException if the limit is out of range
     */
    KeyList keys(int limit);

    /** Returns the rules of retention, which say how long ended jobs are kept, and its passes, which delete jobs. */
    @CheckReturnValue
    Retention retention();

    /** Returns the monitor: statistics, workers, health, diagnosis and audit of the store and this process. */
    @CheckReturnValue
    Monitor monitor();

    /** Returns the location of the store as a text for humans: a path, or a URL without secrets. */
    String location();

    /** Closes this instance when the JVM ends, with a drain of 25 s; see {@link #closeOnShutdown(Duration)}. */
    Windrow closeOnShutdown();

    /**
     * Closes this instance when the JVM ends: by SIGTERM, SIGINT or SIGHUP, by {@code System.exit}, or because the last non-daemon thread has ended.
     * The workers claim no more jobs. Running handlers have until the end of the drain, and then 2 s after an interrupt. The workers hand back all
     * other jobs, which does not count as an attempt. Then the store is closed. None of this happens when the process is killed (SIGKILL) or halts.
     *
     * <p>The shorter of this drain and a worker's own drain timeout counts. The JVM waits for the drain and at most 20 s more, even if the store
     * hangs. The attempt of a handler that itself calls {@code System.exit} fails as {@link ErrorCodes#INTERNAL_CRASHED} and counts, because it would
     * end the next process as well.
     *
     * <p>The call registers one shutdown hook. {@link #close} removes it. A further call replaces the drain.
     *
     * @param drain how long running handlers may continue: 0 to 1 day, default 25 s. Choose it some seconds shorter than the time after which the
     *     process is killed
     * @return this instance
     * @throws InvalidRequestException if the drain is out of range
     * @throws StoreUnavailableException if this instance is closed, or the JVM is ending, which closes this instance
     */
    Windrow closeOnShutdown(Duration drain);

    /**
     * Stops all workers, each with its drain timeout (default 30 s), then closes the store. Idempotent: concurrent callers wait for the first one. An
     * interrupt of the caller hands running jobs back at once.
     *
     * @throws InvalidRequestException if this thread is inside {@link #inTransaction}, for which the call would wait. Nothing is closed
     */
    @Override
    void close();

    /**
     * The settings of a {@link Windrow}. Not safe for use by many threads.
     *
     * <p>A value out of its range is refused at once with an {@link InvalidRequestException}.
     */
    interface Builder {
        /** Sets the codec of payloads and results; default: the codec that {@link java.util.ServiceLoader} finds. */
        Builder codec(PayloadCodec codec);

        /**
         * Sets the length up to which a payload or a result is stored in the row of its job, in bytes of UTF-8: 0 to 1 MiB, default
         * {@value #DEFAULT_INLINE_BYTES}. A longer one is stored separately, in parts, before the job or the settlement is written. It is read only
         * where it is needed. The processes on one store may have different values.
         */
        Builder inlineBytes(int bytes);

        /**
         * Sets the maximum length of a payload or a result, in bytes: 1 KiB to 1 TiB, default {@value #DEFAULT_MAX_CONTENT_BYTES}. A longer payload
         * is refused, and nothing is written. A job whose result is longer fails without another attempt, because its work was done.
         */
        Builder maxContentBytes(long bytes);

        /**
         * Sets the storage of payloads and results that are too long for their rows, such as {@link BlobFolder#at}; default: the database. Earlier
         * payloads and results stay where they are, and are read from there. All processes on the store that read these files must be given the
         * storage. A job whose payload a worker cannot reach fails there, and is retried. A backup of the database does not contain the files.
         */
        Builder blobFiles(BlobFiles files);

        /** Sets the source of time; default: the machine's clocks. */
        Builder time(TimeSource time);

        /** Sets the source of the jitter of retry delays. Called by many threads at once. */
        Builder random(RandomGenerator random);

        /**
         * Adds a listener of the events of this process. One thread calls all listeners, in the order of the events. When the listeners fall behind
         * by 100 000 events, further events are dropped, and their number is logged.
         */
        Builder listener(WindrowListener listener);

        /** Sets the tracing, which follows each job from its enqueue to its attempts; default: none. */
        Builder tracing(Tracing tracing);

        /**
         * Sets the names of {@linkplain Metadata metadata} that are in the log lines and the trace of each attempt; default none. The value of each
         * name that a job has, if it is a text, a number or a boolean, is in the diagnostic context (SLF4J's MDC) as {@code windrow.metadata.NAME}.
         * It is also an attribute of the attempt's span, under the same name. The values are read once, before the handler is called: with names,
         * each attempt costs one more read.
         *
         * @param names at most 64 names of the top level, each of 1 to 200 characters without control characters
         */
        Builder metadataInLogs(String... names);

        /** Sets the actor that the event log and the audit name: 1 to 200 characters, no control characters; default {@code api}. */
        Builder actor(String actor);

        /**
         * Sets the events that this process writes to the event logs of jobs; default {@link EventLevel#ALL}. The processes on one store may have
         * different levels.
         */
        Builder events(EventLevel level);

        /** Adds a rule for automatic retries of dead letters; default: none. Call it once for each rule. */
        Builder deadLetterRetry(DeadLetterRetry retry);

        /**
         * Sets the interval between passes of {@linkplain Windrow#retention retention}: 1 s to 7 days, default 1 hour. One of the processes with
         * workers makes the passes for all of them. If the processes have different intervals, the shortest one counts.
         *
         * @throws InvalidRequestException if the interval is out of range
         */
        Builder retentionEvery(Duration every);

        /** Makes no passes of retention in this process. Other processes, or calls of {@link Retention#cleanup(Cleanup)}, do them. */
        Builder withoutRetention();

        /**
         * Sets the archive, which gets the jobs that retention deletes in this process, before they are deleted; default: none. Each process with
         * workers should have one, or be {@linkplain #withoutRetention without retention}. While the archive throws, no job is deleted, and
         * {@link Monitor#health} reports the problem.
         */
        Builder archive(JobArchive archive);

        /** Closes the instance when the JVM ends, with a drain of 25 s; see {@link Windrow#closeOnShutdown(Duration)}. */
        Builder closeOnShutdown();

        /**
         * Closes the instance when the JVM ends; see {@link Windrow#closeOnShutdown(Duration)}.
         *
         * @param drain 0 to 1 day, default 25 s
         * @throws InvalidRequestException if the drain is out of range
         */
        Builder closeOnShutdown(Duration drain);

        /**
         * Opens the store. Creates a store that does not exist, and migrates one with an older schema.
         *
         * @throws IncompatibleStoreException if the target is not a store that this version can open
         * @throws StoreUnavailableException if the store cannot be opened now
         */
        Windrow open();
    }
}
