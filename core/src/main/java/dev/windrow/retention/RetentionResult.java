package dev.windrow.retention;

import dev.windrow.JobState;
import java.util.EnumMap;
import java.util.Map;

/**
 * The result of a pass of retention.
 *
 * @param deleted the numbers of jobs, by the states in which they had ended: all three of them
 * @param kept the number of jobs that were old enough and stay, because another job needs them or because they were changed during the pass; not those
 *     that another process deleted meanwhile
 * @param complete true if it came to its end; false if it was ended before
 */
public record RetentionResult(Map<JobState, Long> deleted, long kept, boolean complete) {
    /** Adds the states that are missing. */
    public RetentionResult {
        Map<JobState, Long> all = new EnumMap<>(JobState.class);
        for (JobState state : JobState.values()) {
            if (state.isFinished()) {
                all.put(state, deleted.getOrDefault(state, 0L));
            }
        }
        deleted = Map.copyOf(all);
    }

    /** The number of jobs that were deleted in all. */
    public long total() {
        return deleted.values().stream().mapToLong(Long::longValue).sum();
    }
}
