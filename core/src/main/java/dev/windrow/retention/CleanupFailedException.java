package dev.windrow.retention;

import dev.windrow.OutcomeUnknownException;
import dev.windrow.WindrowException;
import org.jspecify.annotations.Nullable;

/**
 * Thrown if a pass of retention has ended early: the archive or the store failed, or its thread was interrupted. Jobs that were deleted before stay
 * deleted, and the next pass continues. The cause is the failure.
 */
public final class CleanupFailedException extends WindrowException {
    private static final long serialVersionUID = 1L;

    private final transient RetentionResult done;

    /** Creates the exception. The message has the reason and the number of deleted jobs. */
    public CleanupFailedException(@Nullable String why, RetentionResult done, @Nullable Throwable cause) {
        super("%s (%d jobs were deleted before; the next pass continues)".formatted(why, done.total()), cause);
        this.done = done;
    }

    /**
     * Returns the known result of the pass. If the outcome of a commit is unknown ({@link OutcomeUnknownException}), the jobs of that batch are not
     * counted, although they may be deleted.
     */
    public RetentionResult done() {
        return done;
    }
}
