package dev.windrow;

import dev.windrow.payload.BlobRef;
import dev.windrow.payload.Content;
import dev.windrow.payload.ContentLostException;
import dev.windrow.payload.Json;
import dev.windrow.step.StepWork;
import dev.windrow.step.VoidStepWork;
import dev.windrow.workflow.ParentOutcome;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The attempt that a handler is running. Usable from any thread until the handler returns. */
public interface JobContext {
    /** The job's id. */
    long id();

    /** The name of the job's type as stored, which may be an alias. */
    String type();

    /** The job's queue. */
    String queue();

    /** The job's name for people, or null. */
    @Nullable String name();

    /** The number of this attempt as people count: 1 for the first. */
    int attempt();

    /** The number of attempts that the job has at most. */
    int maxAttempts();

    /** The worker and slot that run this attempt, as in logs: {@code host-4711-1/3}. */
    String worker();

    /** When this attempt is interrupted as timed out, measured from its start. */
    Instant deadline();

    /**
     * Whether the handler should stop now: the deadline has passed, the worker is stopping, the job was taken away or
     * is to be cancelled. The thread is interrupted as well; this stays true after the interrupt was swallowed.
     */
    boolean shouldStop();

    /**
     * Whether somebody wants the job cancelled; {@link #shouldStop} is true as well. A handler that then ends by any
     * exception ends its job {@code CANCELLED}. One that returns has done its work: its job is {@code COMPLETED}.
     */
    boolean isCancelRequested();

    /** The trace context stored with the job, or null. */
    @Nullable String traceparent();

    /**
     * The jobs that this one depended on, in declared order, with how each ended. Read when called, results that are kept apart
     * included; in the place of one that is no JSON stands a {@link BlobRef}, which {@link #decode} makes a {@link Content} of.
     *
     * @throws ContentLostException if one that is kept apart is not there or damaged
     */
    List<ParentOutcome> parents();

    /**
     * The result of the parent at this place of {@link #parents}, from 0, decoded with the worker's codec. Reads all parents: to
     * go through many, take {@link #parents} once and {@link #result} of each, or {@link #parentResults}.
     *
     * @param type what kind of job it is: its name or one of its aliases is the parent's type
     * @throws InvalidRequestException if there is no such parent, it is of another type or not {@code COMPLETED}, has no result, or
     *     its result does not fit
     * @throws ContentLostException if its result is kept apart, and not there or damaged
     */
    <O extends @Nullable Object> O parentResult(int index, JobType<?, O> type);

    /**
     * The result of the only parent of this type; see {@link #parentResult(int, JobType)}.
     *
     * @throws InvalidRequestException also if there is none of this type, or several
     */
    <O extends @Nullable Object> O parentResult(JobType<?, O> type);

    /**
     * The results of all parents of this type, in declared order; none if there is none of it. See {@link #parentResult(int, JobType)}: one
     * that is not {@code COMPLETED} is an error. Who runs whatever became of the parents goes through {@link #parents}.
     */
    <O extends @Nullable Object> List<O> parentResults(JobType<?, O> type);

    /** The result of one of the {@link #parents}; see {@link #parentResult(int, JobType)}. */
    <O extends @Nullable Object> O result(ParentOutcome parent, JobType<?, O> type);

    /**
     * Decodes stored JSON with the worker's codec; as {@link Content}, it is not decoded.
     *
     * @throws InvalidRequestException if it does not fit the class
     */
    <T> T decode(Json json, Class<T> type);

    /**
     * Says how far this attempt is; the message stays as it was. See {@link #progress(double, String)}.
     *
     * @throws InvalidRequestException if the fraction is not 0 to 1
     */
    void progress(double fraction);

    /** Says what this attempt is about; the fraction stays as it was. See {@link #progress(double, String)}. */
    void progress(String message);

    /**
     * Says how far this attempt is and what it is about, for {@code show} and {@link JobInfo#progress}. Never waits:
     * the last value is written within about a second, and with the end of the attempt. The event log has an entry of it
     * at most once a minute. A worker that has lost the job changes nothing.
     *
     * @param fraction 0 to 1
     * @param message for people, cut to 1000 characters; empty: none
     * @throws InvalidRequestException if the fraction is not 0 to 1
     */
    void progress(double fraction, String message);

