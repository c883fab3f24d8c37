package dev.windrow;

import dev.windrow.step.StepWork;
import org.jspecify.annotations.Nullable;

/**
 * A transaction of the caller in which a handler ends its own job; see {@link JobContext#on}. The writing verbs of {@link Jobs} take part in it, too.
 * Reads see committed data. A verb that fails changes nothing, and the transaction stays usable.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * bookings.insert(connection, order);
 * job.on(connection).complete(receipt);
 * connection.commit();
 * }</pre>
 *
 * <p>The fencing token of the attempt guards the end of the job. If the job has a second attempt, because the worker of the first one only seemed to
 * be dead, one of the two can commit. After the commit the handler returns, and its return value is ignored. If the transaction is rolled back and
 * the handler throws, the attempt fails as always. If the handler returns although nothing was committed, the attempt fails with
 * {@link ErrorCodes#NOT_COMMITTED}. If the process dies, either everything was committed, or nothing was, and the attempt counts as crashed.
 *
 * <p>For one thread at a time, like the connection.
 */
public interface JobTransaction extends Jobs {
    /** Completes the job without a result; see {@link #complete(Object)}. */
    default void complete() {
        complete(null);
    }

    /**
     * Completes the job. Enqueues the next job of its chain if {@link JobContext#continueWith} was called.
     *
     * @param result a value of the type's output, or null
     * @throws TransitionRefusedException if this attempt does not hold the job any more: roll back
     * @throws InvalidRequestException if the result cannot be encoded, or is too long
     */
    void complete(@Nullable Object result);

    /**
     * Runs a durable {@linkplain JobContext#step step} within this transaction. The rows that its work writes on the connection, and the record of
     * the step, are committed together or not at all. If an earlier attempt has done the step, the work does not run, and the stored result is
     * returned. After a rollback the name cannot be used again in this attempt: let the handler throw.
     *
     * @return the value that the work returned, or the stored result
     * @throws TransitionRefusedException if this attempt does not hold the job any more: roll back
     * @throws InvalidRequestException in the cases of {@link JobContext#step}
     * @throws E the exception of the work
     */
    <T extends @Nullable Object, E extends Exception> T step(String name, Class<T> type, StepWork<? extends T, E> work)
            throws E;

    /**
     * Ends the attempt as failed, as if the handler had thrown this exception. The same rules decide if another attempt follows. Other changes in the
     * transaction are kept.
     *
     * @throws TransitionRefusedException if this attempt does not hold the job any more: roll back
     */
    void fail(Exception failure);
}
