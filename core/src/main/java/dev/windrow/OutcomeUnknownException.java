package dev.windrow;

import java.util.List;

/**
 * Thrown if the caller's deadline passed, or the disk or the connection failed, while the store was committing the operation. The operation may or
 * may not have been written. After an enqueue, {@link #ids()} are the ids of the jobs if they were written: read them later.
 */
public final class OutcomeUnknownException extends WindrowException {
    private static final long serialVersionUID = 1L;

    private final transient List<Long> ids;

    /** Creates the exception. The message has the operation. {@code ids} may be empty if no ids were reserved yet. */
    public OutcomeUnknownException(String message, List<Long> ids) {
        super(message);
        this.ids = List.copyOf(ids);
    }

    /**
     * Returns the ids of the jobs that may have been written, in input order. Empty if they are not known.
     *
     * <p>If the jobs were not written, no process gives their ids to other jobs. Exceptions on SQLite are a power failure, and the deletion of the
     * folder {@code jobs.db-windrow} after a crash.
     */
    public List<Long> ids() {
        return ids == null ? List.of() : ids;
    }
}