    /**
     * Logs a line with the job, for people: {@code show} prints it. Never waits: lines are written within about a second,
     * and with the end of the attempt. Of a job the last {@link JobHistory#MAX_LOG_LINES} are kept, of all its attempts
     * together. An attempt that logs faster than they are kept loses the older ones, and a line of level {@code WARN} says
     * how many. Not a replacement for the application's log.
     *
     * @param message cut to 1000 characters; control characters, line ends included, are replaced by their pictures, an unpaired surrogate by U+FFFD
     */
    void log(LogLevel level, String message);

    /**
     * Says that the job goes on with another one: when this attempt completes, by the return of the handler or {@linkplain
     * #on inside a transaction}, that job is enqueued in the same chain, in the same transaction. So a chain goes on exactly
     * once, or, when the attempt fails, not at all; then what was said here is forgotten. Payload and options are taken as they are now;
     * without a trace context of its own the next job continues this one's.
     *
     * <p>The chain ends with the job that does not go on. Whoever {@linkplain JobRequest#withChainParents depends on the chain} or {@code
     * awaitChain}s waits for that one. A dedupe key that this job holds while it is {@linkplain Dedupe#unfinished unfinished} is held by the
     * next one from then on, and given up at the end of the chain; keys of other scopes stay with this job.
     *
     * @throws InvalidRequestException if it was said before in this attempt, if the job has a dedupe key, or cannot be written
     */
    void continueWith(JobRequest<?, ?> next);

    /**
     * The verbs inside the caller's transaction, among them the end of this job: what the handler writes and the completion of its job are
     * committed together, or not at all. The connection must be to the same database as the jobs.
     */
    JobTransaction on(Connection connection);

    /**
     * Completes this job in one transaction with what this work writes: begins it on a connection of the store's own, does the work,
     * completes the job with what it returns, as {@link JobTransaction#complete} does, and commits. When this returns, the job is durably
     * completed, and what the handler returns does not matter any more. When it throws, nothing was written, or it is an {@link OutcomeUnknownException}; the handler
     * should pass it on, and the attempt fails as always. On SQLite all writers wait meanwhile, so what is slow comes before.
     *
     * @return what the work returned
     * @throws TransitionRefusedException if this attempt does not hold the job any more
     * @throws StoreUnavailableException if the transaction could not begin within the operation timeout of the store (10 s unless configured), or not be committed
     * @throws OutcomeUnknownException if nobody knows whether it was committed: if it was, the job is completed
     * @throws InvalidRequestException if this thread is inside such a transaction already, or the result cannot be encoded or is too long
     * @throws E what the work throws
     */
    <T extends @Nullable Object, E extends Exception> T completeInTransaction(TransactionWork<T, E> work) throws E;

    /**
     * A durable step: does this work, and writes down that it was done, durably when this returns. When the handler is called again, in a
     * later attempt, a step that was done is not done again: its stored result is returned. So the handler goes on where it stopped, as
     * far as it asks for the same steps by the same names; what is between them runs each time.
     *
     * <p>If the work throws, nothing is stored, and the exception is the handler's to pass on. If the process ends between the work and the
     * commit, the work is done again: an effect outside the database comes at least once, not exactly once. Whoever receives it
     * can tell by the {@link #idempotencyKey}. What the work writes into the database of the jobs comes exactly once with {@link
     * #stepInTransaction}.
     *
     * <p>Steps come one after the other, not inside each other. A retry keeps them, {@link Retry#fromStart} does not. Their
     * results are in memory during an attempt that has any.
     *
     * @param name 1 to 200 characters, no control characters, each name once in an attempt; events and sleeps share the names
     * @param type what is stored: JSON by the worker's codec, at most 1 MiB; null is null
     * @return what the work returned, or, decoded, what is stored
     * @throws InvalidRequestException if the name is not allowed, was used in this attempt or belongs to an event or a sleep, if a step is
     *     under way or this thread is in a transaction of the store's, if the job has 10 000 steps, or the result cannot be stored or does not fit
     * @throws TransitionRefusedException if this attempt does not hold the job any more: nothing is stored
     * @throws StoreUnavailableException if the step could not be written
     * @throws OutcomeUnknownException if nobody knows whether it was written
     * @throws E what the work throws
     */
    <T extends @Nullable Object, E extends Exception> T step(String name, Class<T> type, StepWork<? extends T, E> work)
            throws E;

