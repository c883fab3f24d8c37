package dev.windrow;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** The registry of handlers: one for each job type. */
public interface Handlers {
    /**
     * Registers the handler of a type, under its name and aliases. For a type without a result use {@link #handleVoid}.
     *
     * @throws InvalidRequestException if one of these names has a handler already
     */
    <I extends @Nullable Object, O extends @Nullable Object> Handlers handle(JobType<I, O> type, Handler<I, O> handler);

    /** Registers the handler of a type without a result; see {@link #handle}. The input of a type without input is null. */
    @SuppressWarnings("NullAway") // A type without a result returns null.
    default <I extends @Nullable Object> Handlers handleVoid(JobType<I, @Nullable Void> type, VoidHandler<I> handler) {
        return handle(type, (input, job) -> {
            handler.handle(input, job);
            return null;
        });
    }

    /**
     * Registers a handler that takes several jobs of a type in one call, for example to write them to another system together.
     *
     * <p>The first waiting job begins a batch. The call starts when {@code max} jobs wait, or at the end of {@code linger}. While all slots are busy,
     * the batch continues to fill.
     *
     * @param max the most jobs of a call: 1 to 1000
     * @param linger the longest wait of the first job for further ones: 0 s to 10 s
     * @throws InvalidRequestException also if a value is out of range
     */
    <I extends @Nullable Object, O extends @Nullable Object> Handlers handleBatch(
            JobType<I, O> type, int max, Duration linger, BatchHandler<I, O> handler);
}
