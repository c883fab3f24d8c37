package dev.windrow.engine.worker;

import dev.windrow.store.job.JobRow;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How the work on an attempt came to its end, before anybody has judged it. */
sealed interface Ending {
    /**
     * The handler returned and its result could be encoded.
     *
     * @param result JSON text, or null for none
     * @param next the job that goes on in the same chain, or null
     */
    record Returned(@Nullable String result, @Nullable JobRow next) implements Ending {}

    /**
     * The handler sleeps, or awaits an event, and begins anew after that.
     *
     * @param untilMillis the end of the sleep, or of the time for the event
     * @param event the name of the event, or null for a sleep
     */
    record Paused(long untilMillis, @Nullable String event) implements Ending {}

    /** The handler ended its job inside a transaction, and returned before that was committed, if it ever is. */
    record NotCommitted() implements Ending {}

    /**
     * The handler returned something that cannot be stored.
     *
     * @param failure why not
     */
    record Unstorable(Throwable failure) implements Ending {}

    /**
     * The handler threw.
     *
     * @param failure what
     */
    record Threw(Throwable failure) implements Ending {}

    /**
     * The payload could not be decoded; the handler was never called.
     *
     * @param failure why not
     */
    record Undecodable(Throwable failure) implements Ending {}

    /**
     * The deadline passed. What the handler did after its interrupt does not matter, only that it is over.
     *
     * @param limit the time that it had
     * @param failure what it threw when it was interrupted, or null
     */
    record TimedOut(Duration limit, @Nullable Throwable failure) implements Ending {}

    /**
     * Somebody wanted the job cancelled, and the handler heeded it, was never called, or was given up.
     *
     * @param failure what it threw when it was interrupted, or null
     */
    record Cancelled(@Nullable Throwable failure) implements Ending {}

    /**
     * The handler called {@code System.exit}, which never returns.
     *
     * @param where says so, with the stack of the handler's thread
     */
    record Exited(Throwable where) implements Ending {}

    /** The worker stops and gives the job back. */
    record HandedBack() implements Ending {}
}
