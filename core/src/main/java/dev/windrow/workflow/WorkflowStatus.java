package dev.windrow.workflow;

import dev.windrow.JobState;
import java.util.EnumMap;
import java.util.Map;

/**
 * How a workflow stands: how many of its jobs are in which state. A job that was discarded does not count any more.
 *
 * @param id the workflow
 * @param states the number of jobs in each state, all seven of them
 */
public record WorkflowStatus(long id, Map<JobState, Long> states) {
    /** Copies the map, and adds the states that it does not have. */
    public WorkflowStatus {
        Map<JobState, Long> all = new EnumMap<>(JobState.class);
        for (JobState state : JobState.values()) {
            all.put(state, states.getOrDefault(state, 0L));
        }
        states = Map.copyOf(all);
    }

    /** How many jobs are in this state. */
    public long count(JobState state) {
        return states.getOrDefault(state, 0L);
    }

    /** How many jobs it has. */
    public long jobs() {
        return states.values().stream().mapToLong(Long::longValue).sum();
    }

    /** How many of them have ended, well or not. */
    public long ended() {
        return states.entrySet().stream()
                .filter(entry -> entry.getKey().isFinished())
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /**
     * Whether all of them have ended. A retry of one that did not end well begins it again. One that waits for a job that has failed
     * has not ended.
     */
    public boolean isFinished() {
        return ended() == jobs();
    }
}
