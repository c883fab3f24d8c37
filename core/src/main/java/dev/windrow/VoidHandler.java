package dev.windrow;

import org.jspecify.annotations.Nullable;

/**
 * A {@link Handler} without a result.
 *
 * @param <I> the type of the input
 */
@FunctionalInterface
public interface VoidHandler<I extends @Nullable Object> {
    /**
     * Handles one attempt; see {@link Handler#handle}.
     *
     * @throws Exception any exception fails the attempt
     */
    void handle(I input, JobContext job) throws Exception;
}
