package dev.windrow;

import dev.windrow.payload.BlobRef;
import dev.windrow.payload.Content;
import dev.windrow.payload.ContentLostException;
import dev.windrow.payload.Json;
import dev.windrow.payload.Metadata;
import dev.windrow.step.StepWork;
import dev.windrow.step.VoidStepWork;
import dev.windrow.workflow.ParentOutcome;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The attempt that a handler is running. Any thread may use it until the handler returns. */
public interface JobContext {
    /** The job's id. */
    long id();

    /** The name of the job's type, as stored. It may be an alias. */
    String type();

    /** The job's queue. */
    String queue();

    /** The job's name, a label for humans, or null. */
    @Nullable String name();

    /** The number of this attempt, from 1. */
    int attempt();

    /** The job's maximum number of attempts. */
    int maxAttempts();

    /** The worker and slot that run this attempt, as in logs: {@code host-4711-1/3}. */
    String worker();

    /** The time at which this attempt times out and its handler is interrupted, measured from the start of the attempt. */
    Instant deadline();

    /**
     * True if the handler should stop now: the deadline has passed, the worker is stopping, the job was taken away, or its cancellation was
     * requested. The handler's thread is interrupted as well. The value stays true after the handler has swallowed the interrupt.
     */
    boolean shouldStop();

    /**
     * True if the cancellation of the job was requested. Then {@link #shouldStop} is true as well. If the handler now ends by any exception, the job
     * ends {@code CANCELLED}. If the handler returns, it has done its work, and the job is {@code COMPLETED}.
     */
    boolean isCancelRequested();

    /** The trace context that is stored with the job, or null. */
    @Nullable String traceparent();

    /**
     * Reads the metadata of the job, as they are now: each call reads the store. To give the next job of a chain the same metadata, pass them to
     * {@link JobRequest#withMetadata}.
     */
    Metadata metadata();

    /**
     * Changes the metadata of the job by a JSON merge patch: {@link Metadata#merge}. A null of the patch removes a name. The change is durable when
     * this returns, however the attempt ends.
     *
     * @throws TransitionRefusedException if this attempt does not hold the job any more. Nothing is written
     * @throws JobNotFoundException if the job was deleted after this attempt had lost it
     * @throws InvalidRequestException if the metadata become too long or have too many names, or this thread is inside a transaction of the store
     */
    void mergeMetadata(Metadata patch);

    /**
     * Reads the jobs on which this one depended, in declared order, with the outcome of each. Reads them at each call, also results that are stored
     * separately. A {@link BlobRef} represents a result that is not JSON. {@link #decode} makes a {@link Content} of it.
     *
     * @throws ContentLostException if a result that is stored separately is missing or damaged
     */
    List<ParentOutcome> parents();

    /**
     * Returns the result of one parent, decoded with the worker's codec. Each call reads all parents. To use many results, call {@link #parents} once
     * and {@link #result} for each, or call {@link #parentResults}.
     *
     * @param index the position of the parent in {@link #parents}, from 0
     * @param type the job type of the parent, by its name or one of its aliases
     * @throws InvalidRequestException if there is no such parent, it has another type, it is not {@code COMPLETED}, or it has no result. Also if the
     *     result does not fit the type
     * @throws ContentLostException if the result is stored separately, and missing or damaged
     */
    <O extends @Nullable Object> O parentResult(int index, JobType<?, O> type);

    /**
     * Returns the result of the only parent of this type; see {@link #parentResult(int, JobType)}.
     *
     * @throws InvalidRequestException also if there is no parent of this type, or several
     */
    <O extends @Nullable Object> O parentResult(JobType<?, O> type);

    /**
     * Returns the results of all parents of this type, in declared order. The list is empty if no parent has this type. Throws like
     * {@link #parentResult(int, JobType)} if one of these parents is not {@code COMPLETED}. A handler that runs after any outcome of its parents uses
     * {@link #parents} instead.
     */
    <O extends @Nullable Object> List<O> parentResults(JobType<?, O> type);

    /** Returns the result of one of the {@link #parents}; see {@link #parentResult(int, JobType)}. */
    <O extends @Nullable Object> O result(ParentOutcome parent, JobType<?, O> type);

    /**
     * Decodes stored JSON with the worker's codec. For the class {@link Content} it returns the bytes, not decoded.
     *
     * @throws InvalidRequestException if the JSON does not fit the class
     */
    <T> T decode(Json json, Class<T> type);

    /**
     * Reports the progress of this attempt as a fraction, and keeps the message; see {@link #progress(double, String)}.
     *
     * @throws InvalidRequestException if the fraction is not 0 to 1
     */
    void progress(double fraction);

    /** Reports the progress of this attempt as a message, and keeps the fraction; see {@link #progress(double, String)}. */
    void progress(String message);

