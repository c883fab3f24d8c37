package dev.windrow;

import org.jspecify.annotations.Nullable;

/**
 * Wraps every handler call of a worker, for example for tracing, tenancy or logging. The first one registered is the outermost. An exception of a
 * middleware counts as an exception of the handler.
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
         * Calls the next middleware, or the handler, and returns its result.
         *
         * @throws Exception the exception of the rest of the chain
         */
        @Nullable Object call() throws Exception;
    }
}
