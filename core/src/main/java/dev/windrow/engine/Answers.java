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

/**
 * Waits for the result of a store's command on behalf of a blocking verb. Each result arrives within the store's
 * operation timeout, except that {@link #write} waits for a disk that hangs.
 */
public final class Answers {
    private static final Logger log = SafeLogger.of(Answers.class);

    private Answers() {}

    /** Waits for the result and returns it, or throws the store's failure; {@code what} names the operation. */
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

    /** Submits a command to a store and returns its result, or throws the store's failure. */
    public static <T extends @Nullable Object> T get(OpenStore store, Command<T> command) {
        return get(store.submit(command), command.what());
    }

    /**
     * Does the same for a verb of the application: a lone caller may write on its own thread. The engine's own threads must end within the operation
     * timeout even if the disk hangs, so they submit.
     */
    public static <T extends @Nullable Object> T write(OpenStore store, Command<T> command) {
        return get(store.submitAndWait(command), command.what());
    }

    /**
     * Submits a command and returns its result; an interrupt does not end the wait. The thread's interrupt flag stays
     * set.
     */
    public static <T extends @Nullable Object> T getCalmly(OpenStore store, Command<T> command) {
        return getCalmly(store.submit(command), command.what());
    }

    /**
     * Waits for the result like {@link #get(CompletableFuture, String)}, but an interrupt does not end the wait. The
     * thread's interrupt flag stays set for code that checks it later.
     */
    public static <T extends @Nullable Object> T getCalmly(CompletableFuture<T> answer, String what) {
        try {
            return answer.join();
        } catch (CompletionException e) {
            throw failure(cause(e), what);
        }
    }

    /**
     * Calls back with the result or the failure, one of them null, on a thread of the store. An error of the callback is
     * logged, because no other code would report it.
     */
    public static <T> void then(
            CompletableFuture<T> answer, BiConsumer<? super @Nullable T, ? super @Nullable Throwable> callback) {
        CompletableFuture<T> unused = answer.whenComplete((value, failure) -> {
            try {
                callback.accept(value, cause(failure));
            } catch (Throwable e) {
                log.error(
                        "The result of a store command could not be handled; the slow poll finds its jobs again, or their leases run out",
                        e);
            }
        });
    }

    /** Returns the failure of a future, without the wrapping that a composed future adds. */
    private static @Nullable Throwable cause(@Nullable Throwable failure) {
        return failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
    }

    /** Returns the exception that a verb throws for this failure of a store. */
    public static WindrowException failure(@Nullable Throwable failure, String what) {
        return failure instanceof WindrowException known ? known : new WindrowException(what + " failed", failure);
    }
}
