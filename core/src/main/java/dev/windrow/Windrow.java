package dev.windrow;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.engine.Engine;
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
import dev.windrow.payload.PayloadCodec;
import dev.windrow.query.JobFilter;
import dev.windrow.retention.Cleanup;
import dev.windrow.retention.DeadLetterRetry;
import dev.windrow.retention.JobArchive;
import dev.windrow.retention.Retention;
import dev.windrow.workflow.WorkflowStatus;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * The entry: enqueues jobs, reads them, awaits them, and starts workers that run them.
 *
 * <p>Safe for use by many threads; an application has one for each store. It owns the store and closes it.
 *
 * <pre>{@code
 * try (Windrow windrow = Windrow.open(SqliteStore.at(Path.of("jobs.db")))) {
 *     windrow.enqueue(RESIZE, new Resize("cat.jpg", 200));
 * }
 * }</pre>
 */
public interface Windrow extends Jobs, AutoCloseable {
    /** The default of the longest payload or result in the row of its job, in bytes of UTF-8: 64 KiB. */
    int DEFAULT_INLINE_BYTES = 64 * 1024;

    /** The default of the longest payload or result, in bytes: 64 MiB. */
    long DEFAULT_MAX_CONTENT_BYTES = 64L << 20;

    /**
     * Opens a store, with the codec that is on the class path.
     *
     * @throws IncompatibleStoreException if the target is no store that this code can open
     * @throws StoreUnavailableException if it cannot be opened now
     */
    @CheckReturnValue
    static Windrow open(Store store) {
        return configure(store).open();
    }

    /** Opens a store with settings. */
    @CheckReturnValue
    static Builder configure(Store store) {
        return Engine.configure(store);
    }

    /**
     * Examines a store that is not open: see {@link Monitor#diagnose()}. The store is neither opened, created nor migrated, so that one that cannot
     * be opened can be examined, too.
     *
     * @throws StoreUnavailableException if there is no store, or the thread is interrupted
     */
    static Diagnosis diagnose(Store store, DiagnoseOptions options) {
        return Engine.diagnose(store, options);
    }

    /**
     * Enqueues one job without waiting for the commit, but for that of a payload that is too long for its row. The stage is completed after the commit, on one thread that all
     * such stages share: what depends on it must be short, or go on elsewhere. It fails with a {@link
     * dev.windrow.WindrowException}, by the same rules as {@link #enqueue}.
     *
     * @throws InvalidRequestException at once, if the job cannot be written
     */
    @CheckReturnValue
    <I extends @Nullable Object, O extends @Nullable Object> CompletionStage<Enqueued<O>> enqueueAsync(
            JobRequest<I, O> request);

    /**
     * The writing verbs inside the caller's transaction: what they do commits and rolls back with everything else on
     * this connection, which must be to the same database. Workers of this process are woken after the commit.
     *
     * <p>On SQLite the transaction should begin with {@code BEGIN IMMEDIATE}: one that begins by reading cannot write any more when
     * somebody else has written since. {@link #inTransaction} does that, and waits for its turn.
     */
    @CheckReturnValue
    Jobs on(Connection connection);

    /**
     * Returns this Windrow with another actor: the event log and the audit name it for all changes that are made through the returned one. Closing
     * the returned one has no effect.
     *
     * @param actor 1 to 200 characters
     * @throws InvalidRequestException if it is empty or too long
     */
    @CheckReturnValue
    Windrow as(String actor);

    /**
     * Does this work in one transaction on a connection of the store's own: rows of the application's tables, in the same database, and
     * the verbs of {@link #on}, all or nothing.
     *
     * <pre>{@code
     * JobRef<Thumbnail> job = windrow.inTransaction(connection -> {
     *     pictures.insert(connection, cat);
     *     return windrow.on(connection).enqueue(RESIZE, cat);
     * });
     * }</pre>
     *
     * <p>It runs on this thread. When it returns, the transaction is committed, which is as durable as any verb, and workers are told of its
     * jobs at once. When it throws, all is rolled back, and what it threw is thrown here; if the rollback fails too, that is suppressed in it.
     *
     * <p>On SQLite it takes the write lock before the callback is called ({@code BEGIN IMMEDIATE}), in its turn among the writers of this process
     * and of all others on the file, so that nothing in it ever fails because the database is busy. All of them wait until it has ended, those that renew
     * leases included: keep it short, and wait for nobody in it. On PostgreSQL it has the isolation {@code READ COMMITTED}; a wait for a lock ends as a
     * wait to begin does, and five such transactions of a process run at once.
     *
     * <p>Until it has ended, this thread may write by the given connection alone: this method and all other verbs that write are
     * refused, because on SQLite they would wait for the very transaction that calls them. Reads see what was committed before.
     *
     * @return what the work returned
     * @throws StoreUnavailableException if it could not begin within the operation timeout of the store (10 s unless configured), the thread
     *     was interrupted before it began, or the commit was refused (such as by a full disk): nothing was written
     * @throws OutcomeUnknownException if the disk or the connection failed during the commit, and nobody knows whether it stands; with the
     *     ids of the jobs that were enqueued in it
     * @throws InvalidRequestException if this thread is inside such a transaction already
     * @throws WindrowException if the commit was refused for another reason, such as a deferred constraint: nothing was written
     * @throws E what the work throws
     */
    <T extends @Nullable Object, E extends Exception> T inTransaction(TransactionWork<T, E> work) throws E;

