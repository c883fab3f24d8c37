package dev.windrow;

import java.util.EnumMap;
import java.util.Map;

/**
 * What a pass of retention did.
 *
 * @param deleted how many jobs, by the states in which they had ended: all three of them
 * @param kept how many jobs were old enough and stay, because another job needs them or because they were changed during the pass; not those
 *     that another process deleted meanwhile
 * @param complete whether it came to its end; false when it was ended before
 */
public record CleanedUp(Map<JobState, Long> deleted, long kept, boolean complete) {
    /** Adds the states that are missing. */
    public CleanedUp {
        Map<JobState, Long> all = new EnumMap<>(JobState.class);
        for (JobState state : JobState.values()) {
            if (state.isFinished()) {
                all.put(state, deleted.getOrDefault(state, 0L));
            }
        }
        deleted = Map.copyOf(all);
    }

    /** How many jobs were deleted in all. */
    public long total() {
        return deleted.values().stream().mapToLong(Long::longValue).sum();
    }
}
