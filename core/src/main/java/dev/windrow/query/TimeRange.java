package dev.windrow.query;

import dev.windrow.InvalidRequestException;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A stretch of time, open at either end.
 *
 * @param from the first instant in it; null for no beginning
 * @param before the first instant behind it; null for no end
 */
public record TimeRange(@Nullable Instant from, @Nullable Instant before) {
    /** All of time. */
    public static final TimeRange ALWAYS = new TimeRange(null, null);

    /**
     * Refuses a range that no instant is in.
     *
     * @throws InvalidRequestException if it does not end after its beginning
     */
    public TimeRange {
        if (from != null && before != null && !from.isBefore(before)) {
            throw new InvalidRequestException(
                    "a time from %s and before %s is not allowed; allowed: an end that is later than the beginning"
                            .formatted(from, before));
        }
    }

    /** Whether an instant is in it; what has none is in all of time alone. */
    public boolean contains(@Nullable Instant instant) {
        return instant == null
                ? equals(ALWAYS)
                : (from == null || !instant.isBefore(from)) && (before == null || instant.isBefore(before));
    }

    /** The same range from another instant on. */
    TimeRange from(Instant from) {
        return new TimeRange(Objects.requireNonNull(from, "from"), before);
    }

    /** The same range with another end. */
    TimeRange before(Instant before) {
        return new TimeRange(from, Objects.requireNonNull(before, "before"));
    }
}