    /** A worker, to be given handlers and started. */
    @CheckReturnValue
    Worker.Builder worker();

    /**
     * Waits until a job has ended, wherever it runs, and returns its result.
     *
     * @param timeout 0 or more; with 0 it looks once
     * @return the decoded result; null if the type has no result
     * @throws InvalidRequestException if the timeout is negative
     * @throws AwaitTimeoutException if it has not ended within this time; it goes on
     * @throws JobUnsuccessfulException if it ended {@code FAILED} or {@code CANCELLED}
     * @throws JobNotFoundException if it does not exist (any more)
     * @throws WindrowException if the result is missing or does not fit the type, or the thread is interrupted
     */
    <O extends @Nullable Object> O await(JobRef<O> job, Duration timeout);

    /**
     * Waits until the chain in which a job is has ended, wherever it runs, and returns the result of its last job.
     *
     * @param job any job of the chain
     * @param last the type of the job that ends it
     * @param timeout 0 or more; with 0 it looks once
     * @return the decoded result; null if the type has no result
     * @throws InvalidRequestException if the timeout is negative
     * @throws AwaitTimeoutException if it has not ended within this time; it goes on
     * @throws JobUnsuccessfulException if its last job ended {@code FAILED} or {@code CANCELLED}
     * @throws JobNotFoundException if the job does not exist (any more)
     * @throws WindrowException if the result is missing or does not fit the type, or the thread is interrupted
     */
    <O extends @Nullable Object> O awaitChain(JobRef<?> job, JobType<?, O> last, Duration timeout);

    /** Returns all jobs that match a filter, to be listed, searched or changed. */
    @CheckReturnValue
    JobSelection jobs(JobFilter filter);

    /**
     * Counts the jobs of a workflow by state; empty if there is none with this id, or all its jobs were discarded. Its jobs are those of {@link
     * JobFilter#workflow}: for listings, and to {@linkplain JobHandles#cancel cancel}, {@linkplain JobHandles#retry(Retry) retry} or {@linkplain JobHandles#discard
     * discard} the whole.
     */
    Optional<WorkflowStatus> workflow(long id);

    /**
     * Returns the pause and the limits of a queue.
     *
     * @throws InvalidRequestException if no queue can have this name
     */
    @CheckReturnValue
    default LimitHandle queue(String name) {
        return limit(LimitTarget.queue(name));
    }

    /** Returns the pause and the limits of a job type, under its name and not its aliases. */
    @CheckReturnValue
    default LimitHandle type(JobType<?, ?> type) {
        return limit(LimitTarget.type(type));
    }

    /**
     * Returns the pause and the limits of a job type by its name. Jobs under a former name are not concerned.
     *
     * @throws InvalidRequestException if no type can have this name
     */
    @CheckReturnValue
    default LimitHandle type(String name) {
        return limit(LimitTarget.type(name));
    }

    /**
     * Returns the pause and the limits of a concurrency key.
     *
     * @throws InvalidRequestException if it is empty or longer than 200 characters
     */
    @CheckReturnValue
    default LimitHandle key(String key) {
        return limit(LimitTarget.key(key));
    }

    /** Returns the pause and the limits of a queue, a job type or a concurrency key. */
    @CheckReturnValue
    LimitHandle limit(LimitTarget target);

    /** Reads all pauses and limits, ordered by kind and name. Unrestricted queues, types and keys are absent. */
    List<Limits> limits();

    /** Returns the rules and the passes of retention: how long ended jobs are kept. */
    @CheckReturnValue
    Retention retention();

    /** Returns what can be read about the store and this process: numbers, workers, health, diagnosis, audit. */
    @CheckReturnValue
    Monitor monitor();

    /** Returns the place of the store, for people: a path or a URL without secrets. */
    String location();

    /** Closes this when the JVM ends, with a drain of 25 s; see {@link #closeOnShutdown(Duration)}. */
    Windrow closeOnShutdown();

