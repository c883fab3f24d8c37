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
     * <p>If the jobs were not written, their ids are free. This process does not use them again. Another process, or this one after a restart, may
     * give them to other jobs. So check that a job with one of these ids is the expected one.
     */
    public List<Long> ids() {
        return ids == null ? List.of() : ids;
    }
}
