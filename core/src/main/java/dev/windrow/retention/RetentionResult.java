package dev.windrow.retention;

import dev.windrow.JobState;
import java.util.EnumMap;
import java.util.Map;

/**
 * The result of a pass of retention.
 *
 * @param deleted the numbers of deleted jobs, for each of the three states in which jobs end
 * @param kept the number of jobs that were old enough and were kept, because another job needs them or because they were changed during the pass.
 *     Jobs that another process deleted are not counted
 * @param complete true if the pass has reached its end; false if it ended early
 */
public record RetentionResult(Map<JobState, Long> deleted, long kept, boolean complete) {
    /** Adds the missing states. */
    public RetentionResult {
        Map<JobState, Long> all = new EnumMap<>(JobState.class);
        for (JobState state : JobState.values()) {
            if (state.isFinished()) {
                all.put(state, deleted.getOrDefault(state, 0L));
            }
        }
        deleted = Map.copyOf(all);
    }

    /** Returns the number of deleted jobs of all states. */
    public long total() {
        return deleted.values().stream().mapToLong(Long::longValue).sum();
    }
}