    /**
     * Closes this when the JVM ends: by SIGTERM, SIGINT or SIGHUP, by {@code System.exit}, or because its last thread that is no daemon has
     * ended. The workers claim nothing more, running handlers have until the drain is over, and then 2 s after an interrupt; the other jobs
     * are handed back, which does not count as an attempt. Then the store is closed. Nothing of this happens when the process is killed
     * (SIGKILL) or halts.
     *
     * <p>Of this drain and a worker's own drain timeout the shorter one counts. The JVM waits for the drain and 20 s more at most, whatever
     * the store does. The attempt of a handler that calls {@code System.exit} itself fails as {@link ErrorCodes#INTERNAL_CRASHED}
     * and counts, because it would end the next process as well.
     *
     * <p>One shutdown hook is registered, and removed when this is closed; a further call replaces the drain.
     *
     * @param drain how long running handlers may go on: 0 to 1 day, default 25 s; shorter by some seconds than what the process is given
     *     before it is killed
     * @return this
     * @throws InvalidRequestException if the drain is out of range
     * @throws StoreUnavailableException if this is closed, or the JVM is ending, which closes this
     */
    Windrow closeOnShutdown(Duration drain);

    /**
     * Stops all workers, each with its drain timeout (30 s by default), then closes the store. Idempotent: further
     * callers wait for the first. An interrupt hands running jobs back at once.
     *
     * @throws InvalidRequestException if this thread is inside {@link #inTransaction}, which it would wait for; nothing is closed then
     */
    @Override
    void close();

    /** Settings of a {@link Windrow}. Not safe for use by many threads. */
    interface Builder {
        /** Sets the codec of payloads and results; default: the one that {@link java.util.ServiceLoader} finds. */
        Builder codec(PayloadCodec codec);

        /**
         * The longest payload or result that stands in the row of its job, in bytes of UTF-8: 0 to 1 MiB, {@value
         * #DEFAULT_INLINE_BYTES} by default. A longer one is written in parts before the job or the settlement is, and read
         * only where it is needed. Processes on one store need not agree.
         */
        Builder inlineBytes(int bytes);

        /**
         * The longest payload or result, in bytes: 1 KiB to 1 TiB, {@value #DEFAULT_MAX_CONTENT_BYTES} by default. A longer
         * payload is refused and nothing is written; a job whose result is longer fails without another attempt, because its
         * work was done.
         */
        Builder maxContentBytes(long bytes);

        /**
         * Sets the place of payloads and results that are too long for their rows: such as {@link BlobFolder#at}; into
         * the database by default. What was written before stays where it is, and is read from there. All processes on the
         * store that need them have to be told of the files; a job whose payload a worker cannot reach fails there, and is
         * retried. A backup of the database does not have the files.
         */
        Builder blobFiles(BlobFiles files);

        /** Sets the source of time; default: the machine's clocks. */
        Builder time(TimeSource time);

        /** Sets the source of the jitter of retry delays; used by many threads at once. */
        Builder random(RandomGenerator random);

        /**
         * Adds somebody who hears what happens in this process. All listeners are called on one thread, in the order of
         * the events; when they fall behind by 100 000 events, further ones are dropped and their number is logged.
         */
        Builder listener(WindrowListener listener);

        /** Sets the tracing, which follows jobs from where they are enqueued to where they run; default none. */
        Builder tracing(Tracing tracing);

        /** Sets the actor that the event log and the audit name, 1 to 200 characters; default {@code api}. */
        Builder actor(String actor);

        /** Adds somebody who retries jobs that have failed for good; nobody does by default. Called as often as there are rules. */
        Builder deadLetterRetry(DeadLetterRetry retry);

        /**
         * Sets the interval of passes of {@linkplain Windrow#retention retention}: 1 s to 7 days, default 1 hour. One process does it
         * for all that have workers; of different times the shortest one counts.
         *
         * @throws InvalidRequestException if it is out of range
         */
        Builder retentionEvery(Duration every);

        /** Leaves retention to other processes, or to {@link Retention#cleanup(Cleanup)}. */
        Builder withoutRetention();

        /**
         * Gets the jobs that retention deletes in this process, before they are deleted; nobody does by default. All processes with workers
         * should have one, or be {@linkplain #withoutRetention without retention}. While it throws, nothing is deleted, and {@link
         * Monitor#health} says so.
         */
        Builder archive(JobArchive archive);

        /** Closes it when the JVM ends, with a drain of 25 s; see {@link Windrow#closeOnShutdown(Duration)}. */
        Builder closeOnShutdown();

        /**
         * Closes it when the JVM ends; see {@link Windrow#closeOnShutdown(Duration)}.
         *
         * @param drain 0 to 1 day, default 25 s
         * @throws InvalidRequestException if the drain is out of range
         */
        Builder closeOnShutdown(Duration drain);

        /**
         * Opens the store.
         *
         * @throws IncompatibleStoreException if the target is no store that this code can open
         * @throws StoreUnavailableException if it cannot be opened now
         */
        Windrow open();
    }
}