    /** A {@link #step} without a result. */
    <E extends Exception> void stepVoid(String name, VoidStepWork<E> work) throws E;

    /**
     * A durable step in one transaction with what its work writes into the database of the jobs: the effect and the step come
     * exactly once, or not at all. The transaction is one of the store's own, as of {@link #completeInTransaction}: on SQLite all writers
     * wait meanwhile, so what is slow comes before.
     *
     * @return what the work returned, or, decoded, what is stored
     * @throws InvalidRequestException as {@link #step} does
     * @throws TransitionRefusedException if this attempt does not hold the job any more: all is rolled back
     * @throws StoreUnavailableException if the transaction could not begin or not be committed
     * @throws OutcomeUnknownException if nobody knows whether it was committed: the next attempt will
     * @throws E what the work throws
     */
    <T extends @Nullable Object, E extends Exception> T stepInTransaction(
            String name, Class<T> type, TransactionWork<? extends T, E> work) throws E;

    /**
     * Sleeps durably, once: ends the attempt by an exception, which the handler has to let pass. The attempt does not count. Until then the job is
     * {@code SCHEDULED} and holds neither a slot nor a lease nor a thread. When the time has come the handler is called from the top, the
     * steps before are answered by what is stored, and this returns. The end is fixed when it is first asked for, whatever ends between. A
     * handler that catches the exception meets it again at its next step, and its attempt ends so in any case.
     *
     * @param name as of a {@link #step}
     * @param duration 0 to 3650 days, by the store's clock
     * @throws JobSnooze if the time has not come: not to be caught
     * @throws InvalidRequestException as {@link #step} does, or if the duration is not allowed
     * @throws TransitionRefusedException if this attempt does not hold the job any more
     */
    void sleep(String name, Duration duration);

    /**
     * Awaits an event that somebody {@linkplain JobHandle#signal(String, Object) signals}, this job by its id, before or after this is called. If it has not
     * come, the attempt ends by an exception, as with {@link #sleep}, and the job is {@code BLOCKED}: neither a slot nor a lease nor
     * a thread is held. The signal, or the end of the time, makes it {@code PENDING}, and the handler is called from the top. What this answers then it
     * answers in each later attempt: a signal that comes after the time is not kept.
     *
     * @param name as of a {@link #step}
     * @param type of what the event brings
     * @param timeout 1 ms to 3650 days, by the store's clock, from when it is first asked for
     * @return what the event has brought; empty if it did not come in time
     * @throws JobPark if it has not come yet: not to be caught
     * @throws InvalidRequestException as {@link #step} does, if the time is not allowed, or the event brings nothing, or what does not fit
     * @throws TransitionRefusedException if this attempt does not hold the job any more
     */
    <T> Optional<T> awaitEvent(String name, Class<T> type, Duration timeout);

    /** Awaits an event, whatever it brings: whether it came in time. See {@link #awaitEvent(String, Class, Duration)}. */
    boolean awaitEvent(String name, Duration timeout);

    /**
     * A key for what a step does outside: the same in each attempt, and of no other step of the store. To be given to whoever can
     * tell by it that something was asked for before. Stores have the same ids: who serves several needs to be told of which one it is.
     *
     * @param stepName the name of the step
     * @return {@code windrow-ID-NAME}
     */
    String idempotencyKey(String stepName);

    /**
     * Runs something once the job is durably {@code COMPLETED}: by this attempt, and by no other. Not if the attempt ends otherwise,
     * and not if the process ends first: a notification, not a promise. Such actions of all jobs share one thread and must be short; an
     * exception is logged.
     */
    void afterCommit(Runnable action);

    /**
     * Keeps text with this attempt, shown by {@code show}: the output of a process, a report. Replaces what was kept
     * before; cut to 256 KiB, without NUL characters, and U+FFFD for an unpaired surrogate. Durable with the end of the attempt.
     */
    void output(String text);
}
