package dev.windrow.telemetry;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The values of a tag, limited in number: the first ones have their names, all further ones are {@link #OTHER}. */
final class TagValues {
    static final String OTHER = "other";
    /** The most values of a tag. */
    static final int MOST = 100;

    private final Set<String> known = ConcurrentHashMap.newKeySet();

    /** Returns the value to use for this one. */
    String of(@Nullable String value) {
        if (value == null) {
            return OTHER;
        }
        if (known.size() < MOST) {
            // Two threads at the same time may add one more than that.
            known.add(value);
        }
        return known.contains(value) ? value : OTHER;
    }
}
