package dev.windrow.retention;

import dev.windrow.OutcomeUnknownException;
import dev.windrow.WindrowException;
import org.jspecify.annotations.Nullable;

/**
 * A pass of retention has ended before it was done: the archive or the store failed, or its thread was interrupted. What was deleted before
 * stays deleted, and the next pass goes on. The cause says why.
 */
public final class CleanupFailedException extends WindrowException {
    private static final long serialVersionUID = 1L;

    private final transient RetentionResult done;

    /** The message says why, and how much was deleted. */
    public CleanupFailedException(@Nullable String why, RetentionResult done, @Nullable Throwable cause) {
        super("%s (%d jobs were deleted before; the next pass goes on)".formatted(why, done.total()), cause);
        this.done = done;
    }

    /**
     * What the pass is known to have done. When the store has lost the answer to a commit ({@link OutcomeUnknownException}), the jobs of that batch are not
     * counted, whatever became of them.
     */
    public RetentionResult done() {
        return done;
    }
}
