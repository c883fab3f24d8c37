package dev.windrow;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Wraps every handler call of a worker, for example for tracing, tenancy or logging. {@link #aroundBatch} wraps calls of batch handlers. The first one registered is the outermost. An exception of a
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

    /**
     * Wraps a call of a {@link BatchHandler}, by {@code next.call()} like {@link #around}. The returned value of the rest has no meaning. The default
     * only calls the rest.
     *
     * @param jobs the jobs of the call
     * @throws Exception any exception fails the jobs without an outcome
     */
    default void aroundBatch(List<JobContext> jobs, Call next) throws Exception {
        var unused = next.call();
    }

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
