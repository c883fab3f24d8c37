package dev.windrow.query;

import dev.windrow.InvalidRequestException;
import java.time.Instant;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * A range of time, with or without a beginning and an end.
 *
 * @param from the first instant in the range; null for no beginning
 * @param before the first instant after the range; null for no end
 */
public record TimeRange(@Nullable Instant from, @Nullable Instant before) {
    /** The range of all time. */
    public static final TimeRange ALWAYS = new TimeRange(null, null);

    /**
     * Refuses an empty range.
     *
     * @throws InvalidRequestException if the range does not end after its beginning
     */
    public TimeRange {
        if (from != null && before != null && !from.isBefore(before)) {
            throw new InvalidRequestException(
                    "a time from %s and before %s is not allowed: the end must be later than the beginning"
                            .formatted(from, before));
        }
    }

    /** True if an instant is in the range. Null is in {@link #ALWAYS} only. */
    public boolean contains(@Nullable Instant instant) {
        return instant == null
                ? equals(ALWAYS)
                : (from == null || !instant.isBefore(from)) && (before == null || instant.isBefore(before));
    }

    /** Returns this range with another beginning. */
    TimeRange from(Instant from) {
        return new TimeRange(Objects.requireNonNull(from, "from"), before);
    }

    /** Returns this range with another end. */
    TimeRange before(Instant before) {
        return new TimeRange(from, Objects.requireNonNull(before, "before"));
    }
}
