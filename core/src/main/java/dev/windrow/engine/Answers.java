package dev.windrow.engine;

import dev.windrow.OutcomeUnknownException;
import dev.windrow.WindrowException;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;

/** Waits for a store's answer on behalf of a blocking verb. Every answer comes within the store's operation deadline. */
final class Answers {
    private Answers() {}

    /** Returns the answer, or throws what the store said; {@code what} names the operation. */
    static <T> T get(CompletableFuture<T> answer, String what) {
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

    /** What a verb throws for this failure of a store. */
    static WindrowException failure(Throwable failure, String what) {
        return failure instanceof WindrowException known ? known : new WindrowException(what + " failed", failure);
    }
}