    /**
     * Reports the progress of this attempt, for {@code windrow show} and {@link JobInfo#progress}. The call never waits. The last report is written
     * within about a second, and with the end of the attempt. The event log gets an entry at most once a minute. A worker that has lost the job
     * writes nothing.
     *
     * @param fraction 0 to 1
     * @param message a text for humans, cut to 1000 characters. An empty one removes the message
     * @throws InvalidRequestException if the fraction is not 0 to 1
     */
    void progress(double fraction, String message);

    /**
     * Logs a line with the job, for humans: {@code windrow show} prints it. The call never waits. Lines are written within about a second, and with
     * the end of the attempt. A job keeps the last {@link JobHistory#MAX_LOG_LINES} lines of all its attempts together. If an attempt logs faster
     * than its lines are written, the oldest ones are lost, and a line of level {@code WARN} counts them. This is not a replacement for the
     * application's log.
     *
     * @param message one line, cut to 1000 characters. A tab becomes a space. Line ends and other ASCII control characters become their symbols, such
     *     as U+240A. Further control characters and unpaired surrogates become U+FFFD
     */
    void log(LogLevel level, String message);

    /**
     * Continues the job's chain with another job. When this attempt completes, the next job is enqueued in the same chain and in the same
     * transaction. An attempt completes by the return of the handler, or {@linkplain #on inside a transaction}. So a chain continues exactly once. If
     * the attempt fails, the chain does not continue, and this call is forgotten. The payload and the options are taken at the time of this call. If
     * the next job has no trace context, it gets the one of this attempt.
     *
     * <p>A job that does not continue ends its chain. Jobs that {@linkplain JobRequest#withChainParents depend on the chain}, and callers of
     * {@link Windrow#awaitChain}, wait for that last job. If this job holds an {@linkplain Dedupe#unfinished unfinished} dedupe key, the next job
     * holds it from then on, until the end of the chain. Keys of other scopes stay with this job.
     *
     * @throws InvalidRequestException if this attempt has called the method before, the next job has a dedupe key, or a value of it is not allowed. Also
     *     if the handler's type {@linkplain JobType#withNext declares} the types that may follow, and the next job has another one
     */
    void continueWith(JobRequest<?, ?> next);

    /**
     * Returns the verbs inside the caller's transaction, with verbs that end this job. The handler's own rows and the end of its job are committed
     * together, or not at all. The connection must be to the same database as the jobs.
     */
    JobTransaction on(Connection connection);

    /**
     * Completes this job in one transaction with the rows that the callback writes. The call begins a transaction on a connection of the store, and
     * calls the callback. Then it completes the job with the returned value, like {@link JobTransaction#complete}, and commits. When it returns, the
     * job is durably completed, and the handler's own return value is ignored.
     *
     * <p>When it throws, nothing was written, unless the exception is an {@link OutcomeUnknownException}. The handler should not catch the exception:
     * the attempt fails as always. On SQLite all writers wait during the transaction, so do slow work before it.
     *
     * @return the value that the callback returned
     * @throws TransitionRefusedException if this attempt does not hold the job any more
     * @throws StoreUnavailableException if the transaction could not begin within the operation timeout of the store (default 10 s), or could not be
     *     committed
     * @throws OutcomeUnknownException if it is unknown whether the transaction was committed. If it was, the job is completed
     * @throws InvalidRequestException if this thread is inside such a transaction already, or the result cannot be encoded or is too long
     * @throws E the exception of the callback
     */
    <T extends @Nullable Object, E extends Exception> T completeInTransaction(TransactionWork<T, E> work) throws E;

    /**
     * Runs a durable step: does the work, and stores its result under a name. The step is durable when this returns. A later attempt that reaches the
     * same step does not do its work again: the call returns the stored result. So a handler continues where it stopped, as long as it uses the same
     * names for the same steps. The code between the steps runs each time.
     *
     * <p>If the work throws, nothing is stored, and the exception reaches the handler. If the process ends between the work and the commit, the next
     * attempt does the work again. So an effect outside of the database happens at least once, not exactly once. Give the {@link #idempotencyKey} to
     * the called service, so that it can recognize a repeated call. Writes to the database of the jobs happen exactly once with
     * {@link #stepInTransaction}.
     *
     * <p>The steps of an attempt run one after the other, not inside each other. A retry keeps them, {@link Retry#fromStart} deletes them. An attempt
     * that uses steps holds the results of all steps of the job in memory.
     *
     * @param name 1 to 200 characters, no control characters. An attempt uses each name once. Steps, sleeps and events share one set of names
     * @param type the class of the result. The result is stored as JSON by the worker's codec, at most 1 MiB. Null is allowed
     * @return the value that the work returned, or the decoded stored result
     * @throws InvalidRequestException if the name is not allowed, was used in this attempt, or belongs to an event or a sleep. Also if another step
     *     is running, this thread is inside a transaction of the store, or the job has 10 000 steps. Also if the result cannot be stored, or the
     *     stored result does not fit the class
     * @throws TransitionRefusedException if this attempt does not hold the job any more. Nothing is stored
     * @throws StoreUnavailableException if the step could not be written
     * @throws OutcomeUnknownException if it is unknown whether the step was written
     * @throws E the exception of the work
     */
    <T extends @Nullable Object, E extends Exception> T step(String name, Class<T> type, StepWork<? extends T, E> work)
            throws E;

