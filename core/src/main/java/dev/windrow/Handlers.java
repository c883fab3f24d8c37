package dev.windrow;

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
}
