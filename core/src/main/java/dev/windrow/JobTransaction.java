package dev.windrow;

import dev.windrow.step.StepWork;
import org.jspecify.annotations.Nullable;

/**
 * A transaction of the caller's in which a handler ends its own job: {@link JobContext#on}. The writing verbs of {@link Jobs} take part in
 * it, too; reads see what is committed. A verb that fails changes nothing, and leaves the transaction usable.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * bookings.insert(connection, order);
 * job.on(connection).complete(receipt);
 * connection.commit();
 * }</pre>
 *
 * <p>The fencing token of the attempt guards the end: of two attempts at the same job, one of which only seems to be dead, one can commit.
 * After the commit the handler returns, and what it returns does not matter any more. If the transaction is rolled back and the handler
 * throws, the attempt fails as always. If it returns although nothing was committed, the attempt fails with {@link
 * ErrorCodes#NOT_COMMITTED}. If the process dies, either all was committed, or nothing was and the attempt counts as crashed.
 *
 * <p>Used by one thread at a time, as the connection is.
 */
public interface JobTransaction extends Jobs {
    /** Completes the job without a result; see {@link #complete(Object)}. */
    default void complete() {
        complete(null);
    }

    /**
     * Completes the job, with the next one of its chain if there is {@linkplain JobContext#continueWith one}.
     *
     * @param result of the type's output, or null
     * @throws TransitionRefusedException if this attempt does not hold the job any more: roll back
     * @throws InvalidRequestException if the result cannot be encoded, or is too long
     */
    void complete(@Nullable Object result);

    /**
     * A durable {@linkplain JobContext#step step} within this transaction: what its work writes on the connection and that the step was done
     * are committed together, or not at all. Done before, it is not done again, and its stored result is returned. After a rollback the
     * name cannot be used again in this attempt: pass the failure on.
     *
     * @return what the work returned, or what is stored
     * @throws TransitionRefusedException if this attempt does not hold the job any more: roll back
     * @throws InvalidRequestException as {@link JobContext#step} does
     * @throws E what the work throws
     */
    <T extends @Nullable Object, E extends Exception> T step(String name, Class<T> type, StepWork<? extends T, E> work)
            throws E;

    /**
     * Ends the attempt as failed, as if the handler had thrown this: whether another one follows is decided by the same rules. What else was
     * written in the transaction stays.
     *
     * @throws TransitionRefusedException if this attempt does not hold the job any more: roll back
     */
    void fail(Exception failure);
}