    /** Runs a {@link #step} without a result. */
    <E extends Exception> void stepVoid(String name, VoidStepWork<E> work) throws E;

    /**
     * Runs a durable step in one transaction with the rows that its work writes into the database of the jobs. The rows and the step are written
     * exactly once, or not at all. The transaction is on a connection of the store, like that of {@link #completeInTransaction}. On SQLite all
     * writers wait during the transaction, so do slow work before it.
     *
     * @return the value that the work returned, or the decoded stored result
     * @throws InvalidRequestException in the cases of {@link #step}
     * @throws TransitionRefusedException if this attempt does not hold the job any more. The transaction is rolled back
     * @throws StoreUnavailableException if the transaction could not begin, or could not be committed
     * @throws OutcomeUnknownException if it is unknown whether the transaction was committed. The next attempt finds out
     * @throws E the exception of the work
     */
    <T extends @Nullable Object, E extends Exception> T stepInTransaction(
            String name, Class<T> type, TransactionWork<? extends T, E> work) throws E;

    /**
     * Sleeps durably, once. The call ends the attempt by an exception, which the handler must not catch. The attempt does not count. During the sleep
     * the job is {@code SCHEDULED}, and holds no slot, no lease and no thread. After the sleep the handler is called from the top. The steps before
     * the sleep return their stored results, and this call returns.
     *
     * <p>The first call fixes the end of the sleep. A failed attempt, a retry or a {@linkplain JobHandle#trigger trigger} does not move it. If a
     * handler catches the exception, its next step throws it again, and the attempt ends as a sleep in any case.
     *
     * @param name a name like that of a {@link #step}
     * @param duration 0 to 3650 days, by the store's clock
     * @throws JobSnooze if the sleep is not over. Do not catch it
     * @throws InvalidRequestException in the cases of {@link #step}, or if the duration is out of range
     * @throws TransitionRefusedException if this attempt does not hold the job any more
     */
    void sleep(String name, Duration duration);

    /**
     * Awaits an event. A caller {@linkplain JobHandle#signal(String, Object) signals} it to this job, by the job's id, before or after this call. If
     * the event has not come, the call ends the attempt by an exception, like {@link #sleep}. The job is then {@code BLOCKED}, and holds no slot, no
     * lease and no thread. The signal or the timeout makes the job {@code PENDING}, and the handler is called from the top. From then on the call
     * returns the same value in every attempt: a signal after the timeout has no effect.
     *
     * @param name a name like that of a {@link #step}
     * @param type the class of the event's payload
     * @param timeout 1 ms to 3650 days after the first call, by the store's clock
     * @return the payload of the event. Empty if the event did not come in time
     * @throws JobPark if the event has not come yet. Do not catch it
     * @throws InvalidRequestException in the cases of {@link #step}, or if the timeout is out of range. Also if the event has no payload, or a
     *     payload that does not fit the class
     * @throws TransitionRefusedException if this attempt does not hold the job any more
     */
    <T> Optional<T> awaitEvent(String name, Class<T> type, Duration timeout);

    /** Awaits an event and ignores its payload. Returns true if the event came in time. See {@link #awaitEvent(String, Class, Duration)}. */
    boolean awaitEvent(String name, Duration timeout);

    /**
     * Returns a key for the effect of a step outside of the database. The key is the same in each attempt, and no other step of the store has it.
     * Give it to the called service, so that the service can recognize a repeated call. Different stores use the same ids. If one service is called
     * for several stores, put a name of the store before the key.
     *
     * @param stepName the name of the step
     * @return {@code windrow-ID-NAME}
     * @throws InvalidRequestException if the name is not allowed for a step
     */
    String idempotencyKey(String stepName);

    /**
     * Runs an action after this attempt has durably completed the job. The action does not run if the attempt ends in another way, or if the process
     * ends first: it is a notification, not a promise. One thread runs the actions of all jobs, so an action must be short. An exception of an action
     * is logged.
     */
    void afterCommit(Runnable action);

    /**
     * Keeps a text with this attempt, such as the output of a process or a report. {@code windrow show} prints it. The text replaces the one of an
     * earlier call. It is cut to 256 KiB of UTF-8. NUL characters are removed, and U+FFFD replaces an unpaired surrogate. The text is durable with
     * the end of the attempt.
     */
    void output(String text);
}
