package dev.windrow;

import java.time.Instant;
import java.util.List;
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
     * Decodes stored JSON with the worker's codec; as {@link Content}, it is not decoded.
     *
     * @throws InvalidRequestException if it does not fit the class
     */
    <T> T decode(Json json, Class<T> type);

    /**
     * Says how far this attempt is; the message that it said before stands. See {@link #progress(double, String)}.
     *
     * @throws InvalidRequestException if the fraction is not 0 to 1
     */
    void progress(double fraction);

    /** Says what this attempt is about; the fraction that it said before stands. See {@link #progress(double, String)}. */
    void progress(String message);

    /**
     * Says how far this attempt is and what it is about, for {@code show} and {@link JobSnapshot#progress}. Never waits:
     * the last value is written within about a second, and with the end of the attempt. The event log has an entry of it
     * at most once a minute. A worker that has lost the job changes nothing.
     *
     * @param fraction 0 to 1
     * @param message for people, cut to 1000 characters, or null for none
     * @throws InvalidRequestException if the fraction is not 0 to 1
     */
    void progress(double fraction, @Nullable String message);

    /**
     * Logs a line with the job, for people: {@code show} prints it. Never waits: lines are written within about a second,
     * and with the end of the attempt. Of a job the last {@link JobStory#MAX_LOG_LINES} are kept, of all its attempts
     * together. An attempt that logs faster than they are kept loses the older ones, and a line of level {@code WARN} says
     * how many. Not a replacement for the application's log.
     *
     * @param message cut to 1000 characters; control characters, line ends included, are replaced by their pictures
     */
    void log(LogLevel level, String message);

    /**
     * Keeps text with this attempt, shown by {@code show}: the output of a process, a report. Replaces what was kept
     * before; cut to 256 KiB. Durable with the end of the attempt.
     */
    void output(String text);
}
