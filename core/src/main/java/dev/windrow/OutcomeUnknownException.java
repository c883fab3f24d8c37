package dev.windrow;

import java.util.List;

/**
 * The caller's deadline passed while the store was committing the operation: it may or may not have been written. When
 * it was an enqueue, {@link #ids()} are the ids that the jobs have if they were written; ask for them later.
 */
public final class OutcomeUnknownException extends WindrowException {
    private static final long serialVersionUID = 1L;

    private final transient List<Long> ids;

    /** The message says which operation it was; {@code ids} may be empty when none were allotted yet. */
    public OutcomeUnknownException(String message, List<Long> ids) {
        super(message);
        this.ids = List.copyOf(ids);
    }

    /**
     * The ids to look for, in input order; empty when they are not known. What turns out not to have been written leaves
     * its ids free: the process that was told them does not give them again, but another one, or this one after a restart,
     * may give them to other jobs. So look whether a job found under one of them is the one that was meant.
     */
    public List<Long> ids() {
        return ids == null ? List.of() : ids;
    }
}
