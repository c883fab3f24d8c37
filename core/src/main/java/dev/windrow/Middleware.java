package dev.windrow;

import org.jspecify.annotations.Nullable;

/**
 * Wraps every handler call of a worker: tracing, tenancy, logging. The first one registered is the outermost. What it
 * throws counts as thrown by the handler.
 */
@FunctionalInterface
public interface Middleware {
    /**
     * Runs the rest of the chain by {@code next.call()}, at most once, and returns its result or another one.
     *
     * @throws Exception any exception fails the attempt
     */
    @Nullable Object around(JobContext job, Call next) throws Exception;

    /** The rest of the chain: the next middleware, or the handler. */
    @FunctionalInterface
    interface Call {
        /**
         * Goes on.
         *
         * @throws Exception what the rest of the chain threw
         */
        @Nullable Object call() throws Exception;
    }
}
