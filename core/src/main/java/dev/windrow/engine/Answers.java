package dev.windrow.engine;

import dev.windrow.OutcomeUnknownException;
import dev.windrow.WindrowException;
import dev.windrow.store.Command;
import dev.windrow.store.OpenStore;
import dev.windrow.store.SafeLogger;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

/** Waits for a store's answer on behalf of a blocking verb. Every answer comes within the store's operation deadline. */
public final class Answers {
    private static final Logger log = SafeLogger.of(Answers.class);

    private Answers() {}

    /** Returns the answer, or throws what the store said; {@code what} names the operation. */
    public static <T extends @Nullable Object> T get(CompletableFuture<T> answer, String what) {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new OutcomeUnknownException(
                    what + " was interrupted while it waited for its commit: it may or may not be written", List.of());
        } catch (ExecutionException e) {
            throw failure(e.getCause() == null ? e : e.getCause(), what);
        }
    }

    /** Has a store write a command; returns the answer, or throws what the store said. */
    public static <T extends @Nullable Object> T get(OpenStore store, Command<T> command) {
        return get(store.submit(command), command.what());
    }

    /** The same, not to be interrupted: the thread's interrupt stays set. */
    public static <T extends @Nullable Object> T getCalmly(OpenStore store, Command<T> command) {
        return getCalmly(store.submit(command), command.what());
    }

    /** The same, not to be interrupted: the thread's interrupt is kept for whoever looks for it. */
    public static <T extends @Nullable Object> T getCalmly(CompletableFuture<T> answer, String what) {
        try {
            return answer.join();
        } catch (CompletionException e) {
            throw failure(cause(e), what);
        }
    }

    /**
     * Calls back with the answer or the failure, one of them null, on the store's thread. An error of the callback ends
     * in the log, where it would else end nowhere.
     */
    public static <T> void then(
            CompletableFuture<T> answer, BiConsumer<? super @Nullable T, ? super @Nullable Throwable> callback) {
        CompletableFuture<T> unused = answer.whenComplete((value, failure) -> {
            try {
                callback.accept(value, cause(failure));
            } catch (Throwable e) {
                log.error(
                        "An answer of the store could not be taken; what it was about is found again by the slow poll, or its lease runs out",
                        e);
            }
        });
    }

    /** What a future failed with, without the wrapping that a composed one adds. */
    private static @Nullable Throwable cause(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** What a verb throws for this failure of a store. */
    public static WindrowException failure(@Nullable Throwable failure, String what) {
        return failure instanceof WindrowException known ? known : new WindrowException(what + " failed", failure);
    }
}
