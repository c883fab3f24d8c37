package dev.windrow.telemetry;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/** The values of a tag, not more than so many: those that come first have their names, all further ones are {@link #OTHER}. */
final class TagValues {
    static final String OTHER = "other";
    /** How many each tag has. */
    static final int MOST = 100;

    private final Set<String> known = ConcurrentHashMap.newKeySet();

    /** The value to be used in the place of this one. */
    String of(@Nullable String value) {
        if (value == null) {
            return OTHER;
        }
        if (known.size() < MOST) {
            // Two at once may make it one more than that.
            known.add(value);
        }
        return known.contains(value) ? value : OTHER;
    }
}
