package dev.windrow.monitor;

import com.google.errorprone.annotations.CheckReturnValue;
import dev.windrow.InvalidRequestException;
import dev.windrow.validation.Bounds;
import org.jspecify.annotations.Nullable;

/**
 * Selects attempts by the type and the queue of their jobs; both conditions together. Immutable: begin with {@link #ALL}; each {@code with} method
 * returns a copy.
 *
 * @param type the name under which the jobs were enqueued: an alias of a type counts under its own name; null for all
 * @param queue the queue; null for all
 */
@CheckReturnValue
public record ThroughputFilter(
        @Nullable String type, @Nullable String queue) {
    /** All attempts. */
    public static final ThroughputFilter ALL = new ThroughputFilter(null, null);

    /**
     * Returns this filter for the jobs of one type.
     *
     * @throws InvalidRequestException if no type can have this name
     */
    public ThroughputFilter withType(String type) {
        return new ThroughputFilter(Bounds.type(type), queue);
    }

    /**
     * Returns this filter for the jobs of one queue.
     *
     * @throws InvalidRequestException if no queue can have this name
     */
    public ThroughputFilter withQueue(String queue) {
        return new ThroughputFilter(type, Bounds.queue(queue));
    }
}
