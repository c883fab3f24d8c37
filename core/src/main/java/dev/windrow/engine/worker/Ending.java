package dev.windrow.engine.worker;

import dev.windrow.store.job.JobRow;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The end of the work on an attempt, before {@link Outcomes} has judged it. */
sealed interface Ending {
    /**
     * The handler returned and its result could be encoded.
     *
     * @param result JSON text; null if the handler has no result
     * @param next the next job of the same chain, or null
     */
    record Returned(@Nullable String result, @Nullable JobRow next) implements Ending {}

    /**
     * The handler sleeps or awaits an event, and is called again after that.
     *
     * @param untilMillis the end of the sleep, or of the time for the event
     * @param event the name of the event; null for a sleep
     */
    record Paused(long untilMillis, @Nullable String event) implements Ending {}

    /** The handler ended its job inside a transaction, and returned before the commit, which may never come. */
    record NotCommitted() implements Ending {}

    /**
     * The handler returned a value that cannot be stored.
     *
     * @param failure the cause
     */
    record Unstorable(Throwable failure) implements Ending {}

    /**
     * The handler threw.
     *
     * @param failure the thrown exception or error
     */
    record Threw(Throwable failure) implements Ending {}

    /**
     * The payload could not be decoded; the handler was never called.
     *
     * @param failure the cause
     */
    record Undecodable(Throwable failure) implements Ending {}

    /**
     * The deadline passed. Only the end of the handler counts, not what it did after its interrupt.
     *
     * @param limit the time that the handler had
     * @param failure the exception that it threw when it was interrupted, or null
     */
    record TimedOut(Duration limit, @Nullable Throwable failure) implements Ending {}

    /**
     * Cancellation of the job was requested, and the handler followed it, was never called, or was given up.
     *
     * @param failure the exception that it threw when it was interrupted, or null
     */
    record Cancelled(@Nullable Throwable failure) implements Ending {}

    /**
     * The handler called {@code System.exit}, which never returns.
     *
     * @param where an exception with the stack of the handler's thread
     */
    record Exited(Throwable where) implements Ending {}

    /** The worker stops and hands the job back. */
    record HandedBack() implements Ending {}
}
